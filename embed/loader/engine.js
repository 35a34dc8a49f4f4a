// The hand-over: the page that `engine` names takes the recording's place in a frame, at the instant shown.
import { ATTRIBUTES } from "./attributes.js";
import { act, call, drop, engines, LEFT, refused } from "./calls.js";
import { greet, least, size } from "./greeting.js";
import { refusal } from "./policy.js";
import { pathOf, show } from "./recording.js";
import { clock, figureOf, make, tell, warn, write } from "./text.js";

// Each engine that runs is a frame; frames of one document share a worker. At most this many run in a document; to start another, the one that was used longest ago and has no focus is stopped.
const MOST_ENGINES = 20;
/** Engines begin one after the other. */
let queue = Promise.resolve();

/** Address of the engine's page, which may lie in a folder of its own. */
export const address = (it) => it.getAttribute("engine") ?? it.getAttribute("wasm-src")?.replace(/\/*$/, "/embed.html");

/** Lets the engine take over: a promise of {ok}. */
export const takeOver = (it) => {
  if (it._taking) return it._taking;
  const turn = (it._turn = {});
  if (it._try) it._try.disabled = true;
  queue = queue.then(() => take(it, turn));
  const taking = queue.then(
    () => ({ ok: true }),
    (error) => {
      const reason = `The engine did not start: ${error.message}.${it._run ? " The recording still plays." : ""}`;
      // The error is reported only if the reader has not left meanwhile.
      if (it._taking === taking) {
        leave(it);
        warn(reason);
        write(it, reason);
        tell(it, "error", { reason });
      }
      return refused(reason);
    },
  );
  queue = taking;
  return (it._taking = taking);
};

/** Asks an engine, which takes over for that. */
export const ask = async (it, name, ...args) => {
  const taken = await takeOver(it);
  return taken.ok ? call(it, name, ...args) : taken;
};

/** Takes the frame away; the recording is shown again. */
export const leave = (it) => {
  const now = it._port && it._run && Math.min(it._now, it._run.end);
  drop(it);
  it._deaf?.();
  it._port?.close();
  it._box?.remove();
  it._notice?.remove();
  it._port = it._frame = it._box = it._notice = it._taking = it._turn = it._deaf = undefined;
  delete it.dataset.engine;
  if (it._try) it._try.disabled = false;
  it._waiting?.forEach((done) => done(refused(LEFT)));
  it._waiting?.clear();
  if (now !== undefined) show(it, now, true);
};

/** The picture comes back, and the run with what was done in it is kept for "Go on here". */
const rest = async (it) => {
  const turn = it._turn;
  const shared = await Promise.race([new Promise((done) => setTimeout(done, 2000)), call(it, "share")]);
  if (it._turn !== turn) return;
  const run = shared?.ok && shared.value?.url?.split("#")[1]?.split("~")[0];
  const at = it._now;
  leave(it);
  it._kept = run ? { run, at, shown: it._now } : undefined;
  if (it._try) it._try.textContent = "Go on here";
  write(it, `The engine rests at ${clock(at)}; what was done is ${run ? "" : "not "}kept.`);
};

/** Frees the engine of an element that is out of sight, unless the reader is in it. */
export const unseen = (it) => {
  if (it._frame !== document.activeElement) it._port ? rest(it) : leave(it);
};

/** Drops what was done here. */
export const forget = (it) => {
  it._kept = it._value = undefined;
  if (it._try) it._try.textContent = it._teaches ? "Start the lesson" : "Try it";
};

const take = async (it, turn) => {
  const left = () => {
    if (it._turn !== turn) throw new Error(LEFT);
  };
  left();
  const { lesson, _kept: kept } = it;
  const [state, source, scenario, example] = ["state", "src", "scenario", "example"].map((name) => it.getAttribute(name));
  // Of several, the first counts: what was done here, the lesson, a link's state, a file, the run of the picture, an example.
  const own = it.querySelector("script.pl-run")?.textContent;
  const files = kept || lesson || state ? [] : [scenario, source].filter(Boolean);
  const ofSource = files.length > 0;
  const given = lesson ? (lesson.startsWith("l1:") ? lesson : "") : (state?.split("#").pop() ?? (own && !ofSource ? JSON.parse(own) : ""));
  const run = kept?.run ?? given;
  if (!address(it) || !(run || lesson || ofSource || example || it._value)) throw new Error("this document names none");
  it.pause();
  const hadFocus = it.contains(document.activeElement);
  const url = new URL(address(it), document.baseURI);
  if (!/^https?:$/.test(url.protocol)) throw new Error("a page from a disk cannot load it");
  const texts = await Promise.all(files.map((file) => textOf(new URL(file, document.baseURI))));
  left();
  while (engines.length >= MOST_ENGINES) {
    await rest(engines.find((one) => one._frame !== document.activeElement));
    left();
  }
  write(it, "The engine is being loaded …");
  // The task needs the room beside the plans.
  const panes = it.getAttribute("panes") ?? (lesson ? "tree,timeline" : "tree,timeline,why");
  const set = (name, value) => url.searchParams.set(name, value);
  set("panes", it._edits ? `${panes},editor` : panes);
  set("theme", it.dataset.theme);
  set("parent", location.origin);
  for (const name of ATTRIBUTES.slice(-9)) if (it.hasAttribute(name)) set(name, it.getAttribute(name));
  if (it._row !== undefined) set("select", pathOf(it, it._row));
  const at = kept?.shown === it._now ? kept.at : it._now;
  // A lesson that nobody has begun is at its beginning, and a link's state at its own instant.
  const moves = lesson ? run.includes("run=") : run && (kept || !state);
  url.hash = moves ? `${run}~${Math.round(at)}` : run;
  const { lang } = it.closest("[lang]") ?? it;
  if (lesson && lang) set("lang", lang);
  if (lesson && !run) set("lesson", lesson);
  if (example && !lesson && !run && !ofSource) set("example", example);
  const figure = figureOf(it);
  const frame = (it._frame = make("iframe", "", { title: figure.ariaLabel, allow: "clipboard-write; fullscreen", src: url.href }));
  const ready = greet(it, frame, url.origin);
  // The browser lays out and draws no frame in a box that is far out of sight: twenty of them do not hold the document up.
  it._box = make("div", "pl-engine");
  it._box.append(frame);
  it.append(it._box);
  act(it);
  const { differing, version } = await ready;
  if (ofSource) await call(it, "open", texts);
  const { value } = await call(it, "snapshot");
  left();
  if (differing || (run === given && own && !ofSource && !state && value?.end && value.end.digest !== it._run.digest)) differs(it, version);
  size(it, Math.max(figure.offsetHeight, it._wanted ?? 0, least(it, 320)));
  it.dataset.engine = "on";
  // Moves the focus into the frame, unless the reader has moved it elsewhere.
  const focused = document.activeElement;
  if (hadFocus && (focused === document.body || it.contains(focused))) {
    frame.focus();
    call(it, "focus");
  }
};

/** Name and text of a file that `src` or `scenario` names. */
const textOf = async (url) => {
  const answer = await fetch(url).catch((error) => error);
  if (answer.ok) return [url.pathname.split("/").pop(), await answer.text()];
  // A refusal is told after the fetch has failed.
  await new Promise((done) => setTimeout(done, 50));
  throw refusal("connect-src", url.origin) || new Error(`${url} cannot be read (${answer.status ?? answer.message})`);
};

/** Says that the engine does not come to what was recorded. */
const differs = (it, version) => {
  const by = it._run?.by;
  const engine = version && version !== by ? `is ${version} and ` : "";
  const text = `This was recorded with ${by ? `Planarium ${by}` : "an older version"}. The engine here ${engine}comes out differently.`;
  it._notice = make("p", "pl-problem", { textContent: text, role: "status" });
  it._box.before(it._notice);
  warn(text);
};
