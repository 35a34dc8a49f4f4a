import type { LessonOptions, PictureOptions } from "./planarium.js";
import type { Source } from "./engine.js";

/** A source, the instant to stop at, and the settings of the picture. */
export type Request = Source & PictureOptions & { until?: string; limit_ms?: number };

/** A lesson of the course, by its id, and the settings of its picture. */
export type LessonRequest = LessonOptions & { lesson: string };

/** Plays a source to its end and writes the picture. Throws when the definition is refused or the lesson is not known. */
export function renderHtml(request: Request | LessonRequest): Promise<string>;
export { examples, init } from "./engine.js";
