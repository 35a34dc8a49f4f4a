// Importing this does nothing by itself: call `define()`, or import `planarium/element`.
export { define } from "./define.js";
