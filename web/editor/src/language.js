/** The languages that a definition can be written in. */
import { yaml } from "@codemirror/lang-yaml";

/**
 * JSON is coloured by the YAML grammar, which contains it: one grammar less to load.
 *
 * @param {string} [name]
 * @returns {import("@codemirror/state").Extension}
 */
export function languageNamed(name = "yaml") {
  return name === "yaml" || name === "yml" || name === "json" ? yaml() : [];
}
