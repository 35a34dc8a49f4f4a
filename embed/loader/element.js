// Plays recorded rollouts in the pictures that `planarium render --html` writes. One classic script: it works from a disk, offline,
// and under a policy of `script-src 'self'`. Nothing is requested until a reader wants to command, break or edit something: then the
// page that `engine` names takes over in a frame, at that instant. This is the element as documents see it; the other files here take it
// as their first argument. `embed/build.mjs` makes one script of them, with a constant `css` that has the styles.
import { check } from "./attributes.js";
import { controls, figure, isCalm, label, say } from "./bar.js";
import { call } from "./calls.js";
import { address, ask, forget, leave, takeOver, unseen } from "./engine.js";
import { follow, live, style, watch } from "./look.js";
import { draw, instant, open, rowsOf, show } from "./recording.js";
import { figureOf, NAME, tell } from "./text.js";

// Methods that only an engine can answer. Each is a promise of {ok: true, value} or {ok: false, code, reason}.
const ENGINE_CALLS = ["command", "inject", "why", "snapshot", "share", "fork", "export", "runUntil", "undo"];

const isVisible = (it) => it.getAttribute("loading") === "visible";

// Autoplay begins when an element is seen. With loading="visible" the engine is there while it is seen, and rests out of sight.
const eyes = new IntersectionObserver((changes) => {
  for (const { intersectionRatio: seen, target } of changes) {
    if (isVisible(target)) {
      if (!seen) unseen(target);
      else if (seen >= 0.5) target.takeOver();
    } else if (seen >= 0.5) {
      eyes.unobserve(target);
      target.play();
    }
  }
}, { threshold: [0.5, 0] });

const begin = (it) => {
  style(it.getRootNode());
  follow(it);
  check(it);
  it._teaches = it.lesson !== null;
  // A lesson has a picture of its start, and an element without a picture has none: there is nothing that plays.
  it._bare = it._teaches || (address(it) && !figureOf(it));
  if (it._bare) {
    if (!figureOf(it)) figure(it);
    it._marks = [];
    rowsOf(it);
  } else if (!open(it)) return;
  it._begun = true;
  it.speed = it.getAttribute("speed");
  controls(it);
  if (it._run) {
    const poster = it.getAttribute("poster");
    show(it, (poster && instant(it, poster)) ?? (Number(it.dataset.at) || 0), true);
    it._rows.forEach((_, at) => draw(it, at));
  }
  tell(it, "ready", {});
  it._done();
  if (it.getAttribute("loading") === "eager") it.takeOver();
  if (isVisible(it) || (it._run && it.hasAttribute("autoplay") && !isCalm(it))) eyes.observe(it);
};

const PlanariumEmbed = class extends HTMLElement {
  ready = new Promise((done) => (this._done = done));
  _now = 0;
  _speed = 1;

  connectedCallback() {
    live.add(this);
    watch();
    if (this._begun) {
      style(this.getRootNode());
      follow(this);
      return;
    }
    // Children may not be there yet: a framework adds them after the attributes, and the parser reads them later. Each begins in a task of
    // its own, so that twenty of them do not hold the document up.
    const start = () => setTimeout(() => this.isConnected && !this._begun && begin(this));
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
    else start();
  }

  disconnectedCallback() {
    // A frame that is taken out of the document loses its page.
    leave(this);
    this.pause();
    live.delete(this);
  }

  get time() { return this._now / 1000; }
  set time(seconds) { this.seek(seconds); }
  get duration() { return this._run ? this._run.end / 1000 : 0; }
  get playing() { return Boolean(this._tick); }
  get speed() { return this._speed; }
  set speed(speed) { if (speed > 0) this._speed = Math.min(64, Math.max(0.25, speed)); }
  get lesson() { return this.getAttribute("lesson"); }
  set lesson(lesson) {
    leave(this);
    this.setAttribute("lesson", lesson);
  }
  // Text of the definition. Setting it lets the engine take over and open it.
  get value() { return this._value ?? this.querySelector(".pl-source code")?.textContent ?? ""; }
  set value(text) {
    this._value = text;
    ask(this, "value", text);
  }
  get markers() { return (this._marks ?? []).map(([at, text]) => ({ at: at / 1000, text })); }

  play() {
    if (this._port) return call(this, "play");
    if (!this._run || this.playing) return;
    if (this._now >= this._to) show(this, this._from);
    if (isCalm(this)) return this.step("status", 1);
    let last;
    const frame = (at) => {
      const ms = this._now + (last === undefined ? 0 : (at - last) * this._speed);
      last = at;
      const stop = this.hasAttribute("pause-on-markers") && this._marks.find(([mark]) => mark > this._now && mark <= ms);
      this._tick = requestAnimationFrame(frame);
      show(this, Math.min(stop ? stop[0] : ms, this._to));
      if (stop) this.pause();
      else if (this._now >= this._to) {
        if (this.hasAttribute("loop")) show(this, this._from);
        else {
          this.pause();
          tell(this, "complete", { time: this.time });
        }
      }
    };
    this._tick = requestAnimationFrame(frame);
    label(this);
  }

  pause() {
    if (this._port) return call(this, "pause");
    if (!this.playing) return;
    cancelAnimationFrame(this._tick);
    this._tick = 0;
    label(this);
    say(this);
  }

  // A number of seconds, "50%", "end", "marker:TEXT" or {marker: TEXT}.
  seek(to) {
    if (this._port) return call(this, "seek", to);
    const ms = instant(this, to);
    if (ms === undefined) return { ok: false, code: "bad-request", reason: `no such instant: ${JSON.stringify(to)}` };
    show(this, ms);
    say(this);
    return { ok: true };
  }

  // To the next (or, below zero, an earlier) change of a status.
  step(what = "status", n = 1) {
    if (this._port) return call(this, "step", what, n);
    if (!this._run) return;
    for (let left = Math.abs(n); left > 0; left -= 1) {
      const at = n > 0 ? this._stops.find((ms) => ms > this._now) : this._stops.findLast((ms) => ms < this._now);
      if (at === undefined) break;
      show(this, at);
    }
    say(this);
  }

  // Back to the beginning, without what was commanded and broken.
  async reset() {
    if (this._port) return call(this, "reset");
    forget(this);
    return this.seek(0);
  }

  // Lets the engine take over at the instant shown: a promise of {ok}.
  takeOver() { return takeOver(this); }

  finalize() {
    leave(this);
    forget(this);
    this.pause();
    live.delete(this);
    eyes.unobserve(this);
  }
  dispose() { this.finalize(); }
};

for (const name of ENGINE_CALLS) {
  PlanariumEmbed.prototype[name] = function (...args) {
    return ask(this, name, ...args);
  };
}
if (!customElements.get(NAME)) customElements.define(NAME, PlanariumEmbed);
