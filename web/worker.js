// The engine's worker: loads the host, hands it the page's texts, and lets it work in slices, so that what comes meanwhile lands.
//
// The first message says where the glue is and brings the compiled module; all others are texts, see crates/messages/src/wire.

let engine;
/** The engine has failed: nothing of it may run any more. */
let over = false;

/** A message to itself comes after everything that has come by then. */
const turn = new MessageChannel();
let due = false;

const post = (text) => self.postMessage(text);

/** Calls into the engine; what it throws is its end. A panic has been told by the engine itself, in better words. */
function guarded(call) {
  if (over) return undefined;
  try {
    return call();
  } catch (error) {
    over = true;
    post(JSON.stringify({ Panicked: String(error?.stack ?? error) }));
    return undefined;
  }
}

function soon() {
  if (due) return;
  due = true;
  turn.port2.postMessage(null);
}

turn.port1.onmessage = () => {
  due = false;
  if (guarded(() => engine.work())) soon();
};

async function load({ glue, module }) {
  try {
    const { default: init, Engine } = await import(glue);
    await init({ module_or_path: module });
    engine = new Engine(post);
  } catch (error) {
    self.postMessage({ refused: String(error?.message ?? error) });
  }
}

self.onmessage = ({ data }) => {
  if (typeof data !== "string") {
    load(data);
    return;
  }
  guarded(() => engine.take(data));
  soon();
};
