//! The dialect at its boundary: files in, findings, logs and states out.

mod engine;
mod findings;
mod generate;
mod oracle;
mod pages;
mod plugins;
mod properties;
mod random;
mod reading;
mod sample;
mod support;
