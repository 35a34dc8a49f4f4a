//! Frameworks: their roles, their subscription, whether they are connected.
//!
//! | part | module |
//! |---|---|
//! | the record of a framework; all of them, and their messages | `record`, `store` |
//! | SUBSCRIBE, disconnection, removal | `subscription` |
//! | UPDATE_FRAMEWORK | `update` |

mod record;
mod store;
pub(crate) mod subscription;
pub(crate) mod update;

pub(crate) use record::Framework;
pub(crate) use store::Frameworks;
