/** Defines `<planarium-embed>` once; does nothing where there is no `customElements`, as in Node. */
export function define(): void;

/** A status that changed while a recording plays. Times are seconds. */
export interface StatusChange { path: string; from: string; to: string; t: number; }
/** A named instant of a recording. */
export interface Marker { at: number; text: string; }
/** The answer of `seek`: a place that does not exist is refused and changes nothing. */
export type SeekResult = { ok: true } | { ok: false; code: string; reason: string };

/** The element that plays a recorded run in place. */
export interface PlanariumEmbedElement extends HTMLElement {
  /** The instant shown, in seconds. */
  time: number;
  /** Length of the recording in seconds. */
  readonly duration: number;
  readonly playing: boolean;
  /** Recorded seconds per second, 0.25 to 64. */
  speed: number;
  readonly markers: Marker[];
  /** Fulfilled once the recording can play. */
  readonly ready: Promise<void>;
  play(): void;
  pause(): void;
  /** To a second, a share (`"50%"`) or a marker (`"marker:TEXT"`). */
  seek(to: number | string | { marker: string }): SeekResult;
  /** By status changes or by single ones, backwards if negative. */
  step(by: "event" | "status", count?: number): void;
  /** Stops and lets go of everything outside of the element. */
  finalize(): void;
  dispose(): void;
}

declare global {
  interface HTMLElementTagNameMap { "planarium-embed": PlanariumEmbedElement; }
}
