import type { Command, FaultRequest } from "./engine.js";

export type { Command, FaultRequest } from "./engine.js";

/** Defines `<planarium-embed>` once; does nothing where there is no `customElements`, as in Node. */
export function define(): void;

/** The event or input behind a change. */
export interface StatusCause { kind: string; text: string; }
/**
 * A status that changed while a run plays. A row that comes has no status before, one that goes none after. `t` is in seconds. A recording
 * has no causes; with the engine `cause` is `null` on the way back.
 */
export interface StatusChange { path: string; from: string | null; to: string | null; t: number; cause?: StatusCause | null; }
/** A named instant of a recording. */
export interface Marker { at: number; text: string; }
/** The answer of `seek`: a place that does not exist is refused and changes nothing. */
export type SeekResult = { ok: true } | { ok: false; code: string; reason: string };

/** The answer to what the engine was asked. `no-engine` means that it did not start, and the recording still plays. */
export type CallResult<Value = unknown> =
  | { ok: true; value?: Value }
  | { ok: false; code: "refused" | "not-found" | "bad-request" | "no-engine"; reason: string };

/** A plan with the statuses of its elements. */
export interface PlanSnapshot {
  service: string; name: string; status: string;
  phases: { name: string; status: string; steps: { name: string; status: string }[] }[];
}
/** The plans at the instant shown. */
export interface Snapshot {
  now_ms: number;
  idle: boolean;
  /** Digest of what happened up to the instant shown. */
  digest: string;
  /** The run's end: when, and the digest there. */
  end: { ms: number; digest: string };
  plans: PlanSnapshot[];
  branches: Branch[];
}

/** A branch of the run. */
export interface Branch { id: number; name: string; forked_at_ms: number; head_ms: number; current: boolean; }
/** File formats of a run. */
export type ExportFormat = "journal" | "csv" | "transcript" | "tree" | "mermaid";
/** A finding about the text in the editor; line and column count from 1. */
export interface Finding { code: string; severity: "error" | "warning" | "info"; message: string; file: string; line: number; column: number; }

/** The result of a try of a lesson. */
export interface LessonScore {
  /** Commands that were not refused. */
  commands: number;
  time_ms: number;
  /** Time in which instances were missing. */
  unavailable_ms: number;
}

/** A lesson in the element's frame. */
export interface LessonState {
  id: string;
  /** `open` until there is a verdict, and again after a step back. */
  state: "open" | "passed" | "lost";
  /** Set once there is a verdict. */
  score?: LessonScore;
  /** Set once the lesson is passed: 0 to 3. */
  stars?: number | null;
}

/** The events of the element; they bubble. */
export interface PlanariumEventMap {
  /** The recording can play. */
  "planarium:ready": CustomEvent<Record<string, never>>;
  "planarium:statuschange": CustomEvent<StatusChange>;
  /** At most four times a second. */
  "planarium:timeupdate": CustomEvent<{ time: number }>;
  "planarium:marker": CustomEvent<Marker>;
  /** An input was applied: a command, a failure, one of the script. `t` is in seconds. */
  "planarium:command": CustomEvent<{ text: string; t: number }>;
  /** A failure was injected. */
  "planarium:inject": CustomEvent<{ id: string; kind: string; text: string; t: number }>;
  /** A branch was opened. */
  "planarium:fork": CustomEvent<{ id: number; name: string; t: number }>;
  /** The text in the editor was read. */
  "planarium:diagnostics": CustomEvent<{ findings: Finding[] }>;
  /** The text in the editor changed. */
  "planarium:change": CustomEvent<{ value: string }>;
  /** The end was reached. */
  "planarium:complete": CustomEvent<{ time: number }>;
  /** The recording cannot be played, or the engine did not start. */
  "planarium:error": CustomEvent<{ reason: string }>;
  /** A lesson was opened, passed or lost. */
  "planarium:lesson": CustomEvent<LessonState>;
}

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
  /** Text of the definition. Setting it lets the engine take over and open that text. */
  value: string;
  /** Id or link text of the lesson; `null` for a run. Setting it ends the lesson that runs. */
  lesson: string | null;
  /** Fulfilled once the recording can play. */
  readonly ready: Promise<void>;
  /** Once the engine has taken over, the answer is a promise; this holds for `pause`, `seek` and `step`, too. */
  play(): void | Promise<CallResult>;
  pause(): void | Promise<CallResult>;
  /** To a second, a share (`"50%"`) or a marker (`"marker:TEXT"`). */
  seek(to: number | string | { marker: string }): SeekResult | Promise<CallResult>;
  /** By status changes, backwards if negative. Single events and markers are known to the engine alone. */
  step(by?: "event" | "status" | "marker", count?: number): void | Promise<CallResult>;
  /** Gives a command to a plan, phase or step; the engine takes over. */
  command(command: Command): Promise<CallResult>;
  /** Breaks something; the engine takes over. */
  inject(fault: FaultRequest): Promise<CallResult>;
  /** Explains why `"PLAN"`, `"PLAN/PHASE"` or `"PLAN/PHASE/STEP"` is not finished; the engine takes over. */
  why(element: string): Promise<CallResult>;
  /** The plans at the instant shown; the engine takes over. */
  snapshot(): Promise<CallResult<Snapshot>>;
  /** Makes a link to the run with everything done in it; the engine takes over. */
  share(): Promise<CallResult<{ url: string }>>;
  /** Runs until a condition holds (`"deploy=COMPLETE"`, `"t=90s"`, `"idle"`), at most `limit` seconds, by default an hour; the engine takes over. */
  runUntil(condition: string, limit?: number): Promise<CallResult<{ met: boolean; now_ms: number }>>;
  /** Opens a branch at the instant shown; the engine takes over. */
  fork(): Promise<CallResult<Branch>>;
  /** Writes the run as a file, a journal without a format; the engine takes over. */
  export(format?: ExportFormat): Promise<CallResult<{ name: string; text: string }>>;
  /** Takes back the last command or fault; the engine takes over. */
  undo(): Promise<CallResult>;
  /** Goes back to the beginning; the recording does it where no engine runs. */
  reset(): Promise<CallResult>;
  /** Lets the engine take over at the instant shown. */
  takeOver(): Promise<CallResult>;
  /** Stops and lets go of everything outside of the element. */
  finalize(): void;
  dispose(): void;
}

declare global {
  interface HTMLElementTagNameMap { "planarium-embed": PlanariumEmbedElement; }
  interface HTMLElementEventMap extends PlanariumEventMap {}
}
