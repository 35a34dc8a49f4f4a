//! The playground page.
//!
//! *Knows*: the store (state, actions, pure reducers and selectors), the components that show it, and the
//! browser. *Must not know*: any rule of a simulated system. Only `store::effects` and this crate's
//! `start` touch the engine; everything else reads `planarium_protocol` data. The words of the console are
//! `planarium_rest`'s.

mod app;
mod browser;
mod features;
mod store;
mod systems;
mod ui;

#[cfg(feature = "picture")]
pub use app::picture;
pub use app::start;
