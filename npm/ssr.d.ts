import type { PictureOptions } from "./planarium.js";
import type { Source } from "./engine.js";

/** A source, the instant to stop at, and the settings of the picture. */
export type Request = Source & PictureOptions & { until?: string; limit_ms?: number };

/** Plays a source to its end and writes the picture. Throws when the definition is refused. */
export function renderHtml(request: Request): Promise<string>;
export { examples, init } from "./engine.js";
