// Lanes of the timeline on a canvas, at the resolution of the screen: a look for each family of statuses, a row for each lane.
//
// It knows colours, patterns and pixels, and nothing of what a lane is. A row is a list of numbers, five for each stretch: where it begins and
// where it ends in hundredths of a percent of the width, its look, its strength in percent, and its place in the row. What is drawn stays: a row is
// drawn again when it is given anew, all of them when the canvas has another size or the page has other colours.

/** Top and height of a place, as shares of a row: a lane alone, a lane above another one, the other one. A gap parts neighbours. */
const PLACES = [
  [0.175, 0.65],
  [0.085, 0.49],
  [0.685, 0.21],
];
/** Numbers of a stretch. */
const EACH = 5;
/** Stretches narrower than this are drawn this wide, over the others. *Units*: pixels of the page. */
const LEAST = 2;

/** Where the system has colours of its own, patterns alone tell statuses apart. */
const FORCED = {
  neutral: "GrayText",
  active: "Highlight",
  complete: "CanvasText",
  waiting: "CanvasText",
  error: "CanvasText",
  ink: "Canvas",
};

/** What each canvas shows: its context, its rows, its size and the looks at that size. */
const sheets = new WeakMap();
/** The canvases of the page. */
const shown = new Set();

/** The colours that hold for an element. */
function colours(element) {
  if (matchMedia("(forced-colors: active)").matches) return FORCED;
  const style = getComputedStyle(element);
  const token = (name) => style.getPropertyValue(name).trim();
  const families = ["neutral", "active", "complete", "waiting", "error"].map((name) => [name, token(`--pl-f-${name}`)]);
  return { ...Object.fromEntries(families), ink: token("--pl-bg") };
}

/** A pattern of square tiles, so many pixels of the page wide. */
function pattern(context, ratio, size, paint) {
  const tile = document.createElement("canvas");
  const side = Math.max(2, Math.round(size * ratio));
  tile.width = tile.height = side;
  const inner = tile.getContext("2d");
  if (!inner) return "transparent";
  paint(inner, side);
  return context.createPattern(tile, "repeat");
}

/** The looks in the order of their numbers; web/icons.svg has the same patterns for the legend. */
function looks(canvas, context, ratio) {
  const colour = colours(canvas);
  const filled = (inner, side, fill) => {
    inner.fillStyle = fill;
    inner.fillRect(0, 0, side, side);
    inner.fillStyle = inner.strokeStyle = colour.ink;
    inner.globalAlpha = 0.75;
  };
  /** Lines through all corners of the tile, and so without a seam. */
  const slanted = (inner, side, width, ways) => {
    inner.lineWidth = width * ratio;
    inner.beginPath();
    for (const way of ways) {
      for (const by of [-side, 0, side]) {
        inner.moveTo(way > 0 ? by - side : by + 2 * side, -side);
        inner.lineTo(way > 0 ? by + 2 * side : by - side, 2 * side);
      }
    }
    inner.stroke();
  };
  return [
    pattern(context, ratio, 5, (inner, side) => {
      inner.globalAlpha = 0.55;
      inner.fillStyle = colour.neutral;
      inner.fillRect(0, 0, side, side);
      inner.fillStyle = colour.ink;
      inner.beginPath();
      inner.arc(side / 2, side / 2, ratio, 0, 2 * Math.PI);
      inner.fill();
    }),
    pattern(context, ratio, 4, (inner, side) => {
      filled(inner, side, colour.active);
      inner.fillRect(0, Math.round(1.5 * ratio), side, Math.max(1, Math.round(ratio)));
    }),
    colour.complete,
    pattern(context, ratio, 6 * Math.SQRT2, (inner, side) => {
      filled(inner, side, colour.waiting);
      slanted(inner, side, 2, [-1]);
    }),
    pattern(context, ratio, 6 * Math.SQRT2, (inner, side) => {
      filled(inner, side, colour.error);
      slanted(inner, side, 1.25, [-1, 1]);
    }),
    pattern(context, ratio, 6, (inner, side) => {
      inner.fillStyle = colour.active;
      inner.fillRect(0, 0, side, side);
      inner.fillStyle = colour.error;
      inner.fillRect(Math.round(side / 2), 0, side, side);
    }),
  ];
}

