//! Offers: made, accepted, declined, rescinded.
//!
//! | part | module |
//! |---|---|
//! | records: outstanding offers, operations that have an id | `store`, `outstanding`, `operation_record` |
//! | allocation runs, and the offers that result | `run`, `round` |
//! | offers made, declined, rescinded | `exchange` |
//! | the flag `offer_timeout` | `timeout` |
//! | ACCEPT | `accept` |
//! | feedback on operations | `operations` |

pub(crate) mod accept;
pub(crate) mod exchange;
mod operation_record;
pub(crate) mod operations;
mod outstanding;
mod recency;
pub(crate) mod round;
pub(crate) mod run;
mod store;
pub(crate) mod timeout;

pub(crate) use operation_record::{Operations, TrackedOperation};
pub(crate) use outstanding::OutstandingOffers;
pub(crate) use recency::recency;
pub(crate) use store::{Offers, Requested};
