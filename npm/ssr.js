/** Pictures for documents that are made in Node: static HTML with the recorded run in it, no DOM needed. */
import { createSession, examples, init, renderLesson } from "./engine.js";

/**
 * With `lesson`, the id of a lesson of the course: writes its task, its questions and its plans at the start; `lang`, `plan`, `link`, `engine`
 * and `attributes` are the other settings.
 *
 * Otherwise plays a source to its end (or `until` a condition) and writes the picture. The source is one of `createSession`.
 *
 * Throws when the definition is refused: a document that shows it would show nothing.
 */
export async function renderHtml({ lesson, ...request }) {
  await init();
  if (lesson === undefined) return picture(request);
  return renderLesson(lesson, Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)));
}

function picture({ until = "idle", limit_ms = 86_400_000, title, plan, at_ms, link, engine, sources, attributes, ...source }) {
  const session = createSession(source);
  try {
    if (session.loaded?.ok === false) {
      const findings = session.loaded.diagnostics.map(({ file, line, column, code, message }) => `${file}:${line}:${column}: [${code}] ${message}`);
      throw new Error([session.loaded.reason, ...findings].join("\n"));
    }
    session.runUntil(until, limit_ms);
    return session.renderHtml({ title, plan, at_ms, link, engine, sources, attributes });
  } finally {
    session.dispose();
  }
}

export { examples, init };
