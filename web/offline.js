// Keeps the page for visits without a network, and offers a new version without forcing it on a running session.

/** Waits until the browser has nothing better to do. */
export const idle = () =>
  new Promise((done) => (window.requestIdleCallback ? requestIdleCallback(done, { timeout: 10_000 }) : setTimeout(done, 2_000)));

/** Offers to load the new version. The visitor may go on; the next visit has it anyway. */
function offer() {
  if (document.getElementById("new-version")) return;
  const note = document.createElement("aside");
  note.id = "new-version";
  note.setAttribute("aria-label", "New version");
  note.setAttribute("role", "status");
  const text = document.createElement("p");
  text.textContent = "A new version of this page is there.";
  const button = (label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button";
    made.textContent = label;
    made.addEventListener("click", act);
    return made;
  };
  note.append(
    text,
    button("Load it", () => location.reload()),
    button("Later", () => note.remove()),
  );
  document.body.append(note);
}

/**
 * Registers the service worker, once the page runs. It has the page and its engine from what was loaded anyway; the rest comes when
 * the browser is idle.
 *
 * @param {string | undefined} script nothing in a page that is built again and again
 */
export async function keepOffline(script) {
  if (!script || !("serviceWorker" in navigator)) return;
  try {
    await idle();
    const registration = await navigator.serviceWorker.register(new URL(script, document.baseURI));
    const isUpdate = () => registration.waiting && registration.active;
    if (isUpdate()) offer();
    registration.addEventListener("updatefound", () => {
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => {
        if (coming.state === "installed" && isUpdate()) offer();
      });
    });
    const { active } = await navigator.serviceWorker.ready;
    await idle();
    active?.postMessage("rest");
  } catch (error) {
    // A browser that refuses (private windows) still has the page as long as there is a network.
    console.info(`not kept for offline use: ${error?.message ?? error}`);
  }
}
