// Plays recorded rollouts in the pictures that `planarium render --html` writes. One classic script: it works from a disk, offline,
// and under a policy of `script-src 'self'`. Nothing is requested until a reader wants to command, break or edit something: then the
// page that `engine` names takes over in a frame, at that instant. `css` is put in front of it, see crates/embed/src/lib.rs.
const NAME = "planarium-embed";
const VERSION = 1;
const ATTRIBUTES = ["autoplay", "loop", "speed", "start-at", "stop-at", "poster", "markers", "pause-on-markers", "controls", "theme", "panes", "engine"];
// Keys of a row that only an engine can answer: the page in the frame has the same ones.
const ENGINE_KEYS = ["Enter", "p", "c", "f", "r", "i", "w"];
const FAMILIES = ["neutral", "active", "complete", "waiting", "error"];
const live = new Set();
// Each engine that runs is a frame with a worker of its own. This many run in a document; the one acted upon longest ago rests.
const MOST_ENGINES = 3;
// Elements whose engine runs, the one last acted upon at the end.
let engines = [];
// Engines begin one after the other.
let queue = Promise.resolve();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const warned = new Set();
let sheet;

const warn = (text) => {
  if (!warned.has(text)) {
    warned.add(text);
    console.warn(`${NAME}: ${text}`);
  }
};

