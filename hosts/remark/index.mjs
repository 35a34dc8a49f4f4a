/**
 * Demos of rollouts for remark, and so for Docusaurus, Astro and Nextra: a page with fences ```planarium goes once to
 * `planarium embed --markdown`, which runs, checks and draws them. Nothing here knows what a fence says.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Largest answer for one page, in bytes. */
const LARGEST = 1 << 28;

/**
 * The plugin.
 *
 * @param {object} [options]
 * @param {string} [options.program] the planarium program (default: PLANARIUM_BIN, then the path)
 * @param {"html"|"mdx"|"auto"} [options.output] raw HTML, or JSX for MDX; by default as the processor reads
 * @param {string} [options.root] folder in which the files are that fences name (default: the page's)
 */
export default function planarium(options = {}) {
  const jsx = options.output === "mdx" || (options.output !== "html" && readsMdx(this));
  return (tree, file) => {
    const fences = found(tree);
    if (fences.length === 0) return;
    const text = String(file);
    const { whole, offset } = original(file, text);
    const page = file.path ?? "page.md";
    const folder = options.root ?? (file.path ? path.dirname(path.resolve(file.cwd ?? ".", file.path)) : ".");
    const shown = path.isAbsolute(page) ? path.relative(file.cwd ?? process.cwd(), page) : page;
    const words = ["embed", "--markdown", "-", "--format", "json", "--file", shown, "--root", folder];
    const drawn = answer(program(options), words, whole);
    const findings = drawn.fences.flatMap((one) => one.findings);
    const told = (one) => `${one.file}:${one.line}: ${one.message}`;
    if (!drawn.ok) throw new Error(findings.map(told).join("\n"));
    for (const one of findings) file.message(one.message, { line: one.line - offset, column: one.column ?? 1 });
    for (const { node, parent } of fences) {
      const line = node.position.start.line + offset;
      const one = drawn.fences.find((fence) => fence.line === line);
      if (!one) throw new Error(`${shown}:${line}: planarium found no fence here`);
      parent.children.splice(parent.children.indexOf(node), 1, jsx ? element(one.html) : { type: "html", value: one.html });
    }
  };
}

/**
 * Writes script and styles into a folder that the site serves.
 *
 * @param {string} folder
 * @param {{ program?: string }} [options]
 */
export function assets(folder, options = {}) {
  const done = spawnSync(program(options), ["embed", "--assets", folder], { encoding: "utf8" });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(done.stderr);
}

const program = (options) => options.program ?? process.env.PLANARIUM_BIN ?? "planarium";

/** Whether remark-mdx is among the plugins: it brings an extension that makes JSX nodes. */
function readsMdx(processor) {
  const extensions = (processor?.data?.("fromMarkdownExtensions") ?? []).flat(Infinity);
  return extensions.some((extension) => extension?.enter && "mdxJsxFlowTag" in extension.enter);
}

/** The fences of a tree in order, with what they stand in. */
function found(node, all = []) {
  for (const child of node.children ?? []) {
    if (child.type === "code" && /^planarium(,|$)/.test(child.lang ?? "")) all.push({ node: child, parent: node });
    else found(child, all);
  }
  return all;
}

/** The page as it lies on the disk, and how many lines of it a host has cut off: front matter, mostly. */
function original(file, text) {
  try {
    const whole = readFileSync(path.resolve(file.cwd ?? ".", file.path), "utf8");
    const body = text.trim();
    const at = whole.lastIndexOf(body);
    if (at >= 0) {
      const before = whole.slice(0, at).split("\n").length - 1;
      return { whole, offset: before - (text.slice(0, text.indexOf(body)).split("\n").length - 1) };
    }
  } catch {
    // A page that lies nowhere is taken as it is.
  }
  return { whole: text, offset: 0 };
}

function answer(name, words, text) {
  const done = spawnSync(name, words, { input: text, encoding: "utf8", maxBuffer: LARGEST });
  if (done.error) throw new Error(`${name} cannot be run: ${done.error.message}; install planarium or name it by the option program`);
  try {
    return JSON.parse(done.stdout);
  } catch {
    throw new Error(done.stderr.trim() || `planarium ended with ${done.status}`);
  }
}

/** An element of JSX that holds ready HTML: React leaves its inside alone, so that the player may change it. */
function element(html) {
  const literal = { type: "Literal", value: html, raw: JSON.stringify(html) };
  const property = {
    type: "Property",
    kind: "init",
    method: false,
    shorthand: false,
    computed: false,
    key: { type: "Identifier", name: "__html" },
    value: literal,
  };
  const expression = { type: "ObjectExpression", properties: [property] };
  const estree = {
    type: "Program",
    sourceType: "module",
    comments: [],
    body: [{ type: "ExpressionStatement", expression }],
  };
  const value = { type: "mdxJsxAttributeValueExpression", value: `{__html: ${literal.raw}}`, data: { estree } };
  const attributes = [{ type: "mdxJsxAttribute", name: "dangerouslySetInnerHTML", value }];
  return { type: "mdxJsxFlowElement", name: "div", attributes, children: [] };
}
