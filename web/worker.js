// The engine's worker: loads the host, hands it the pages' texts, and lets it work in slices, so that what comes meanwhile lands.
//
// The page that started it is session 0 and speaks to the worker itself. Frames beside it bring a port each and get a host of their own
// over the same WebAssembly. Messages to the worker that are no texts: where the glue and the texts are and what the page shows first, as
// the first one; the compiled module; `{ ahead }`, when the page's own file is there; `{ join }` with the port of a session, `{ end }`. All others are
// texts, see crates/messages/src/wire. What arrives of a piece of the engine is told to every page, see pieces.js.
import { wanted } from "./ahead.js";
import { ARRIVES } from "./pieces.js";
import { textFiles } from "./texts.js";

/** The host's class, once it is loaded. */
let Engine;
/** The glue, on its way. */
let glue;
/** Fetches a file of texts by its name. */
let texts;
/** The systems that the first world needs, as soon as they are known. */
let systems = Promise.resolve([]);
/** The engine has failed: nothing of it may run any more. */
let over = false;
/** Number to session, `{ number, line, engine }`. */
const sessions = new Map([[0, { number: 0, line: self }]]);
/** Sessions that have something to do, in the order of their turns; those that somebody waits for come first. */
const first = [];
const due = [];
/** The session that worked last. The page is told when it changes, so that it knows whose question an engine in a loop is at. */
let at = 0;

/** A message to itself comes after everything that has come by then. */
const turn = new MessageChannel();
let asked = false;

/** Calls into the engine; what it throws is its end. A panic has been told by the engine itself, in better words. */
function guarded(session, call) {
  if (over) return undefined;
  try {
    return call();
  } catch (error) {
    over = true;
    session.line.postMessage(JSON.stringify({ Panicked: String(error?.stack ?? error) }));
    self.postMessage({ over: session.number });
    return undefined;
  }
}

/** Gives a session a turn: before the runs that play where somebody waits for its answer. */
function soon(session, waits = false) {
  if (session && waits) {
    if (due.includes(session)) due.splice(due.indexOf(session), 1);
    if (!first.includes(session)) first.push(session);
  } else if (session && !first.includes(session) && !due.includes(session)) due.push(session);
  if (asked || first.length + due.length === 0) return;
  asked = true;
  turn.port2.postMessage(null);
}

turn.port1.onmessage = () => {
  asked = false;
  const session = first.shift() ?? due.shift();
  if (!session) return;
  if (session.number !== at) {
    at = session.number;
    self.postMessage({ at });
  }
  const more = guarded(session, () => session.engine.work(first.length + due.length));
  soon(more ? session : undefined);
};

function begin(session) {
  if (!Engine) return;
  const post = (text) => session.line.postMessage(text);
  // Code that was fetched for a frame that is gone by then is of no use to it.
  const wake = () => sessions.get(session.number) === session && soon(session, true);
  guarded(session, () => (session.engine = new Engine(post, wake, texts)));
}

function take(session, text) {
  soon(session, guarded(session, () => session.engine.take(text)));
}

/** A frame beside the page. */
function join(number, line) {
  const session = { number, line };
  sessions.set(number, session);
  line.onmessage = ({ data }) => take(session, data);
  begin(session);
}

/** A frame that is gone. */
function end(number) {
  const session = sessions.get(number);
  sessions.delete(number);
  if (session) {
    session.line.close();
    for (const list of [first, due]) if (list.includes(session)) list.splice(list.indexOf(session), 1);
    guarded(session, () => session.engine?.free());
  }
  if (at === number) at = 0;
  self.postMessage({ ended: number });
}

/** Fetches the glue, and the texts of the first world as soon as their names are known. */
function start(names) {
  glue = import(names.glue);
  texts = textFiles(names.texts);
  systems = glue.then(async ({ known }) => {
    if (!known || !names.first) return [];
    const first = await wanted(names.first, known);
    // Who asks for them hears how it ended.
    for (const name of first.texts) texts(name).catch(() => {});
    return first.systems;
  });
  systems.catch(() => {});
}

/** Fetches the pieces of the first world, beside the main part. */
async function ahead() {
  try {
    const [{ ahead: fetched, known }, words] = [await glue, await systems];
    fetched?.([...new Set(words.flatMap((word) => known.systems[word] ?? []))]);
  } catch {
    // They come when the engine asks for them.
  }
}

async function load(module) {
  try {
    const { default: init, Engine: loaded } = await glue;
    await init({ module_or_path: module });
    Engine = loaded;
    sessions.forEach(begin);
  } catch (error) {
    self.postMessage({ refused: String(error?.message ?? error) });
  }
}

self.addEventListener(ARRIVES, ({ detail }) => sessions.forEach(({ line }) => line.postMessage(detail)));

self.onmessage = ({ data, ports }) => {
  if (typeof data === "string") take(sessions.get(0), data);
  else if (data.join) join(data.join, ports[0]);
  else if (data.end) end(data.end);
  else if (data.glue) start(data);
  else if (data.module) load(data.module);
  else if (data.ahead) ahead();
};
