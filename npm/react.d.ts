import type { ReactElement } from "react";
import type { StatusChange } from "./index.js";

/** Attributes of `<planarium-embed>` under their own names, and its events. */
export interface PlanariumEmbedProps {
  /** A picture from `planarium render --html` or from `planarium/ssr`. */
  html: string;
  className?: string;
  autoplay?: boolean; loop?: boolean; speed?: number; "start-at"?: string; "stop-at"?: string; poster?: string; markers?: string;
  "pause-on-markers"?: boolean; controls?: "auto" | "full" | "none"; theme?: "auto" | "light" | "dark";
  onReady?(event: CustomEvent): void;
  onStatusChange?(event: CustomEvent<StatusChange>): void;
  onTimeUpdate?(event: CustomEvent<{ t: number }>): void;
  onMarker?(event: CustomEvent): void;
  onComplete?(event: CustomEvent): void;
  onError?(event: CustomEvent): void;
}
export function PlanariumEmbed(props: PlanariumEmbedProps): ReactElement;
