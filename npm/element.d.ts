export { define } from "./index.js";
export type {
  Branch, CallResult, Command, ExportFormat, FaultRequest, Finding, LessonScore, LessonState, Marker, PlanariumEmbedElement, PlanariumEventMap, PlanSnapshot, SeekResult, Snapshot, StatusChange,
} from "./index.js";
