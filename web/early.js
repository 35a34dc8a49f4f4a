// Runs before the first paint, as a classic script beside the style sheet: the engine's worker is started, the page's picture stands in
// the document, and what is done to it before the page itself is there is noted down. `boot.js` plays it to the page when that listens.
// With `?world=` the page shows a world that is served elsewhere, and there is no worker.
import { Arrivals } from "./arrivals.js";
import { Engine, pageModule } from "./engine.js";
import { Served } from "./served.js";

// A server may send a policy of its own with this page's files. The first thing that it refuses is told in words: to the reader, and to the
// document around a frame, which would otherwise wait for an answer.
(() => {
  /** Tells why the page does not start; the first reason counts. */
  window.planariumFails = (reason) => {
    if (window.planariumReason) return;
    window.planariumReason = reason;
    const parent = new URLSearchParams(location.search).get("parent") ?? "*";
    if (window.parent !== window) window.parent.postMessage({ type: "refused", reason }, parent);
  };
  // A frame whose sandbox keeps it apart from its own origin may load neither the page's modules nor a worker. Nothing else could say so.
  if (self.origin === "null") {
    window.planariumFails("the sandbox of this frame keeps the page from its own files; it needs allow-same-origin");
    addEventListener("DOMContentLoaded", () => {
      const status = document.getElementById("boot");
      document.documentElement.dataset.boot = "failed";
      status?.setAttribute("role", "alert");
      if (status) status.textContent = `The engine was refused: ${window.planariumReason}.`;
    });
  }
  /** Directive of a violation, what it means here. */
  const KINDS = [
    ["worker-src", "the engine's worker"],
    ["style-src", "the styles of its page"],
    ["script-src", "the scripts of its page"],
    ["connect-src", "the engine's file"],
  ];
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective, disposition }) => {
    const refused = (what, allow) => window.planariumFails(`the policy of ${location.host} refuses ${what}; it has to allow ${allow}`);
    if (disposition === "report") return;
    if (blockedURI === "wasm-eval") return refused("WebAssembly", "script-src 'wasm-unsafe-eval'");
    // What a browser's extensions put into the page is their own matter.
    const kind = blockedURI.startsWith(location.origin) && KINDS.find(([directive]) => effectiveDirective.startsWith(directive));
    if (kind) refused(kind[1], `${kind[0]} 'self'`);
  });
})();

/** What was kept under a key. Storage may be refused; then the page has its first looks. */
const kept = (storage, key) => {
  try {
    return window[storage].getItem(`planarium.${key}`) ?? "";
  } catch {
    return "";
  }
};

(() => {
  const worker = document.querySelector('meta[name="planarium-worker"]');
  const framed = document.documentElement.hasAttribute("data-frame");
  const world = framed ? null : new URLSearchParams(location.search).get("world");
  if (world !== null) {
    window.planariumEngine = new Served(world, (text) => {
      const place = document.getElementById("boot");
      if (place) place.textContent = text;
    });
  } else if (worker) {
    const absolute = (path) => new URL(path, document.baseURI).href;
    const page = framed && document.querySelector('meta[name="planarium-engine"]');
    if (page) window.planariumPage = pageModule(absolute(page.content));
    const { script, glue, size } = worker.dataset;
    const texts = absolute(document.querySelector('meta[name="planarium-texts"]').content);
    const { search, hash } = location;
    const query = new URLSearchParams(search);
    const [example, lesson, language] = ["example", "lesson", "lang"].map((key) => query.get(key));
    const first = { address: `${search}${hash}`, hash, example, lesson, language, tab: framed ? "" : kept("sessionStorage", "tab") };
    const names = { script: absolute(script), glue: absolute(glue), wasm: absolute(worker.content), texts, first };
    const arrived = new Arrivals(Number(size));
    window.planariumEngine = new Engine(names, (bytes) => arrived.main(bytes), framed);
    addEventListener("planarium:piece", ({ detail }) => arrived.piece(detail));
  }
})();

(() => {
  const root = document.documentElement;
  root.dataset.boot = "starting";

  // In a frame of another document the address says how it looks, and there is no picture.
  const framed = root.hasAttribute("data-frame");
  const query = new URLSearchParams(location.search);
  const looks = { theme: ["light", "dark"], density: ["compact"], motion: ["reduce"] };
  for (const [key, words] of framed ? Object.entries(looks) : []) {
    if (words.includes(query.get(key))) root.dataset[key] = query.get(key);
  }
  // The looks of the last visit, as web/src/store/persist.rs writes them.
  for (const [key, value] of (framed ? "" : kept("localStorage", "prefs")).split(";").map((pair) => pair.split("="))) {
    if (key === "theme" && value !== "auto") root.dataset.theme = value;
    if (key === "hint") root.dataset.hint = value;
    if (["editor", "inspector"].includes(key) && Number(value)) root.style.setProperty(`--${key}-size`, `${Number(value) / 10}%`);
    if (key === "dock" && Number(value)) root.style.setProperty("--dock-size", `${Number(value)}px`);
  }
  // The picture is that of the first example: a link, an example's address and kept work show something else.
  const elsewhere = location.search || location.hash.length > 1;
  if (framed || elsewhere || ["tab", "journal"].some((key) => kept("sessionStorage", key)) || kept("localStorage", "drafts")) {
    root.dataset.picture = "other";
  }

  /** @type {{ done: object[], focus: object | null }} */
  const early = { done: [], focus: null };
  const isText = (target) => target.closest?.("input, textarea, select");
  /** The way to an element inside of the page: places among children, and its kind. */
  const place = (target) => {
    const way = [];
    for (let at = target; at?.parentElement; at = at.parentElement) {
      if (at.id === "app") return { way, tag: target.tagName };
      way.unshift([...at.parentElement.children].indexOf(at));
    }
    return null;
  };
  const note = (event) => {
    const { type, target } = event;
    if (!event.isTrusted) return;
    if (type === "keydown") {
      const { key, code, ctrlKey, metaKey, shiftKey, altKey } = event;
      const command = ctrlKey || metaKey;
      if (isText(target) && !(command && key === "Enter")) return;
      // The browser's own keys (reload, find, address) stay the browser's.
      if ((command || altKey) && !["Enter", "k", "K", "z", "Z", "y", "Y"].includes(key)) return;
      if (["Tab", "Shift", "Control", "Alt", "Meta"].includes(key)) return;
      const presses = [" ", "Enter"].includes(key) && target.closest?.("button, a, summary, [role=tab]");
      if (presses) return;
      if ([" ", "/"].includes(key) || command) event.preventDefault();
      early.done.push({ type, place: place(target), init: { key, code, ctrlKey, metaKey, shiftKey, altKey } });
      return;
    }
    const where = place(target);
    if (!where) return;
    if (type === "focusin") early.focus = where;
    if (type === "input") early.done.push({ type, place: where, value: target.value });
    if (type === "click" && !isText(target)) {
      if (target.closest("a")) event.preventDefault();
      early.done.push({ type, place: where });
    }
  };
  const types = ["keydown", "click", "input", "focusin"];
  for (const type of types) addEventListener(type, note, true);
  /** Gives what was noted, and notes no more. */
  window.planariumEarly = () => {
    for (const type of types) removeEventListener(type, note, true);
    delete window.planariumEarly;
    return early;
  };
})();
