/** A React component around `<planarium-embed>`. `html` is a picture from `planarium render --html` or `planarium/ssr`. */
import { createElement, useEffect, useMemo, useRef } from "react";

const EVENTS = {
  onReady: "ready", onStatusChange: "statuschange", onTimeUpdate: "timeupdate", onMarker: "marker", onCommand: "command", onInject: "inject", onFork: "fork", onDiagnostics: "diagnostics",
  onChange: "change", onComplete: "complete", onError: "error", onLesson: "lesson",
};

const escaped = (value) => String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;");

/** The picture with these attributes: of two with one name a parser takes the first. The element reads some of them only once. */
function withAttributes(html, attributes) {
  const given = Object.entries(attributes).filter(([name, value]) => /^[a-z-]+$/.test(name) && value !== false && value != null);
  const text = given.map(([name, value]) => (value === true ? ` ${name}=""` : ` ${name}="${escaped(value)}"`)).join("");
  return html.replace(/<planarium-embed(?=[\s>])/, (tag) => tag + text);
}

/** Without a picture, the element draws what it needs by itself. */
const EMPTY = "<planarium-embed></planarium-embed>";

export function PlanariumEmbed({ html = EMPTY, className, children, ...rest }) {
  const holder = useRef(null);
  const handlers = useRef(rest);
  handlers.current = rest;
  useEffect(() => {
    const node = holder.current;
    const listeners = Object.entries(EVENTS).map(([prop, name]) => {
      const listener = (event) => handlers.current[prop]?.(event);
      node.addEventListener(`planarium:${name}`, listener);
      return [`planarium:${name}`, listener];
    });
    import("./element.js");
    return () => listeners.forEach(([name, listener]) => node.removeEventListener(name, listener));
  }, []);
  const attributes = Object.fromEntries(Object.entries(rest).filter(([name]) => !(name in EVENTS)));
  // A later change of an attribute is set on the element, which keeps its instant that way.
  const text = useMemo(() => withAttributes(html, attributes), [html]);
  useEffect(() => {
    const element = holder.current.querySelector("planarium-embed");
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value == null) element?.removeAttribute(name);
      else element?.setAttribute(name, value === true ? "" : String(value));
    }
  });
  return createElement("div", { className, ref: holder, dangerouslySetInnerHTML: { __html: text } });
}