const clock = (ms) => {
  const seconds = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tenths = Math.floor((ms % 1000) / 100);
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}${tenths ? `.${tenths}` : ""}`;
};

const groups = (flat, size) => {
  if (!Array.isArray(flat) || flat.length % size) throw new TypeError();
  return Array.from({ length: flat.length / size }, (_, at) => flat.slice(at * size, at * size + size));
};

// Styles for the document or shadow root that an element stands in, unless it has them already.
const style = (root) => {
  if (getComputedStyle(root.querySelector(NAME) ?? document.body).getPropertyValue("--pl-loaded")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
};

// Whether the text around an element is light, and so its background dark: hosts say it in many ways, all end in a colour.
const isDark = (element) => {
  const around = element.parentElement;
  const [r, g, b] = (around ? getComputedStyle(around).color.match(/[\d.]+/g) : null)?.map(Number) ?? [0, 0, 0];
  return r * 0.3 + g * 0.6 + b * 0.1 > 140;
};
const follow = () => live.forEach((element) => element._theme());
let watching = false;
const watch = () => {
  if (watching) return;
  watching = true;
  const seen = new MutationObserver(follow);
  for (const node of [document.documentElement, document.body]) {
    if (node) seen.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-md-color-scheme", "data-mode"] });
  }
  dark.addEventListener("change", follow);
};

// Autoplay begins when an element is seen.
const eyes = "IntersectionObserver" in window && new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (isIntersecting) {
      eyes.unobserve(target);
      target.play();
    }
  }
}, { threshold: 0.5 });

// A reader who goes into a frame acts upon it; the document hears no more than that it lost the focus.
addEventListener("blur", () => engines.find((one) => one._frame === document.activeElement)?._act());

class PlanariumEmbed extends HTMLElement {
  constructor() {
    super();
    this.ready = new Promise((done) => (this._done = done));
    this._now = 0;
    this._speed = 1;
  }

  connectedCallback() {
    live.add(this);
    watch();
    if (this._run) {
      style(this.getRootNode());
      this._theme();
      return;
    }
    // Frameworks set children after attributes, and a parser has not read them yet.
    const begin = () => this.isConnected && !this._run && this._begin();
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin, { once: true });
    else queueMicrotask(begin);
  }

  disconnectedCallback() {
    // A frame that is taken out of the document loses its page.
    this._leave();
    this.pause();
    live.delete(this);
    if (eyes) eyes.unobserve(this);
  }

  get time() { return this._now / 1000; }
  set time(seconds) { this.seek(seconds); }
  get duration() { return this._run ? this._run.end / 1000 : 0; }
  get playing() { return Boolean(this._tick); }
  get speed() { return this._speed; }
  set speed(speed) { if (speed > 0 && Number.isFinite(+speed)) this._speed = Math.min(64, Math.max(0.25, +speed)); }
  get markers() { return (this._marks ?? []).map(([at, text]) => ({ at: at / 1000, text })); }

  play() {
    if (this._port) return this._call("play");
    if (!this._run || this.playing) return;
    if (this._now >= this._to) this._show(this._from);
    if (calm.matches) return this.step("status", 1);
    let last;
    const frame = (at) => {
      const ms = this._now + (last === undefined ? 0 : (at - last) * this._speed);
      last = at;
      const stop = this.hasAttribute("pause-on-markers") && this._marks.find(([mark]) => mark > this._now && mark <= ms);
      this._tick = requestAnimationFrame(frame);
      this._show(Math.min(stop ? stop[0] : ms, this._to));
      if (stop) this.pause();
      else if (this._now >= this._to) {
        if (this.hasAttribute("loop")) this._show(this._from);
        else {
          this.pause();
          this._tell("complete", { time: this.time });
        }
      }
    };
    this._tick = requestAnimationFrame(frame);
    this._label();
  }

  pause() {
    if (this._port) return this._call("pause");
    if (!this.playing) return;
    cancelAnimationFrame(this._tick);
    this._tick = 0;
    this._label();
    this._say();
  }

  // A number of seconds, "50%", "end", "marker:TEXT" or {marker: TEXT}.
  seek(to) {
    if (this._port) return this._call("seek", to);
    const ms = this._instant(to);
    if (ms === undefined) return { ok: false, code: "bad-request", reason: `no such instant: ${JSON.stringify(to)}` };
    this._show(ms);
    this._say();
    return { ok: true };
  }

  // To the next (or, below zero, an earlier) change of a status.
  step(what = "status", n = 1) {
    if (this._port) return this._call("step", what, n);
    if (!this._run) return;
    for (let left = Math.abs(n); left > 0; left -= 1) {
      const at = n > 0 ? this._stops.find((ms) => ms > this._now) : this._stops.findLast((ms) => ms < this._now);
      if (at === undefined) break;
      this._show(at);
    }
    this._say();
  }

  // What only an engine can do. Each is a promise of {ok: true, value} or {ok: false, code, reason}.
  command(what) { return this._engineCall("command", what); }
  inject(fault) { return this._engineCall("inject", fault); }
  why(path) { return this._engineCall("why", path); }
  snapshot() { return this._engineCall("snapshot"); }
  share() { return this._engineCall("share"); }
  undo() { return this._engineCall("undo"); }

  // Back to the beginning, without what was commanded and broken.
  async reset() {
    if (this._port) return this._call("reset");
    this._forget();
    return this.seek(0);
  }

  // Lets the engine take over at the instant shown: a promise of {ok}.
  takeOver() {
    if (this._taking) return this._taking;
    const turn = (this._turn = {});
    if (this._try) this._try.disabled = true;
    queue = queue.then(() => this._take(turn));
    const taking = queue.then(
      () => ({ ok: true }),
      (error) => {
        const reason = `The engine did not start: ${error.message}. The recording still plays.`;
        // Who has left it need not hear of it.
        if (this._taking === taking) {
          this._leave();
          warn(reason);
          if (this._line) this._line.textContent = reason;
          this._tell("error", { reason });
        }
        return { ok: false, code: "no-engine", reason };
      },
    );
    queue = taking;
    return (this._taking = taking);
  }

  finalize() {
    this._leave();
    this._forget();
    this.pause();
    live.delete(this);
  }
  dispose() { this.finalize(); }

  // Takes the frame away; the recording is shown again.
  _leave() {
    const now = this._port && this._run && Math.min(this._now, this._run.end);
    engines = engines.filter((one) => one !== this);
    this._deaf?.();
    this._port?.close();
    this._frame?.remove();
    this._notice?.remove();
    this._port = this._frame = this._notice = this._taking = this._turn = this._deaf = undefined;
    this.removeAttribute("data-engine");
    if (this._try) this._try.disabled = false;
    this._waiting?.forEach((done) => done({ ok: false, code: "no-engine", reason: "the engine was left" }));
    this._waiting?.clear();
    if (now !== undefined) {
      this._quiet = true;
      this._show(now);
      this._quiet = false;
    }
  }

  _act() {
    engines = [...engines.filter((one) => one !== this), this];
  }

  // Makes way for another engine: the picture comes back, and the run with what was done in it is kept for "Go on here".
  async _rest() {
    const turn = this._turn;
    const late = new Promise((done) => setTimeout(done, 2000));
    const shared = await Promise.race([this._call("share"), late]);
    if (this._turn !== turn) return;
    const run = shared?.ok && shared.value?.url?.split("#")[1]?.split("~")[0];
    const at = this._now;
    this._leave();
    this._kept = run ? { run, at, shown: this._now } : undefined;
    if (this._try) this._try.textContent = "Go on here";
    const what = run ? "what was done here is kept" : "what was done here could not be kept";
    if (this._line) this._line.textContent = `The engine rests at ${clock(at)}, because others are used; ${what}.`;
  }

  _forget() {
    this._kept = undefined;
    if (this._try) this._try.textContent = "Try it";
  }

  async _engineCall(name, ...args) {
    const taken = await this.takeOver();
    return taken.ok ? this._call(name, ...args) : taken;
  }

  _call(call, ...args) {
    if (!this._port) return Promise.resolve({ ok: false, code: "no-engine", reason: "the engine was left" });
    if (call !== "share" && call !== "theme") this._act();
    const id = (this._calls = (this._calls ?? 0) + 1);
    return new Promise((done) => {
      (this._waiting ??= new Map()).set(id, done);
      this._port.postMessage({ id, call, args });
    });
  }

  async _take(turn) {
    const left = () => {
      if (this._turn !== turn) throw new Error("it was left");
    };
    left();
    const text = this.querySelector("script.pl-run")?.textContent;
    const address = this.getAttribute("engine");
    if (!text || !address) throw new Error("this document names none");
    this.pause();
    const hadFocus = this.contains(document.activeElement);
    const url = new URL(address, document.baseURI);
    if (!/^https?:$/.test(url.protocol)) throw new Error("a page from a disk cannot load it");
    while (engines.length >= MOST_ENGINES) {
      await engines.find((one) => one._frame !== document.activeElement)._rest();
      left();
    }
    if (this._line) this._line.textContent = "The engine is being loaded …";
    const panes = this.getAttribute("panes") ?? "tree,timeline,why";
    const set = (name, value) => url.searchParams.set(name, value);
    set("panes", this._edits ? `${panes},editor` : panes);
    set("theme", this.dataset.theme);
    set("parent", location.origin);
    if (this._row !== undefined) set("select", this._path(this._row));
    const kept = this._kept;
    const at = kept?.shown === this._now ? kept.at : this._now;
    url.hash = `${kept?.run ?? JSON.parse(text)}~${Math.round(at)}`;
    const figure = this.querySelector(".pl-figure");
    const frame = (this._frame = document.createElement("iframe"));
    frame.className = "pl-engine";
    frame.title = figure.getAttribute("aria-label");
    frame.allow = "clipboard-write; fullscreen";
    frame.src = url.href;
    const ready = this._greet(frame, url.origin);
    this.append(frame);
    this._act();
    const { differing, version } = await ready;
    const { value } = await this._call("snapshot");
    left();
    if (differing || (!kept && this._run && value?.end && value.end.digest !== this._run.digest)) this._differs(version);
    frame.style.height = `${Math.max(figure.offsetHeight, this._wanted ?? 0, 320)}px`;
    this.setAttribute("data-engine", "on");
    // The focus has nowhere to be now, unless its owner has gone on reading.
    const focused = document.activeElement;
    if (hadFocus && (focused === document.body || this.contains(focused))) {
      frame.focus();
      this._call("focus");
    }
  }

  // Says that the engine does not come to what was recorded.
  _differs(version) {
    const by = this._run?.by;
    const engine = version && version !== by ? `is ${version} and ` : "";
    this._notice = document.createElement("p");
    this._notice.className = "pl-problem";
    this._notice.setAttribute("role", "status");
    this._notice.textContent = `This was recorded with ${by ? `Planarium ${by}` : "an older Planarium"}. The engine here ${engine}comes out differently.`;
    this._frame.before(this._notice);
    warn(this._notice.textContent);
  }

  // The handshake with the frame; resolves when it shows the run.
  _greet(frame, origin) {
    return new Promise((done, fail) => {
      const id = String(Math.random()).slice(2);
      const end = (settle, value) => {
        clearInterval(again);
        document.removeEventListener("securitypolicyviolation", refused);
        settle(value);
      };
      const refused = ({ effectiveDirective, violatedDirective }) => {
        const directive = effectiveDirective || violatedDirective;
        if (/^(frame|child|default)-src/.test(directive)) end(fail, new Error(`this document's policy does not allow its frame (frame-src ${origin})`));
      };
      let tries = 0;
      const again = setInterval(() => {
        // What has answered is being loaded: an engine is larger than its page.
        const most = this._port ? 120 : 20;
        if ((tries += 1) > most) return end(fail, new Error(`it did not answer within ${most / 2} seconds`));
        if (!this._port) frame.contentWindow?.postMessage({ planarium: 1, type: "hello", id }, origin);
      }, 500);
      document.addEventListener("securitypolicyviolation", refused);
      const hear = ({ source, origin: from, data, ports }) => {
        if (source !== frame.contentWindow || from !== origin) return;
        if (data?.type === "resize" && Number.isFinite(data.height)) {
          this._wanted = Math.min(Math.max(data.height, 240), 1200);
          if (this.dataset.engine) frame.style.height = `${this._wanted}px`;
        }
        if (data?.type === "unsupported") end(fail, new Error("it speaks another version of the messages"));
        if (data?.type !== "welcome" || data.id !== id || !ports[0]) return;
        this._port = ports[0];
        this._port.onmessage = ({ data: told }) => {
          if (told.event === "ready") {
            end(done, told.detail);
          } else if (told.event) this._heard(told.event, told.detail);
          else {
            const { id: number, ...value } = told;
            this._waiting.get(number)?.(value);
            this._waiting.delete(number);
          }
        };
      };
      addEventListener("message", hear);
      this._deaf = () => {
        removeEventListener("message", hear);
        end(fail, new Error("it was left"));
      };
      frame.addEventListener("load", () => !this._port && frame.contentWindow?.postMessage({ planarium: 1, type: "hello", id }, origin));
    });
  }

  _heard(event, detail) {
    if (event === "timeupdate") this._now = detail.time;
    const seconds = { ...detail };
    for (const key of ["t", "time"]) if (key in seconds) seconds[key] /= 1000;
    if (event !== "playing") this._tell(event, seconds);
  }

  _instant(to) {
    if (!this._run) return undefined;
    const { end } = this._run;
    const clip = (ms) => Math.min(end, Math.max(0, ms));
    const name = to?.marker ?? (typeof to === "string" && to.startsWith("marker:") ? to.slice(7) : undefined);
    if (name !== undefined) return this._marks.find(([, text]) => text === name)?.[0];
    if (to === "end") return end;
    if (to === "start") return 0;
    const text = String(to).replace(/^at:/, "");
    const number = Number.parseFloat(text);
    if (!Number.isFinite(number)) return undefined;
    return clip(text.endsWith("%") ? (end * number) / 100 : number * 1000);
  }

  _begin() {
    style(this.getRootNode());
    this._theme();
    for (const { name } of this.attributes) {
      if (!ATTRIBUTES.includes(name) && !/^(data-|aria-|on|id$|class$|style$|title$|lang$|dir$|slot$|part$|hidden$|tabindex$|role$)/.test(name)) {
        warn(`unknown attribute "${name}"; known are ${ATTRIBUTES.join(", ")}`);
      }
    }
    let run;
    try {
      // Hosts that run every script of a page anew (Material's instant navigation) keep it in an attribute.
      run = JSON.parse(this.dataset.recording ?? this.querySelector("script.pl-recording").textContent);
      if (!(run.v <= VERSION)) throw new Error(`the recording is of version ${run.v}, this script reads up to ${VERSION}`);
      run.words = groups(run.words, 3);
      run.changes = groups(run.changes, 3);
      run.marks = groups(run.marks ?? [], 2);
      this._check(run);
    } catch (error) {
      const text = `This recording cannot be played: ${error instanceof SyntaxError || error instanceof TypeError ? "it is incomplete or damaged" : error.message}.`;
      warn(text);
      const line = document.createElement("p");
      line.className = "pl-problem";
      line.textContent = text;
      (this.querySelector(".pl-figure") ?? this).append(line);
      this._tell("error", { reason: text });
      return;
    }
    this._run = run;
    this._rows = [...this.querySelectorAll(".pl-tree tbody tr")];
    this._marks = run.marks;
    this._markers(this.getAttribute("markers"));
    // Changes with their instants, each with what it replaces, so that going back costs what going forward costs.
    const stands = [...run.first];
    this._changes = [];
    let at = 0;
    for (const [gap, row, word] of run.changes) {
      at += gap;
      this._changes.push([at, row, word, stands[row]]);
      stands[row] = word;
    }
    this._stops = [...new Set([0, ...this._changes.map(([ms]) => ms), ...this._marks.map(([ms]) => ms), run.end])].sort((a, b) => a - b);
    this._stands = [...run.first];
    this._since = run.first.map(() => 0);
    this._applied = 0;
    this._from = this._read("start-at", 0);
    this._to = this._read("stop-at", run.end);
    if (this.hasAttribute("speed")) this.speed = this.getAttribute("speed");
    this._controls();
    const poster = this.getAttribute("poster");
    this._quiet = true;
    this._show((poster && this._instant(poster)) ?? (Number(this.dataset.at) || 0));
    this._quiet = false;
    this._rows.forEach((row, at) => this._draw(row, at));
    this._tell("ready", {});
    this._done();
    if (this.hasAttribute("autoplay") && !calm.matches && eyes) eyes.observe(this);
  }

  _check(run) {
    const rows = this.querySelectorAll(".pl-tree tbody tr").length;
    const fits = run.first.length === rows && run.end >= 0;
    const words = [...run.first, ...run.changes.map(([, , word]) => word)];
    const known = words.every((word) => word >= -1 && word < run.words.length);
    const named = run.changes.every(([gap, row]) => gap >= 0 && row >= 0 && row < rows);
    if (!fits || !known || !named) throw new TypeError();
  }

  _read(name, usual) {
    if (!this.hasAttribute(name)) return usual;
    const ms = this._instant(this.getAttribute(name));
    if (ms === undefined) warn(`${name}="${this.getAttribute(name)}" is no instant of this run; write seconds, "end" or "marker:TEXT"`);
    return ms ?? usual;
  }

  // "12=Pause here;40=Agent lost", or JSON pairs of seconds and text.
  _markers(given) {
    if (!given) return;
    try {
      const pairs = given.trim().startsWith("[")
        ? JSON.parse(given)
        : given.split(";").map((part) => part.split(/=(.*)/s).slice(0, 2));
      const marks = pairs.map(([at, text]) => [Number(at) * 1000, String(text)]);
      if (marks.some(([at]) => !(at >= 0))) throw new TypeError();
      this._marks = marks.sort(([a], [b]) => a - b);
    } catch {
      warn(`markers="${given}" cannot be read; write "12=Pause here;40=Agent lost"`);
    }
  }

  _controls() {
    this._button = this.querySelector(".pl-play");
    this._clock = this.querySelector(".pl-clock");
    this._line = this.querySelector(".pl-mark");
    const bar = this.querySelector(".pl-bar");
    if (bar && this._button) {
      const scrub = document.createElement("span");
      scrub.className = "pl-scrub";
      this._range = document.createElement("input");
      Object.assign(this._range, { type: "range", min: 0, max: this._run.end, step: "any" });
      this._range.setAttribute("aria-label", "Time");
      scrub.append(this._range);
      for (const [at, text] of this._marks) {
        const tick = document.createElement("span");
        tick.className = "pl-tick";
        tick.title = text;
        tick.style.setProperty("--x", this._run.end ? at / this._run.end : 0);
        scrub.append(tick);
      }
      this._button.after(scrub);
      this._button.disabled = false;
      this._button.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
      this._range.addEventListener("input", () => {
        this.pause();
        this._show(Number(this._range.value));
      });
      this._range.addEventListener("change", () => this._say());
    }
    if (bar && this.hasAttribute("engine") && this.querySelector("script.pl-run")) {
      this._try = document.createElement("button");
      Object.assign(this._try, { type: "button", className: "pl-try", textContent: "Try it" });
      this._try.title = "Command it, break it, edit it: the engine takes over at this instant";
      this._try.addEventListener("click", () => this.takeOver());
      bar.append(this._try);
      this.querySelectorAll(".pl-source pre").forEach((source) => {
        const edit = document.createElement("button");
        Object.assign(edit, { type: "button", className: "pl-try", textContent: "Edit" });
        edit.addEventListener("click", () => {
          this._edits = true;
          this.takeOver();
        });
        source.before(edit);
      });
    }
    this._line?.setAttribute("role", "status");
    this._label();
    this._rows.forEach((row, at) => {
      row.tabIndex = at ? -1 : 0;
      const depth = Number(row.dataset.depth);
      if (Number(this._rows[at + 1]?.dataset.depth) > depth) row.setAttribute("aria-expanded", "true");
      row.addEventListener("focus", () => {
        this._rows[this._row ?? 0].tabIndex = -1;
        row.tabIndex = 0;
        this._row = at;
      });
    });
    this.addEventListener("keydown", (event) => {
      // A key that is handled here is not the host's as well: mdBook turns pages by arrows.
      if (!event.altKey && !event.ctrlKey && !event.metaKey && this._key(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
  }

  _key({ key, target }) {
    const row = target.closest?.(".pl-tree tbody tr");
    if (target.closest?.(".pl-source, .pl-link")) return false;
    if ((target === this._button || target === this._try) && (key === " " || key === "Enter")) return false;
    if (key === " " || key === "k") this.playing ? this.pause() : this.play();
    else if (row) return this._rowKey(row, key);
    else if (key === "ArrowRight" || key === "ArrowUp") this.step("status", 1);
    else if (key === "ArrowLeft" || key === "ArrowDown") this.step("status", -1);
    else if (key === "Home") this.seek(0);
    else if (key === "End") this.seek("end");
    else return false;
    return true;
  }

  _rowKey(row, key) {
    const shown = this._rows.filter((one) => !one.hidden && !one.classList.contains("pl-folded"));
    const at = shown.indexOf(row);
    const go = (to) => {
      to?.focus();
    };
    const open = row.getAttribute("aria-expanded");
    if (key === "ArrowDown") go(shown[at + 1]);
    else if (key === "ArrowUp") go(shown[at - 1]);
    else if (key === "Home") go(shown[0]);
    else if (key === "End") go(shown.at(-1));
    else if (key === "ArrowRight" && open === "true") go(shown[at + 1]);
    else if (key === "ArrowRight" || key === "ArrowLeft") {
      if (open === (key === "ArrowRight" ? "false" : "true")) this._fold(row, key === "ArrowLeft");
      else if (key === "ArrowLeft") go(shown.slice(0, at).findLast((one) => Number(one.dataset.depth) < Number(row.dataset.depth)));
    } else if (this._try && ENGINE_KEYS.includes(key)) this._hand(key);
    else return false;
    return true;
  }

  // Lets the engine take over, and gives it the key.
  async _hand(key) {
    const taken = await this.takeOver();
    if (taken.ok && key !== "Enter") this._call("press", key);
  }

  _fold(row, folded) {
    row.setAttribute("aria-expanded", String(!folded));
    let inside;
    for (const one of this._rows.slice(this._rows.indexOf(row) + 1)) {
      const depth = Number(one.dataset.depth);
      if (depth <= Number(row.dataset.depth)) break;
      // What was folded below stays folded.
      if (inside !== undefined && depth <= inside) inside = undefined;
      one.classList.toggle("pl-folded", folded || inside !== undefined);
      if (inside === undefined && one.getAttribute("aria-expanded") === "false") inside = depth;
    }
  }

  _show(ms) {
    const before = this._now;
    const back = ms < before;
    this._now = ms;
    const touched = new Set();
    while (this._changes[this._applied]?.[0] <= ms) {
      const [at, row, word, from] = this._changes[this._applied++];
      this._stands[row] = word;
      this._since[row] = at;
      touched.add(row);
      this._changed(row, from, word, at);
    }
    while (this._applied > 0 && this._changes[this._applied - 1][0] > ms) {
      const [, row, word, from] = this._changes[--this._applied];
      this._stands[row] = from;
      this._since[row] = this._changes.slice(0, this._applied).findLast((change) => change[1] === row)?.[0] ?? 0;
      touched.add(row);
      this._changed(row, word, from, ms);
    }
    for (const row of touched) this._draw(this._rows[row], row);
    if (this._range) {
      this._range.value = ms;
      this._range.setAttribute("aria-valuetext", `${clock(ms)} of ${clock(this._run.end)}`);
    }
    if (this._clock) this._clock.textContent = clock(this.playing ? ms - (ms % 1000) : ms);
    const mark = this._marks.findLast(([at]) => at <= ms);
    if (this._line && this._line.textContent !== (mark?.[1] ?? "")) this._line.textContent = mark?.[1] ?? "";
    if (!this._quiet) {
      if (mark && !back && mark[0] > before) this._tell("marker", { at: mark[0] / 1000, text: mark[1] });
      const wall = performance.now();
      if (!this.playing || !(wall - this._told < 250)) {
        this._told = wall;
        this._tell("timeupdate", { time: this.time });
      }
    }
  }

  _draw(row, at) {
    const [word, family, glyph] = this._run.words[this._stands[at]] ?? [];
    row.hidden = word === undefined;
    row.dataset.family = FAMILIES[family] ?? "neutral";
    const [, status, since] = row.cells;
    status.textContent = "";
    since.textContent = word ? clock(this._since[at]) : "";
    if (word) {
      const part = (name, text) => {
        const span = document.createElement("span");
        span.className = name;
        span.textContent = text;
        return span;
      };
      const mark = part("pl-glyph", glyph);
      mark.ariaHidden = "true";
      status.append(mark, " ", part("pl-word", word));
    }
  }

  _changed(row, from, to, at) {
    if (this._quiet) return;
    const word = (number) => this._run.words[number]?.[0] ?? null;
    this._tell("statuschange", { path: this._path(row), from: word(from), to: word(to), t: at / 1000 });
  }

  _path(row) {
    const names = [];
    let depth = Infinity;
    for (let at = row; at >= 0 && depth > 0; at -= 1) {
      const own = Number(this._rows[at].dataset.depth);
      if (own < depth) {
        names.unshift(this._name(at));
        depth = own;
      }
    }
    return names.join("/");
  }

  _name(row) {
    return this._rows[row].cells[0].lastChild.textContent;
  }

  _label() {
    const { playing } = this;
    if (this._button) this._button.textContent = playing ? "Pause" : calm.matches ? "Step" : "Play";
    // Nobody can listen to a run that plays; what stands when it stops is told.
    this._line?.setAttribute("aria-live", playing ? "off" : "polite");
  }

  _say() {
    if (!this._line || !this._run) return;
    const open = this._rows.map((_, at) => [this._run.words[this._stands[at]], at]).filter(([word]) => word?.[0]);
    const [top] = open;
    const mark = this._marks.findLast(([at]) => at <= this._now)?.[1];
    this._line.textContent = [`${clock(this._now)}: ${top ? `${this._name(top[1])} ${top[0][0]}` : ""}`, mark].filter(Boolean).join(". ");
  }

  _theme() {
    const asked = this.getAttribute("theme");
    const before = this.dataset.theme;
    this.dataset.theme = asked === "light" || asked === "dark" ? asked : isDark(this) ? "dark" : "light";
    if (this._port && before !== this.dataset.theme) this._call("theme", this.dataset.theme);
  }

  _tell(name, detail) {
    this.dispatchEvent(new CustomEvent(`planarium:${name}`, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get(NAME)) customElements.define(NAME, PlanariumEmbed);
