// The page in a frame of another document: the handshake with it, calls and events over one port, and the height that the page
// would like to have. Window messages besides the handshake carry a height only.

const MAJOR = 1;
const MOST_BYTES = 1_000_000;
/** Names of the calls; web/src/app/frame.rs reads them. */
const CALLS = [
  "play", "pause", "seek", "step", "reset", "undo", "value", "open", "theme", "command", "inject", "input", "why", "snapshot", "share", "fork",
  "export", "runUntil", "focus", "press",
];
const EVENTS = [
  "ready", "statuschange", "timeupdate", "playing", "command", "inject", "fork", "diagnostics", "change", "complete", "lesson", "error",
];
/** Between two messages about the time. */
const TIME_MS = 250;
/** Rows of the tree are shown without scrolling up to this height. */
const MOST_TREE_PX = 420;

/** @type {MessagePort | undefined} */
let port;
/** @type {object[]} Events from before the handshake: the last of each kind. */
let early = [];
let told = 0;
let timeIsDue;

const allowed = () => new URLSearchParams(location.search).get("parent");
const isId = (id) => typeof id === "string" && id.length > 0 && id.length <= 64;

/** Listens to the document around the page. */
export function listenToParent(onCall) {
  if (window.parent === window) return;
  addEventListener("message", (event) => greet(event, onCall));
  watchHeight();
}

function greet(event, onCall) {
  const { data, source, origin } = event;
  if (source !== window.parent || typeof data !== "object" || data?.type !== "hello" || !("planarium" in data)) return;
  const parent = allowed();
  if (parent && origin !== parent) return;
  // An opaque origin cannot be named as a target.
  const target = origin === "null" ? "*" : origin;
  if (data.planarium !== MAJOR) {
    source.postMessage({ planarium: MAJOR, type: "unsupported", id: isId(data.id) ? data.id : "", versions: [MAJOR] }, target);
    return;
  }
  if (!isId(data.id) || port) return;
  const channel = new MessageChannel();
  port = channel.port1;
  port.onmessage = ({ data: call }) => take(call, onCall);
  const welcome = { planarium: MAJOR, type: "welcome", id: data.id, version: MAJOR, capabilities: { calls: CALLS, events: EVENTS } };
  source.postMessage(welcome, target, [channel.port2]);
  for (const message of early) port.postMessage(message);
  early = [];
}

function take(call, onCall) {
  const number = call?.id;
  if (!Number.isSafeInteger(number)) return;
  const bad = (reason) => port.postMessage({ id: number, ok: false, code: "bad-request", reason });
  if (typeof call.call !== "string" || !CALLS.includes(call.call)) return bad(`there is no such call; calls are ${CALLS.join(", ")}`);
  const args = call.args ?? [];
  if (!Array.isArray(args)) return bad("args is a list");
  let text;
  try {
    text = JSON.stringify(args);
  } catch {
    return bad("args cannot be written as JSON");
  }
  if (text.length > MOST_BYTES) return bad(`a call has at most ${MOST_BYTES} bytes`);
  onCall(number, call.call, text);
}

/** Answers a call. */
export function answerParent(number, done, json) {
  const value = JSON.parse(json);
  port?.postMessage(done ? { id: number, ok: true, value } : { id: number, ok: false, ...value });
}

/** Sends an event to the document around the page. Time is sent at most four times a second. */
export function tellParent(event, json) {
  const message = { event, detail: JSON.parse(json) };
  if (event === "timeupdate") {
    clearTimeout(timeIsDue);
    const wait = told + TIME_MS - performance.now();
    if (wait > 0) {
      timeIsDue = setTimeout(() => tellParent(event, json), wait);
      return;
    }
    told = performance.now();
  }
  if (port) port.postMessage(message);
  else if (window.parent !== window) early = [...early.filter((one) => one.event !== event), message];
}

/** Sends the height at which the tree needs no scrolling, or a good part of it. */
function watchHeight() {
  let sent = 0;
  let asked = false;
  const measure = () => {
    asked = false;
    const tree = document.getElementById("plan-tree");
    const page = document.querySelector(".page");
    if (!tree || !page) return;
    const rows = Math.min(tree.scrollHeight, MOST_TREE_PX);
    const height = Math.ceil(page.clientHeight - tree.clientHeight + rows);
    // One pixel more or less would only make the two heights chase each other.
    if (Math.abs(height - sent) < 4) return;
    sent = height;
    window.parent.postMessage({ type: "resize", height }, allowed() ?? "*");
  };
  const soon = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(measure);
  };
  new ResizeObserver(soon).observe(document.body);
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
}
