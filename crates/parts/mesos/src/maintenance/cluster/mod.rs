//! The effects of maintenance on the cluster.
//!
//! *Knows*: which of the master's records each effect touches, and in which order. *Must not know*: what a call
//! has to look like and when it is refused, which the modules above decide.
//!
//! | part | module |
//! |---|---|
//! | machines change their mode | `effects` |
//! | agents drained, deactivated, reactivated, marked gone | `drains` |
//! | inverse offers sent, answered, rescinded | `inverse_offers` |
//! | names in the schedule that match no machine | `unmatched` |
//! | maintenance as the operator and a front end see it | `view`, `why` |

pub(crate) mod drains;
pub(crate) mod effects;
pub(crate) mod inverse_offers;
pub(crate) mod standing;
pub(crate) mod unmatched;
pub(crate) mod view;
pub(crate) mod why;
