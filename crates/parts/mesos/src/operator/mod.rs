//! Operations of an operator on the master: reservations, volumes, weights, quotas, the end of a framework.
//!
//! A call is read in full, then checked, then carried out; a refused call changes nothing. Without authentication,
//! principals are taken as written.
//!
//! Source: `apache/mesos: src/master/http.cpp` (teardown, api). Match.

pub(crate) mod call;
pub(crate) mod convert;
pub(crate) mod decode;
pub(crate) mod events;
pub(crate) mod forms;
pub(crate) mod operate;
pub(crate) mod quota;
pub(crate) mod weights;

pub use call::{Conversion, Convert, OperatorCall, QuotaConfig};
pub use decode::{V0, v0_call, v1_call};
pub(crate) use events::Operators;
pub use events::TimedEvent;
pub use forms::{form_fields, percent_decoded};
