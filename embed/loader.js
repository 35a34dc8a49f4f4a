// Plays recorded rollouts in the pictures that `planarium render --html` writes. One classic script: it works from a disk, offline,
// and under a policy of `script-src 'self'`. Nothing is requested until a reader wants to command, break or edit something: then the
// page that `engine` names takes over in a frame, at that instant. `embed/build.mjs` puts a constant `css` with the styles before this script.
// Length: one script that hosts copy.
const NAME = "planarium-embed";
const VERSION = 1;
// The page in the frame reads the last nine, and says what it does not know.
const ATTRIBUTES = ["autoplay", "loop", "speed", "start-at", "stop-at", "poster", "markers", "pause-on-markers", "controls", "theme", "loading", "height", "panes", "engine", "wasm-src", "lesson", "src", "scenario", "example", "state", "dialect", "seed", "nodes", "cluster", "commands", "editable", "density", "motion", "link"];
// Keys of the bar, and by how many changes of a status they go on.
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
// Methods that only an engine can answer. Each is a promise of {ok: true, value} or {ok: false, code, reason}.
const ENGINE_CALLS = ["command", "inject", "why", "snapshot", "share", "fork", "export", "runUntil", "undo"];
// Keys of a row that only an engine can answer: the page in the frame has the same ones.
const ENGINE_KEYS = /^(Enter|[pcfriw])$/;
const FAMILIES = ["neutral", "active", "complete", "waiting", "error"];
const live = new Set();
// Each engine that runs is a frame; frames of one document share a worker. At most this many run in a document; to start another, the one that was used longest ago and has no focus is stopped.
const MOST_ENGINES = 20;
const LEFT = "the engine was left";
const START = "Start the lesson";
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
  if (flat.length % size) throw new TypeError();
  return Array.from({ length: flat.length / size }, (_, at) => flat.slice(at * size, at * size + size));
};

const make = (tag, className, textContent = "") => Object.assign(document.createElement(tag), { className, textContent });

const depthOf = (row) => Number(row?.dataset.depth);

// Styles for the document or shadow root that an element stands in, unless it has them already.
const style = (root) => {
  if (getComputedStyle(root.querySelector(NAME) ?? document.body).getPropertyValue("--pl-loaded")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css.replaceAll("~", NAME));
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
};

// Whether the text around an element is light, and so its background dark: hosts say it in many ways, all end in a colour.
const isDark = (element) => {
  const [r, g, b] = getComputedStyle(element.parentElement ?? document.body).color.match(/[\d.]+/g);
  return r * 0.3 + g * 0.6 + b * 0.1 > 140;
};
const follow = () => live.forEach((element) => element._theme());
let watching = false;
const watch = () => {
  if (watching) return;
  watching = true;
  const seen = new MutationObserver(follow);
  for (const node of [document.documentElement, document.body]) {
    if (node) seen.observe(node, { attributes: true });
  }
  dark.addEventListener("change", follow);
};

// Autoplay begins when an element is seen, and so does the engine with loading="visible".
const eyes = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (isIntersecting) {
      eyes.unobserve(target);
      if (target._attribute("loading") === "visible") target.takeOver();
      else target.play();
    }
  }
}, { threshold: 0.5 });

// Directives and addresses that this document's policy refused.
const refusals = [];
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => refusals.push(`${effectiveDirective} ${blockedURI}`));
// The refusal of what an origin was asked for, as an error.
const refusal = (kind, origin) => {
  const asked = `${kind} ${origin}`;
  return refusals.some((one) => one.startsWith(asked)) && new Error(`this document's policy does not allow it (${asked})`);
};

// A reader who goes into a frame acts upon it; the document hears no more than that it lost the focus.
addEventListener("blur", () => engines.find((one) => one._frame === document.activeElement)?._act());

