export { define } from "./index.js";
export type {
  CallResult, Command, FaultRequest, Marker, PlanariumEmbedElement, PlanariumEventMap, PlanSnapshot, SeekResult, Snapshot, StatusChange,
} from "./index.js";
