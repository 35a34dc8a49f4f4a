// Defines `<planarium-embed>` on import.
import { define } from "./define.js";

define();