function drawRow(sheet, at) {
  const { canvas, context, rows, ratio } = sheet;
  if (canvas.width < 2) return;
  sheet.looks ??= looks(canvas, context, ratio);
  const edge = (row) => Math.round((row * canvas.height) / rows.length);
  const [top, height] = [edge(at), edge(at + 1) - edge(at)];
  context.clearRect(0, top, canvas.width, height);
  const row = rows[at];
  const x = (hundredths) => Math.round((hundredths * canvas.width) / 10_000);
  const [gap, least] = [Math.max(1, Math.round(ratio)), Math.round(LEAST * ratio)];
  const fill = (stretch, from, width) => {
    const [y, share] = PLACES[row[stretch + 4]];
    context.globalAlpha = row[stretch + 3] / 100;
    context.fillStyle = sheet.looks[row[stretch + 2]];
    context.fillRect(from, top + Math.round(y * height), width, Math.round(share * height));
  };
  const short = [];
  for (let stretch = 0; stretch < row.length; stretch += EACH) {
    const from = x(row[stretch]);
    const width = x(row[stretch + 1]) - from - gap;
    if (width < least) short.push([stretch, from]);
    else fill(stretch, from, width);
  }
  for (const [stretch, from] of short) fill(stretch, from, least);
}

function drawAll(sheet) {
  for (let at = 0; at < sheet.rows.length; at += 1) drawRow(sheet, at);
}

/** Draws everything with the colours of now. */
function recolour() {
  for (const canvas of shown) {
    const sheet = sheets.get(canvas);
    if (!canvas.isConnected) shown.delete(canvas);
    else if (sheet) {
      sheet.looks = undefined;
      drawAll(sheet);
    }
  }
}

/** The size of a canvas in pixels of the screen. Where a browser shows a page as another screen would, its exact size is that of the real screen. */
function measured({ devicePixelContentBoxSize, contentRect }) {
  const about = [contentRect.width, contentRect.height].map((length) => Math.round(length * devicePixelRatio));
  const [box] = devicePixelContentBoxSize ?? [];
  const exact = box ? [box.inlineSize, box.blockSize] : about;
  return exact.every((length, at) => Math.abs(length - about[at]) <= 2) ? exact : about;
}

/** Has a canvas measured, now and when its size changes. */
function observe(canvas) {
  sizes.unobserve(canvas);
  try {
    sizes.observe(canvas, { box: "device-pixel-content-box" });
  } catch {
    sizes.observe(canvas);
  }
}

/** Has everything measured when the page is on another screen, or enlarged. */
function followScreen() {
  const again = () => {
    shown.forEach(observe);
    followScreen();
  };
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", again, { once: true });
}

let sizes;

/** Begins to follow sizes and colours, once. */
function follow() {
  if (sizes) return;
  sizes = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const sheet = sheets.get(entry.target);
      if (!sheet) continue;
      if (!entry.target.isConnected) {
        sizes.unobserve(entry.target);
        shown.delete(entry.target);
        continue;
      }
      const [width, height] = measured(entry);
      if (sheet.canvas.width === width && sheet.canvas.height === height && sheet.ratio === devicePixelRatio) continue;
      Object.assign(sheet.canvas, { width, height });
      sheet.ratio = devicePixelRatio;
      sheet.looks = undefined;
      drawAll(sheet);
    }
  });
  new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme", "style", "class"] });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", recolour);
  }
  followScreen();
}

function sheetOf(canvas) {
  const known = sheets.get(canvas);
  if (known) return known;
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  // Nothing to be seen before its size is known.
  Object.assign(canvas, { width: 1, height: 1 });
  const sheet = { canvas, context, rows: [], ratio: devicePixelRatio, looks: undefined };
  sheets.set(canvas, sheet);
  shown.add(canvas);
  follow();
  observe(canvas);
  return sheet;
}

/** Gives a canvas so many rows. What they show is given next. */
export function setLanes(canvas, count) {
  const sheet = sheetOf(canvas);
  if (sheet) sheet.rows = Array.from({ length: count }, () => []);
  if (sheet && canvas.width > 1) sheet.context.clearRect(0, 0, canvas.width, canvas.height);
}

/** Draws a row of a canvas. */
export function drawLane(canvas, row, stretches) {
  const sheet = sheetOf(canvas);
  if (!sheet || row >= sheet.rows.length) return;
  // The numbers are in the page's memory, which moves.
  sheet.rows[row] = stretches.slice();
  drawRow(sheet, row);
}
