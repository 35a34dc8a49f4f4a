//! The code of each system and layer, by the one function that reaches it.
//!
//! *Knows*: which code is a piece of its own, and whether it is there. *Must not know*: any rule.
//!
//! Nothing else in this crate names a type of a system or a layer in a way that needs its functions, so that a build can take each
//! piece out of the main part. With the feature `split` a piece is absent until [`fetch`] has brought it; without, all are there.

use crate::layers::{LayerCode, LayerCodeOf};
use crate::systems::{Code, CodeOf};

/// Declares the pieces: the functions' names, which are the words, and the types whose code they reach.
macro_rules! pieces {
    ($($(#[$on:meta])* $name:ident = $code:ident, $of:ident::<$type:ty>;)+) => {
        #[cfg(not(feature = "split"))]
        mod here {
            use super::*;

            $($(#[$on])* pub(crate) fn $name() -> Option<&'static dyn $code> {
                Some(const { &$of::<$type>::NEW })
            })+

            /// Returns whether the code of a system or layer is there.
            pub(crate) fn is_there(_: &str) -> bool {
                true
            }

            /// Returns whether absent code was called.
            pub(crate) fn was_absent() -> bool {
                false
            }
        }

        #[cfg(feature = "split")]
        mod here {
            use super::*;
            use std::cell::Cell;
            use wasm_split_helpers::{SplitLoaderError, wasm_split};

            thread_local! {
                static ABSENT: Cell<bool> = const { Cell::new(false) };
            }

            $($(#[$on])* pub(crate) mod $name {
                use super::*;

                thread_local! {
                    pub(super) static CODE: Cell<Option<&'static dyn $code>> = const { Cell::new(None) };
                }

                #[wasm_split($name, fallible)]
                fn bring() -> Result<(), SplitLoaderError> {
                    CODE.set(Some(const { &$of::<$type>::NEW }));
                    Ok(())
                }

                pub(super) async fn fetch() -> Result<(), SplitLoaderError> {
                    bring().await
                }
            })+

            $($(#[$on])* pub(crate) fn $name() -> Option<&'static dyn $code> {
                let code = $name::CODE.get();
                ABSENT.set(ABSENT.get() || code.is_none());
                code
            })+

            /// Returns whether the code of a system or layer is there.
            pub(crate) fn is_there(word: &str) -> bool {
                $($(#[$on])* if word == stringify!($name) {
                    return $name::CODE.get().is_some();
                })+
                true
            }

            /// Returns whether absent code was called.
            pub(crate) fn was_absent() -> bool {
                ABSENT.get()
            }

            /// Brings the code of a system or layer by its word; nothing for a word that names none.
            ///
            /// *Errors*: the piece could not be fetched or was damaged; a later call tries again.
            pub async fn fetch(word: &str) -> Result<(), SplitLoaderError> {
                $($(#[$on])* if word == stringify!($name) {
                    return $name::fetch().await;
                })+
                Ok(())
            }
        }
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

#[cfg(feature = "split")]
pub use here::fetch;
pub(crate) use here::*;
