import type { ReactElement } from "react";
import type { Marker, StatusChange } from "./index.js";

/** Attributes of `<planarium-embed>` under their own names, and its events. */
export interface PlanariumEmbedProps {
  /** A picture from `planarium render --html` or from `planarium/ssr`. */
  html: string;
  className?: string;
  autoplay?: boolean; loop?: boolean; speed?: number; "start-at"?: string; "stop-at"?: string; poster?: string; markers?: string;
  "pause-on-markers"?: boolean; controls?: "auto" | "full" | "none"; theme?: "auto" | "light" | "dark";
  /** Address of `embed.html`, whose engine takes over; the picture must have been made with an `engine`, so that it holds the run. */
  engine?: string;
  /** Parts of the engine's page: `tree,timeline,why`. */
  panes?: string;
  onReady?(event: CustomEvent): void;
  onStatusChange?(event: CustomEvent<StatusChange>): void;
  onTimeUpdate?(event: CustomEvent<{ time: number }>): void;
  onMarker?(event: CustomEvent<Marker>): void;
  onComplete?(event: CustomEvent<{ time: number }>): void;
  onError?(event: CustomEvent<{ reason: string }>): void;
}
export function PlanariumEmbed(props: PlanariumEmbedProps): ReactElement;
