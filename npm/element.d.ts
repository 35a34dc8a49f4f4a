export { define } from "./index.js";
export type { Marker, PlanariumEmbedElement, SeekResult, StatusChange } from "./index.js";
