//! The playground page.
//!
//! *Knows*: the store (state, actions, pure reducers and selectors), the components that show it, and the
//! browser. *Must not know*: any rule of a simulated system, and the engine, which runs in a worker beside the page: questions
//! and facts of `planarium_messages` go back and forth (`store::engine`), and everything reads `planarium_protocol` data.

mod app;
mod browser;
mod features;
mod pieces;
mod store;
mod systems;
mod ui;

#[cfg(feature = "picture")]
pub use app::picture;
pub use app::start;
