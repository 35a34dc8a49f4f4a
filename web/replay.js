// Plays to the page what was done to its picture: the page has the same elements in the same places.

/** The element at a place that `early.js` noted. Nothing if there is none of that kind. */
function at(place, app) {
  const found = place?.way.reduce((element, index) => element?.children[index], app);
  return found?.tagName === place?.tag ? found : undefined;
}

/**
 * @param {{ done: object[], focus: object | null }} early
 * @param {HTMLElement} app
 */
export function replay(early, app) {
  if (!document.activeElement || document.activeElement === document.body) {
    at(early.focus, app)?.focus({ preventScroll: true });
  }
  for (const { type, place, init, value } of early.done) {
    const target = at(place, app);
    if (type === "keydown") {
      (target ?? document.body).dispatchEvent(new KeyboardEvent(type, { ...init, bubbles: true, cancelable: true }));
    } else if (type === "click") {
      target?.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window }));
    } else if (target && value !== undefined) {
      target.value = value;
      target.dispatchEvent(new Event("input", { bubbles: true }));
      target.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}
