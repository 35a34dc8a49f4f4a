//! The process as a whole.

mod execution;
mod lab;
mod pages;
mod readings;
