//! The code of each system and layer, by the one function that reaches it.
//!
//! *Knows*: which code is a piece of its own. *Must not know*: any rule.
//!
//! Nothing else in this crate names a type of a system or a layer in a way that needs its functions, so that a build can take each
//! piece out of the main part.

use crate::layers::{LayerCode, LayerCodeOf};
use crate::systems::{Code, CodeOf};

/// Declares the pieces: the functions' names and the types whose code they reach.
macro_rules! pieces {
    ($($(#[$on:meta])* $name:ident = $code:ident, $of:ident::<$type:ty>;)+) => {
        $($(#[$on])* pub(crate) fn $name() -> Option<&'static dyn $code> {
            Some(const { &$of::<$type>::NEW })
        })+
    };
}

pieces! {
    #[cfg(feature = "mesos")]
    mesos = LayerCode, LayerCodeOf::<planarium_mesos::Mesos>;
    #[cfg(feature = "kube")]
    kube = LayerCode, LayerCodeOf::<planarium_kube::Kubernetes>;
    #[cfg(feature = "sdk")]
    sdk = Code, CodeOf::<planarium_sdk::Daemon>;
    #[cfg(feature = "marathon")]
    marathon = Code, CodeOf::<planarium_marathon::Daemon>;
    #[cfg(feature = "kudo")]
    kudo = Code, CodeOf::<planarium_kudo::Daemon>;
    #[cfg(feature = "skopos")]
    skopos = Code, CodeOf::<planarium_skopos::Daemon>;
    #[cfg(feature = "kubernetes")]
    kubernetes = Code, CodeOf::<planarium_kubernetes::Daemon>;
}
