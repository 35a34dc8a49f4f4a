//! planarium-wasm
