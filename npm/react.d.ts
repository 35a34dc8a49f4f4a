import type { ReactElement } from "react";
import type { Finding, LessonState, Marker, StatusChange } from "./index.js";

/** Attributes of `<planarium-embed>` under their own names, and its events. */
export interface PlanariumEmbedProps {
  /** A picture from `planarium render --html` or from `planarium/ssr`; `lesson`, `state`, `src` and `example` need none. */
  html?: string;
  className?: string;
  autoplay?: boolean; loop?: boolean; speed?: number; "start-at"?: string; "stop-at"?: string; poster?: string; markers?: string;
  "pause-on-markers"?: boolean; controls?: "auto" | "full" | "none"; theme?: "auto" | "light" | "dark";
  /** Address of `embed.html`, whose engine takes over; the picture must have been made with an `engine`, so that it holds the run. */
  engine?: string;
  /** Folder of the playground's files, in place of `engine`. */
  "wasm-src"?: string;
  /** When the engine takes over by itself. */
  loading?: "lazy" | "click" | "eager" | "visible";
  motion?: "auto" | "reduce"; density?: "comfortable" | "compact"; link?: "true" | "false";
  /** Height of the engine's frame, a CSS length. */
  height?: string;
  /** What a reader may do: `all`, `none`, or words of operations, failures and kinds of input. */
  commands?: string;
  editable?: boolean | "true" | "false";
  /** Settings of what `src` and `example` open. */
  dialect?: string; seed?: number | string; nodes?: number | string; cluster?: string;
  /** A scenario file for the definition in `src`. */
  scenario?: string;
  /** Parts of the engine's page: `tree,timeline,why`. */
  panes?: string;
  /** The run that the engine opens: the end of a link, `p1:...`. */
  state?: string;
  /** A file that the engine opens. */
  src?: string;
  /** An example of the gallery that the engine opens. */
  example?: string;
  /** Id of a lesson of the course, or a link text `l1:...`; it is played in the page that `engine` names. */
  lesson?: string;
  /** Language of the lesson's texts. */
  lang?: string;
  onReady?(event: CustomEvent): void;
  onStatusChange?(event: CustomEvent<StatusChange>): void;
  onTimeUpdate?(event: CustomEvent<{ time: number }>): void;
  onMarker?(event: CustomEvent<Marker>): void;
  onCommand?(event: CustomEvent<{ text: string; t: number }>): void;
  onInject?(event: CustomEvent<{ id: string; kind: string; text: string; t: number }>): void;
  onFork?(event: CustomEvent<{ id: number; name: string; t: number }>): void;
  onDiagnostics?(event: CustomEvent<{ findings: Finding[] }>): void;
  onChange?(event: CustomEvent<{ value: string }>): void;
  onComplete?(event: CustomEvent<{ time: number }>): void;
  onError?(event: CustomEvent<{ reason: string }>): void;
  onLesson?(event: CustomEvent<LessonState>): void;
}
export function PlanariumEmbed(props: PlanariumEmbedProps): ReactElement;
