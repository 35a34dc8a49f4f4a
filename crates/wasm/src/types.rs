//! TypeScript names for what the protocol crate leaves open; the other declarations are generated from its types.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const SHARED: &str = r#"
/** A name or word. */
export type Text = string;
/** A word of a fixed list, such as a status. */
export type Word = string;
/** An amount of a resource: a number or a decimal text. */
export type Amount = number | string;
/** Any JSON value. */
export type Value = unknown;
/** What stands behind an event. */
export type Cause = "genesis" | { input: number } | { event: number };

/** One fact. */
export type Event = { seq: number; at_ms: number; cause: Cause } & EventBody;
/** One link of an explanation: typed data and its words. */
export type Reason = { text: string; event?: number } & ReasonKind;

/** Starting parameters of a world. */
export interface Genesis { seed?: number; epoch_ms?: number; offer_timeout_ms?: number; agent_removal_interval_ms?: number; sharing?: "together" | "apart"; }

/** What became of an input. */
export type InputResult =
  | { ok: true; input: number; reply: unknown; diagnostics: Diagnostic[] }
  | { ok: false; input: number; code: RefusalCode; reason: string; status: number; diagnostics: Diagnostic[] };

/** What became of an advance. */
export interface AdvanceResult { now_ms: number; events: number; idle: boolean; limit_reached: boolean; limit?: string; met: boolean; }

/** A finding in a definition. Offsets ending in `16` count UTF-16 code units, as JavaScript does. */
export interface Diagnostic {
  file: string; line: number; column: number; end_line: number; end_column: number;
  severity: "error" | "warning" | "info"; code: string; message: string; help?: string | null;
  [key: string]: unknown;
}

/** What reading a definition gave. */
export interface CheckResult {
  dialect: string; name: string; ok: boolean; diagnostics: Diagnostic[]; missing: string[]; preview: ServiceView | null;
  /** Fields that are read and checked and make no difference in the simulator. */
  kept: { path: string; why: string }[];
}

/** A recorded run: genesis and inputs. Plain data; keep it as it is, its inside may grow. */
export interface Journal { [key: string]: unknown; }

/** Settings of a picture. `sources` are paths and texts of files that are shown folded, `attributes` names and values of the element's own. */
export interface PictureOptions {
  title?: string; plan?: string; at_ms?: number; link?: string; engine?: string; sources?: [string, string][]; attributes?: [string, string][];
}

/** Settings of a lesson's picture. */
export interface LessonOptions { lang?: string; plan?: string; link?: string; engine?: string; attributes?: [string, string][]; }

/** A response of the simulated HTTP APIs. */
export interface HttpResponse { status: number; contentType: string; body: string; }

/** One example of the gallery. */
export interface ExampleInfo { id: string; title: string; dialect: string; teaches: string; difficulty: string; }
"#;
