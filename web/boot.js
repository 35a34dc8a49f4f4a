/**
 * Starts the page: loads the engine, and says plainly when that does not work.
 *
 * It is a file of its own so that the page needs no inline script. `document.documentElement.dataset.boot` says how far
 * it is: `starting`, `started` or `failed`.
 */

const root = document.documentElement;
const meta = (name) => document.querySelector(`meta[name="planarium-${name}"]`);
const absolute = (path) => new URL(path, document.baseURI).href;

/** What a reader can do about it, in one sentence. */
function explanation(error) {
  if (typeof WebAssembly !== "object") {
    return "This browser has no WebAssembly, which the engine needs.";
  }
  if (error instanceof WebAssembly.CompileError) {
    return "The engine was refused: this page's security policy, or the browser, does not allow WebAssembly.";
  }
  return "The engine could not be loaded. Check the connection and reload the page.";
}

const status = document.getElementById("boot");
root.dataset.boot = "starting";
try {
  const engine = meta("engine");
  const { default: init } = await import(absolute(engine.dataset.glue));
  await init({ module_or_path: absolute(engine.content) });
  root.dataset.boot = "started";
  status?.remove();
} catch (error) {
  root.dataset.boot = "failed";
  if (status) {
    status.setAttribute("role", "alert");
    status.textContent = `${explanation(error)} (${error?.message ?? error})`;
  }
  console.error(error);
}
