export { define } from "./index.js";
