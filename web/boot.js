/**
 * Starts the page: loads it, waits for the engine beside it, plays to it what was done before it was there, and says plainly when it does not start.
 *
 * It is a file of its own so that the page needs no inline script. `document.documentElement.dataset.boot` says how far
 * it is: `starting`, `started` or `failed`.
 */
import { idle, keepOffline } from "./offline.js";
import { replay } from "./replay.js";

const root = document.documentElement;
const meta = (name) => document.querySelector(`meta[name="planarium-${name}"]`);
const absolute = (path) => new URL(path, document.baseURI).href;

/** Calls when a file has arrived, which is before it is compiled. */
function arrived(url, then) {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName(url).length === 0) return;
    observer.disconnect();
    then();
  });
  observer.observe({ type: "resource", buffered: true });
}

/** What a reader can do about it, in one sentence. */
function explanation(error) {
  if (window.planariumReason) return `The engine was refused: ${window.planariumReason}.`;
  if (typeof WebAssembly !== "object") {
    return "This browser has no WebAssembly, which the engine needs.";
  }
  if (error instanceof WebAssembly.CompileError) {
    return "The engine was refused: this page's security policy, or the browser, does not allow WebAssembly.";
  }
  if (window.planariumEngine?.address !== undefined) return "There is no served world to show.";
  return "The engine could not be loaded. Check the connection and reload the page.";
}

const status = document.getElementById("boot");
const app = document.getElementById("app");
root.dataset.boot = "starting";
// The page says so once the engine has answered and keys count, see web/src/app/keys.rs.
const listening = new Promise((done) => addEventListener("planarium:listening", done, { once: true }));
try {
  if (typeof WebAssembly !== "object") throw new Error("no WebAssembly");
  const engine = meta("engine");
  const { default: init } = await import(absolute(engine.dataset.glue));
  const ahead = () => window.planariumEngine.ahead?.();
  arrived(absolute(engine.content), ahead);
  await init({ module_or_path: (await window.planariumPage?.module) ?? absolute(engine.content) });
  ahead();
  await Promise.race([listening, window.planariumEngine.failed]);
  const early = window.planariumEarly?.();
  delete root.dataset.picture;
  app?.removeAttribute("aria-busy");
  status?.remove();
  root.dataset.boot = "started";
  if (early && app) replay(early, app);
  // The page fetches the rest of its code before it is needed; a frame, when it is.
  if (!root.hasAttribute("data-frame")) idle().then(() => dispatchEvent(new Event("planarium:idle")));
  // A frame belongs to the document around it, and a served world is not there without its server.
  if (!root.hasAttribute("data-frame") && !window.planariumEngine.address) keepOffline(meta("offline")?.content);
} catch (error) {
  // A policy's violation is told after what it refused has failed.
  await new Promise((done) => setTimeout(done, 50));
  root.dataset.boot = "failed";
  const reason = explanation(error);
  window.planariumFails?.(reason.replace(/\.$/, ""));
  if (status) {
    status.setAttribute("role", "alert");
    status.textContent = `${reason} (${error?.message ?? error})`;
  }
  console.error(error);
}
