//! The code of each system and layer as a piece of its own, reached by one function.
//!
//! *Knows*: whether a piece is there. *Must not know*: which pieces there are; [`crate::systems`] and [`crate::layers`] list them.
//!
//! Nothing else in this crate names a type of a system or a layer in a way that needs its functions, so that a build can take each
//! piece out of the main part. With the feature `split` a piece is absent until [`fetch`] has brought it; without, all are there.

#[cfg(feature = "split")]
use std::cell::Cell;
#[cfg(feature = "split")]
use wasm_split_helpers::SplitLoaderError;

/// Declares pieces: the functions' names, which are the words, and the types whose code they reach. Each function returns `None` while
/// its piece is absent.
#[cfg(not(feature = "split"))]
macro_rules! pieces {
    ($($(#[$on:meta])* $name:ident = $code:ident, $of:ident::<$type:ty>;)*) => {
        /// The pieces declared here.
        pub(crate) mod pieces {
            #[allow(unused_imports, reason = "a build may have no layers")]
            use super::*;

            $($(#[$on])* pub(crate) fn $name() -> Option<&'static dyn $code> {
                Some(const { &$of::<$type>::NEW })
            })*
        }
    };
}

/// The same where pieces are fetched.
#[cfg(feature = "split")]
macro_rules! pieces {
    ($($(#[$on:meta])* $name:ident = $code:ident, $of:ident::<$type:ty>;)*) => {
        /// The pieces declared here.
        pub(crate) mod pieces {
            use super::*;
            use wasm_split_helpers::SplitLoaderError;

            $($(#[$on])* mod $name {
                use super::*;
                use std::cell::Cell;
                use wasm_split_helpers::wasm_split;

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
            })*

            $($(#[$on])* pub(crate) fn $name() -> Option<&'static dyn $code> {
                crate::pieces::noted($name::CODE.get())
            })*

            /// Returns whether the piece with this word is there, or is none of these.
            pub(crate) fn is_there(word: &str) -> bool {
                $($(#[$on])* if word == stringify!($name) {
                    return $name::CODE.get().is_some();
                })*
                true
            }

            /// Brings the piece with this word, if it is one of these.
            pub(crate) async fn fetch(word: &str) -> Result<(), SplitLoaderError> {
                $($(#[$on])* if word == stringify!($name) {
                    return $name::fetch().await;
                })*
                Ok(())
            }
        }
    };
}

pub(crate) use pieces;

#[cfg(feature = "split")]
thread_local! {
    static ABSENT: Cell<bool> = const { Cell::new(false) };
}

/// Notes code that is absent when it is needed.
#[cfg(feature = "split")]
pub(crate) fn noted<C>(code: Option<C>) -> Option<C> {
    ABSENT.set(ABSENT.get() || code.is_none());
    code
}

/// Returns whether code was absent when it was needed.
pub(crate) fn was_absent() -> bool {
    #[cfg(feature = "split")]
    return ABSENT.get();
    #[cfg(not(feature = "split"))]
    false
}

/// Returns whether the code of a system or layer is there.
#[cfg_attr(not(feature = "split"), expect(clippy::missing_const_for_fn, reason = "all code is there"))]
pub(crate) fn is_there(word: &str) -> bool {
    #[cfg(feature = "split")]
    return crate::layers::pieces::is_there(word) && crate::systems::pieces::is_there(word);
    #[cfg(not(feature = "split"))]
    {
        let _ = word;
        true
    }
}

/// A piece could not be fetched, or was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFetched;

#[cfg(feature = "split")]
impl From<SplitLoaderError> for NotFetched {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// Brings the code of a system or layer by its word; nothing for a word that names none.
///
/// *Errors*: the piece could not be fetched; a later call tries again.
#[cfg(feature = "split")]
pub async fn fetch(word: &str) -> Result<(), NotFetched> {
    crate::layers::pieces::fetch(word).await?;
    Ok(crate::systems::pieces::fetch(word).await?)
}

/// Brings nothing: all code is there.
///
/// *Errors*: none.
#[cfg(not(feature = "split"))]
pub async fn fetch(_: &str) -> Result<(), NotFetched> {
    Ok(())
}
