// The engine's page in the frame: the handshake, what it tells, and its height.
import { LEFT } from "./calls.js";
import { refusal } from "./policy.js";
import { tell, warn } from "./text.js";

/** A lesson needs room for its task beside or above the plans. */
export const least = (it, px) => (it._teaches ? (it.clientWidth < 768 ? 760 : 620) : px);

/** The height that the document gives, or that the page in the frame would like to have. */
export const size = (it, px) => {
  const given = it.getAttribute("height") ?? "auto";
  const { style } = it._box;
  style.height = `${px}px`;
  if (given !== "auto") style.height = given;
};

/** The handshake with the frame; resolves when it shows the run. */
export const greet = (it, frame, origin) => new Promise((done, fail) => {
  const id = String(Math.random());
  const end = (settle, value) => {
    clearInterval(again);
    settle(value);
  };
  const stop = (reason) => end(fail, new Error(reason));
  const hello = () => it._port || frame.contentWindow?.postMessage({ planarium: 1, type: "hello", id }, origin);
  let tries = 0;
  const again = setInterval(() => {
    // After the first answer the page waits longer: the engine is still loading.
    const most = it._port ? 120 : 20;
    const refused = refusal("frame-src", origin);
    if (refused) return end(fail, refused);
    if ((tries += 1) > most) return stop(`it did not answer within ${most / 2} seconds; its server may forbid frames`);
    hello();
  }, 500);
  const hear = ({ source, origin: from, data, ports }) => {
    if (source !== frame.contentWindow || from !== origin) return;
    const type = data?.type;
    if (type === "resize" && data.height > 0) {
      it._wanted = Math.min(Math.max(data.height, least(it, 240)), 1200);
      if (it.dataset.engine) size(it, it._wanted);
    }
    if (type === "refused") stop(data.reason);
    if (type === "unsupported") stop("it speaks another version");
    if (type !== "welcome" || data.id !== id || !ports[0]) return;
    it._port = ports[0];
    it._port.onmessage = ({ data: { event, detail, id: number, ...value } }) => {
      if (event === "ready") end(done, detail);
      else if (event === "error") {
        // The page in the frame says so as well.
        warn(detail.reason);
        tell(it, "error", detail);
        end(done, {});
      } else if (event) heard(it, event, detail);
      else {
        it._waiting.get(number)?.(value);
        it._waiting.delete(number);
      }
    };
  };
  addEventListener("message", hear);
  it._deaf = () => {
    removeEventListener("message", hear);
    stop(LEFT);
  };
  frame.onload = hello;
});

const heard = (it, event, detail) => {
  if (event === "timeupdate") it._now = detail.time;
  if (event === "change") it._value = detail.value;
  const seconds = { ...detail };
  for (const key of ["t", "time"]) if (key in seconds) seconds[key] /= 1000;
  if (event !== "playing") tell(it, event, seconds);
};
