import type {
  AdvanceResult, CheckResult, Event, ExampleInfo, Genesis, HttpResponse, Input, InputResult, Journal, LessonOptions, LoadService, PictureOptions, View, Why,
} from "./planarium.js";

export type * from "./planarium.js";

/** A definition: a text, or files by path with their environment. */
export type Definition = string | (Partial<Omit<LoadService, "files">> & { files: string | Record<string, string> });

/** The beginning of a world; of several sources the first one counts. */
export interface Source extends Genesis {
  /** A scenario's text, and the files it names. */
  scenario?: string;
  files?: Record<string, string>;
  /** An example of the gallery, by id. */
  example?: string;
  /** A link text. */
  share?: string;
  /** A definition for an otherwise empty cluster. */
  definition?: Definition;
  /** Machines of that cluster; 3 unless given. */
  machines?: number;
}

/** A plan command: `op` on a plan, one of its phases or one of their steps. */
export interface Command {
  op: "start" | "stop" | "interrupt" | "continue" | "restart" | "force-complete";
  plan: string; phase?: string; step?: string; service?: string; params?: Record<string, string>;
}

/** A fault and its target. `kind` is the word; `fault`, as in the input `fault`, is read as well. */
export type FaultRequest = ({ kind: string; fault?: string } | { kind?: string; fault: string }) & {
  target?: Record<string, string>; for_ms?: number; count?: number; probability?: number; [key: string]: unknown;
};

/** An element: `"deploy/hello/hello-0:[server]"` or its parts. */
export type Path = string | { plan: string; phase?: string; step?: string; service?: string; dialect?: string };

/** A world with its timeline. */
export interface Session {
  readonly time: number;
  readonly seq: number;
  readonly idle: boolean;
  readonly digest: string;
  readonly difference: string | undefined;
  /** The answer to the definition that it was created with. */
  readonly loaded?: InputResult;
  tick(ms: number): this;
  step(by?: "event" | "status", count?: number): AdvanceResult;
  runUntil(condition: string, limit_ms?: number): AdvanceResult;
  seek(ms: number): this;
  apply(input: Input): InputResult;
  command(command: Command): InputResult;
  inject(fault: FaultRequest): InputResult;
  request(method: string, target: string, body?: unknown): HttpResponse;
  why(path: Path): Why | null;
  snapshot(): View;
  events(since?: number): Event[];
  share(): string;
  journal(): Journal;
  renderText(): string;
  renderHtml(options?: PictureOptions): string;
  dispose(): void;
}

/** Starts the engine, once however often it is called. */
export function init(wasm?: URL | string | Response | BufferSource | WebAssembly.Module | Promise<Response>): Promise<void>;
/** Reads a definition without running it. */
export function parse(definition: Definition): CheckResult;
/** A world of its own. */
export function createSession(source?: Source): Session;
/** The share string of a session's branch, or of a journal. */
export function encodeShare(what: Session | Journal): string;
/** The journal in a share string, without running it. */
export function decodeShare(text: string): Journal;
/** The gallery's examples. */
export function examples(): ExampleInfo[];
/** The picture of a lesson of the course. Throws for an unknown id, with the nearest one. */
export function renderLesson(id: string, options?: LessonOptions): string;
/** Version of this package. */
export function version(): string;