const PlanariumEmbed = class extends HTMLElement {
  ready = new Promise((done) => (this._done = done));
  _now = 0;
  _speed = 1;

  connectedCallback() {
    live.add(this);
    watch();
    if (this._begun) {
      style(this.getRootNode());
      this._theme();
      return;
    }
    // Children may not be there yet: a framework adds them after the attributes, and the parser reads them later. Each begins in a task of
    // its own, so that twenty of them do not hold the document up.
    const begin = () => setTimeout(() => this.isConnected && !this._begun && this._begin());
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin, { once: true });
    else begin();
  }

  disconnectedCallback() {
    // A frame that is taken out of the document loses its page.
    this._leave();
    this.pause();
    live.delete(this);
    eyes.unobserve(this);
  }

  _attribute(name) { return this.getAttribute(name); }
  // Address of the engine's page, which may lie in a folder of its own.
  get _address() { return this._attribute("engine") ?? this._attribute("wasm-src")?.replace(/\/*$/, "/embed.html"); }
  get _calm() { return calm.matches || this._attribute("motion") === "reduce"; }
  get time() { return this._now / 1000; }
  set time(seconds) { this.seek(seconds); }
  get duration() { return this._run ? this._run.end / 1000 : 0; }
  get playing() { return Boolean(this._tick); }
  get speed() { return this._speed; }
  set speed(speed) { if (speed > 0) this._speed = Math.min(64, Math.max(0.25, speed)); }
  get lesson() { return this._attribute("lesson"); }
  set lesson(lesson) {
    this._leave();
    this.setAttribute("lesson", lesson);
  }
  // Text of the definition. Setting it lets the engine take over and open it.
  get value() { return this._value ?? this.querySelector(".pl-source code")?.textContent ?? ""; }
  set value(text) {
    this._value = text;
    this._engineCall("value", text);
  }
  get markers() { return (this._marks ?? []).map(([at, text]) => ({ at: at / 1000, text })); }

  play() {
    if (this._port) return this._call("play");
    if (!this._run || this.playing) return;
    if (this._now >= this._to) this._show(this._from);
    if (this._calm) return this.step("status", 1);
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
        const reason = `The engine did not start: ${error.message}.${this._run ? " The recording still plays." : ""}`;
        // The error is reported only if the reader has not left meanwhile.
        if (this._taking === taking) {
          this._leave();
          warn(reason);
          this._write(reason);
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
    this._waiting?.forEach((done) => done({ ok: false, code: "no-engine", reason: LEFT }));
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
    this._write(`The engine rests at ${clock(at)}, because others are used; what was done here ${run ? "is" : "could not be"} kept.`);
  }

  _forget() {
    this._kept = this._value = undefined;
    if (this._try) this._try.textContent = this._teaches ? START : "Try it";
  }

  async _engineCall(name, ...args) {
    const taken = await this.takeOver();
    return taken.ok ? this._call(name, ...args) : taken;
  }

  _call(call, ...args) {
    if (!this._port) return Promise.resolve({ ok: false, code: "no-engine", reason: LEFT });
    if (call !== "share" && call !== "theme") this._act();
    const id = (this._calls = (this._calls ?? 0) + 1);
    return new Promise((done) => {
      (this._waiting ??= new Map()).set(id, done);
      this._port.postMessage({ id, call, args });
    });
  }

  async _take(turn) {
    const left = () => {
      if (this._turn !== turn) throw new Error(LEFT);
    };
    left();
    const { lesson, _kept: kept } = this;
    const [state, source, scenario, example] = ["state", "src", "scenario", "example"].map((name) => this._attribute(name));
    const address = this._address;
    // Of several, the first counts: what was done here, the lesson, a link's state, a file, the run of the picture, an example.
    const own = this.querySelector("script.pl-run")?.textContent;
    const files = kept || lesson || state ? [] : [scenario, source].filter(Boolean);
    const ofSource = files.length > 0;
    const given = lesson ? (lesson.startsWith("l1:") ? lesson : "") : (state?.split("#").pop() ?? (own && !ofSource ? JSON.parse(own) : ""));
    const run = kept?.run ?? given;
    if (!address || !(run || lesson || ofSource || example || this._value)) throw new Error("this document names none");
    this.pause();
    const hadFocus = this.contains(document.activeElement);
    const url = new URL(address, document.baseURI);
    if (!/^https?:$/.test(url.protocol)) throw new Error("a page from a disk cannot load it");
    const texts = await Promise.all(files.map((file) => this._fetch(new URL(file, document.baseURI))));
    left();
    while (engines.length >= MOST_ENGINES) {
      await engines.find((one) => one._frame !== document.activeElement)._rest();
      left();
    }
    this._write("The engine is being loaded …");
    // The task needs the room beside the plans.
    const panes = this._attribute("panes") ?? (lesson ? "tree,timeline" : "tree,timeline,why");
    const set = (name, value) => url.searchParams.set(name, value);
    set("panes", this._edits ? `${panes},editor` : panes);
    set("theme", this.dataset.theme);
    set("parent", location.origin);
    for (const name of ATTRIBUTES.slice(-9)) if (this.hasAttribute(name)) set(name, this._attribute(name));
    if (this._row !== undefined) set("select", this._path(this._row));
    const at = kept?.shown === this._now ? kept.at : this._now;
    // A lesson that nobody has begun is at its beginning, and a link's state at its own instant.
    const moves = lesson ? run.includes("run=") : run && (kept || !state);
    url.hash = moves ? `${run}~${Math.round(at)}` : run;
    const { lang } = this.closest("[lang]") ?? this;
    if (lesson && lang) set("lang", lang);
    if (lesson && !run) set("lesson", lesson);
    if (example && !lesson && !run && !ofSource) set("example", example);
    const figure = this.querySelector(".pl-figure");
    const frame = (this._frame = make("iframe", "pl-engine"));
    frame.title = figure.ariaLabel;
    frame.allow = "clipboard-write; fullscreen";
    frame.src = url.href;
    const ready = this._greet(frame, url.origin);
    this.append(frame);
    this._act();
    const { differing, version } = await ready;
    if (ofSource) await this._call("open", texts);
    const { value } = await this._call("snapshot");
    left();
    if (differing || (run === given && own && !ofSource && !state && value?.end && value.end.digest !== this._run.digest)) this._differs(version);
    this._size(frame, Math.max(figure.offsetHeight, this._wanted ?? 0, this._least(320)));
    this.setAttribute("data-engine", "on");
    // Moves the focus into the frame, unless the reader has moved it elsewhere.
    const focused = document.activeElement;
    if (hadFocus && (focused === document.body || this.contains(focused))) {
      frame.focus();
      this._call("focus");
    }
  }

  // Name and text of a file that `src` or `scenario` names.
  async _fetch(url) {
    const answer = await fetch(url).catch((error) => error);
    if (answer.ok) return [url.pathname.split("/").pop(), await answer.text()];
    // A refusal is told after the fetch has failed.
    await new Promise((done) => setTimeout(done, 50));
    throw refusal("connect-src", url.origin) || new Error(`${url} cannot be read (${answer.status ?? answer.message})`);
  }

  // The height that the document gives, or that the page in the frame would like to have.
  _size(frame, px) {
    const height = this._attribute("height") ?? "auto";
    frame.style.height = `${px}px`;
    if (height !== "auto") frame.style.height = height;
  }

  // A lesson needs room for its task beside or above the plans.
  _least(px) { return this._teaches ? (this.clientWidth < 768 ? 760 : 620) : px; }

  // Says that the engine does not come to what was recorded.
  _differs(version) {
    const by = this._run?.by;
    const engine = version && version !== by ? `is ${version} and ` : "";
    const text = `This was recorded with ${by ? `Planarium ${by}` : "an older version"}. The engine here ${engine}comes out differently.`;
    this._notice = make("p", "pl-problem", text);
    this._notice.role = "status";
    this._frame.before(this._notice);
    warn(text);
  }

  // The handshake with the frame; resolves when it shows the run.
  _greet(frame, origin) {
    return new Promise((done, fail) => {
      const id = String(Math.random()).slice(2);
      const end = (settle, value) => {
        clearInterval(again);
        settle(value);
      };
      const hello = () => this._port || frame.contentWindow?.postMessage({ planarium: 1, type: "hello", id }, origin);
      let tries = 0;
      const again = setInterval(() => {
        // After the first answer the page waits longer: the engine is still loading.
        const most = this._port ? 120 : 20;
        const refused = refusal("frame-src", origin);
        if (refused) return end(fail, refused);
        if ((tries += 1) > most) return end(fail, new Error(`it did not answer within ${most / 2} seconds; its server may forbid frames`));
        hello();
      }, 500);
      const hear = ({ source, origin: from, data, ports }) => {
        if (source !== frame.contentWindow || from !== origin) return;
        const type = data?.type;
        if (type === "resize" && data.height > 0) {
          this._wanted = Math.min(Math.max(data.height, this._least(240)), 1200);
          if (this.dataset.engine) this._size(frame, this._wanted);
        }
        if (type === "refused") end(fail, new Error(data.reason));
        if (type === "unsupported") end(fail, new Error("it speaks another version"));
        if (type !== "welcome" || data.id !== id || !ports[0]) return;
        this._port = ports[0];
        this._port.onmessage = ({ data: told }) => {
          if (told.event === "ready") {
            end(done, told.detail);
          } else if (told.event === "error") {
            // The page in the frame says so as well.
            warn(told.detail.reason);
            this._tell("error", told.detail);
            end(done, {});
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
        end(fail, new Error(LEFT));
      };
      frame.onload = hello;
    });
  }

  _heard(event, detail) {
    if (event === "timeupdate") this._now = detail.time;
    const seconds = { ...detail };
    for (const key of ["t", "time"]) if (key in seconds) seconds[key] /= 1000;
    if (event === "change") this._value = detail.value;
    if (event !== "playing") this._tell(event, seconds);
  }

  _instant(to) {
    if (!this._run) return undefined;
    const { end } = this._run;
    const clip = (ms) => Math.min(end, Math.max(0, ms));
    const name = to?.marker ?? /^marker:(.*)/s.exec(to)?.[1];
    if (name !== undefined) return this._marks.find(([, text]) => text === name)?.[0];
    if (to === "end") return end;
    if (to === "start") return 0;
    const text = String(to).replace(/^at:/, "");
    const number = parseFloat(text);
    if (!isFinite(number)) return undefined;
    return clip(text.endsWith("%") ? (end * number) / 100 : number * 1000);
  }

  _begin() {
    style(this.getRootNode());
    this._theme();
    for (const { name, value } of this.attributes) {
      const words = { height: CSS.supports("height", value), loading: /^(lazy|click|eager|visible)$/.test(value) };
      if (!(words[name] ?? (ATTRIBUTES.includes(name) || name in this || /^(data|aria)-|^(class|tabindex)$|[^a-z-]/.test(name)))) {
        this._complain(`unknown ${name}="${value}"`);
      }
    }
    this._teaches = this.lesson !== null;
    if (this._teaches || (this._address && !this.querySelector(".pl-figure"))) return this._beginBare();
    let run;
    try {
      // The recording is in an attribute where a host runs every script of a page again (instant navigation of MkDocs Material).
      run = JSON.parse(this.dataset.recording ?? this.querySelector("script.pl-recording").textContent);
      if (!(run.v <= VERSION)) throw new Error(`its version ${run.v} is newer than this script`);
      run.words = groups(run.words, 3);
      run.changes = groups(run.changes, 3);
      run.marks = groups(run.marks ?? [], 2);
      this._check(run);
    } catch (error) {
      const text = `This recording cannot be played: ${error instanceof SyntaxError || error instanceof TypeError ? "it is incomplete or damaged" : error.message}.`;
      this._complain(text);
      this._tell("error", { reason: text });
      return;
    }
    this._run = run;
    this._begun = true;
    this._rows = [...this.querySelectorAll(".pl-tree tbody tr")];
    this._marks = run.marks;
    this._markers(this._attribute("markers"));
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
    if (this.hasAttribute("speed")) this.speed = this._attribute("speed");
    this._controls();
    const poster = this._attribute("poster");
    this._quiet = true;
    this._show((poster && this._instant(poster)) ?? (Number(this.dataset.at) || 0));
    this._quiet = false;
    this._rows.forEach((row, at) => this._draw(row, at));
    this._tell("ready", {});
    this._done();
    if (this.hasAttribute("autoplay") && !this._calm) eyes.observe(this);
    this._load();
  }

  // Lets the engine take over without a reader's doing.
  _load() {
    const loading = this._attribute("loading");
    if (loading === "eager") this.takeOver();
    else if (loading === "visible") eyes.observe(this);
  }

  // Says what cannot be read, in the picture and once in the console.
  _complain(text) {
    warn(text);
    (this.querySelector(".pl-figure") ?? this).append(make("p", "pl-problem", text));
  }

  // A lesson has a picture of its start, and an element without a picture has none: there is nothing that plays.
  _beginBare() {
    this._bare = this._begun = true;
    if (!this.querySelector(".pl-figure")) {
      // An element that was written by hand has no figure: an empty one is made.
      const figure = make("figure", "pl-figure");
      const [bar, mark] = [make("p", "pl-bar"), make("p", "pl-mark")];
      figure.part = "frame";
      bar.part = "toolbar";
      mark.part = "caption";
      figure.append(bar, mark);
      this.append(figure);
      figure.ariaLabel = this._teaches ? "Lesson" : "Rollout";
    }
    this._marks = [];
    this._rows = [...this.querySelectorAll(".pl-tree tbody tr")];
    this._controls();
    this._tell("ready", {});
    this._done();
    this._load();
  }

  _check(run) {
    const rows = this.querySelectorAll(".pl-tree tbody tr").length;
    const known = (word) => word >= -1 && word < run.words.length;
    const fits = run.changes.every(([gap, row, word]) => gap >= 0 && row >= 0 && row < rows && known(word));
    if (!fits || run.first.length !== rows || !(run.end >= 0) || !run.first.every(known)) throw new TypeError();
  }

  _read(name, usual) {
    if (!this.hasAttribute(name)) return usual;
    const ms = this._instant(this._attribute(name));
    if (ms === undefined) warn(`${name}="${this._attribute(name)}" is no instant of this run`);
    return ms ?? usual;
  }

  // "12=Pause here;40=Agent lost".
  _markers(given) {
    if (!given) return;
    try {
      const pairs = given.split(";").map((part) => part.split(/=(.*)/s));
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
    if (this._run && this._button) {
      const scrub = make("span", "pl-scrub");
      this._range = Object.assign(make("input", ""), { type: "range", min: 0, max: this._run.end, step: "any", ariaLabel: "Time" });
      scrub.append(this._range);
      for (const [at, text] of this._marks) {
        const tick = make("span", "pl-tick");
        tick.title = text;
        tick.style.setProperty("--x", this._run.end ? at / this._run.end : 0);
        scrub.append(tick);
      }
      this._button.after(scrub);
      this._button.disabled = false;
      this._button.onclick = () => (this.playing ? this.pause() : this.play());
      this._range.oninput = () => {
        this.pause();
        this._show(Number(this._range.value));
      };
      this._range.onchange = () => this._say();
    }
    if (bar && this._address && (this._bare || this.querySelector("script.pl-run"))) {
      this._try = bar.querySelector(".pl-try") ?? make("button", "pl-try");
      Object.assign(this._try, { type: "button", disabled: false });
      this._forget();
      this._try.onclick = () => this.takeOver();
      bar.append(this._try);
      if (this._attribute("editable") !== "false") this.querySelectorAll(".pl-source pre").forEach((source) => {
        const edit = Object.assign(make("button", "pl-try", "Edit"), { type: "button" });
        edit.onclick = () => {
          this._edits = true;
          this.takeOver();
        };
        source.before(edit);
      });
    }
    if (this._line) this._line.role = "status";
    const slots = [["toolbar-start", bar, "prepend"], ["toolbar-end", bar, "append"], ["caption", this._line, "after"], ["fallback", bar, "before"]];
    for (const [slot, place, put] of slots) place?.[put](...this.querySelectorAll(`[slot=${slot}]`));
    this._label();
    this._rows.forEach((row, at) => {
      row.tabIndex = at ? -1 : 0;
      const depth = depthOf(row);
      if (depthOf(this._rows[at + 1]) > depth) row.ariaExpanded = "true";
      row.onfocus = () => {
        this._rows[this._row ?? 0].tabIndex = -1;
        row.tabIndex = 0;
        this._row = at;
      };
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
    const row = target.closest(".pl-tree tbody tr");
    if (target.closest(".pl-source, .pl-link")) return false;
    if ((target === this._button || target === this._try) && (key === " " || key === "Enter")) return false;
    if (this._bare) return row ? this._rowKey(row, key) : false;
    if (key === " " || key === "k") this.playing ? this.pause() : this.play();
    else if (row) return this._rowKey(row, key);
    else if (STEPS[key]) this.step("status", STEPS[key]);
    else if (key === "Home") this.seek(0);
    else if (key === "End") this.seek("end");
    else return false;
    return true;
  }

  _rowKey(row, key) {
    const shown = this._rows.filter((one) => !one.hidden && !one.classList.contains("pl-folded"));
    const at = shown.indexOf(row);
    const go = (to) => to?.focus();
    const open = row.ariaExpanded;
    const right = key === "ArrowRight";
    if (key === "ArrowDown" || (right && open === "true")) go(shown[at + 1]);
    else if (key === "ArrowUp") go(shown[at - 1]);
    else if (key === "Home") go(shown[0]);
    else if (key === "End") go(shown.at(-1));
    else if (right || key === "ArrowLeft") {
      if (open === String(!right)) this._fold(row, !right);
      else if (!right) go(shown.slice(0, at).findLast((one) => depthOf(one) < depthOf(row)));
    } else if (this._try && ENGINE_KEYS.test(key)) this._hand(key);
    else return false;
    return true;
  }

  // Lets the engine take over, and gives it the key.
  async _hand(key) {
    const taken = await this.takeOver();
    if (taken.ok && key !== "Enter") this._call("press", key);
  }

  _fold(row, folded) {
    row.ariaExpanded = String(!folded);
    let inside;
    for (const one of this._rows.slice(this._rows.indexOf(row) + 1)) {
      const depth = depthOf(one);
      if (depth <= depthOf(row)) break;
      // What was folded below stays folded.
      if (inside !== undefined && depth <= inside) inside = undefined;
      one.classList.toggle("pl-folded", folded || inside !== undefined);
      if (inside === undefined && one.ariaExpanded === "false") inside = depth;
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
      this._range.ariaValueText = `${clock(ms)} of ${clock(this._run.end)}`;
    }
    if (this._clock) this._clock.textContent = clock(this.playing ? ms - (ms % 1000) : ms);
    const mark = this._marks.findLast(([at]) => at <= ms);
    this._write(mark?.[1] ?? "");
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
      const mark = make("span", "pl-glyph", glyph);
      mark.ariaHidden = "true";
      status.append(mark, " ", make("span", "pl-word", word));
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
      const own = depthOf(this._rows[at]);
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
    if (this._button) this._button.textContent = playing ? "Pause" : this._calm ? "Step" : "Play";
    // Screen readers: nothing is said while a run plays; the state is announced when it stops.
    if (this._line) this._line.ariaLive = playing ? "off" : "polite";
  }

  _say() {
    if (!this._line || !this._run) return;
    const top = this._rows.findIndex((_, at) => this._run.words[this._stands[at]]);
    const word = this._run.words[this._stands[top]]?.[0];
    const mark = this._marks.findLast(([at]) => at <= this._now)?.[1];
    this._write([`${clock(this._now)}: ${word ? `${this._name(top)} ${word}` : ""}`, mark].filter(Boolean).join(". "));
  }

  // Writes the line below the table; the same text is not told again.
  _write(text) {
    if (this._line && this._line.textContent !== text) this._line.textContent = text;
  }

  _theme() {
    const asked = this._attribute("theme");
    const before = this.dataset.theme;
    this.dataset.theme = /^(light|dark)$/.test(asked) ? asked : isDark(this) ? "dark" : "light";
    if (this._port && before !== this.dataset.theme) this._call("theme", this.dataset.theme);
  }

  _tell(name, detail) {
    this.dispatchEvent(new CustomEvent(`planarium:${name}`, { detail, bubbles: true, composed: true }));
  }
};

for (const call of ENGINE_CALLS) {
  PlanariumEmbed.prototype[call] = function (...args) {
    return this._engineCall(call, ...args);
  };
}
if (!customElements.get(NAME)) customElements.define(NAME, PlanariumEmbed);
