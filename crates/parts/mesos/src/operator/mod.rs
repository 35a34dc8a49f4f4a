//! What an operator can ask the master to change: reservations, volumes, weights, quotas, the end of a framework.
//!
//! A call is read in full, then checked, then carried out at once; a refused call changes nothing. There is no
//! authentication here, so principals are taken as they are written.
//!
//! Source: `apache/mesos: src/master/http.cpp` (teardown, api). Match.

mod call;
mod convert;
mod decode;
mod events;
mod forms;
mod operate;
mod quota;
mod weights;

pub use call::{Conversion, Convert, OperatorCall, QuotaConfig};
pub use decode::{v0_call, v0_methods, v1_call};
pub(crate) use events::OperatorEvents;
pub use events::TimedEvent;
pub use forms::{form_fields, percent_decoded};
