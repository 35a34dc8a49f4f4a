//! Code of the page that comes later: each piece as one table of functions.
//!
//! *Knows*: which pieces there are, and whether each is there. *Must not know*: what a piece draws.
//!
//! Nothing else in the page calls what a table leads to, so that a build can take each piece out of the main part. With the feature `split`
//! a piece is absent until [`fetch`] has brought it; without, all are there.

use crate::features;
use crate::systems;

/// A piece could not be fetched, or was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotFetched;

#[cfg(feature = "split")]
impl From<wasm_split_helpers::SplitLoaderError> for NotFetched {
    fn from(_: wasm_split_helpers::SplitLoaderError) -> Self {
        Self
    }
}

/// Declares pieces: a function that gives the table while it is there, the name in [`Piece`], type and place of the table.
macro_rules! pieces {
    ($($(#[doc = $doc:literal])* $name:ident, $piece:ident: $code:ty = $table:path;)*) => {
        /// The pieces.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Piece {
            $($(#[doc = $doc])* $piece,)*
        }

        impl Piece {
            /// All of them, the likeliest to be opened first.
            const ALL: &[Self] = &[$(Self::$piece),*];

            fn is_there(self) -> bool {
                match self {
                    $(Self::$piece => $name().is_some(),)*
                }
            }
        }

        $(
            $(#[doc = $doc])*
            #[cfg(not(feature = "split"))]
            pub(crate) fn $name() -> Option<&'static $code> {
                Some(&$table)
            }

            $(#[doc = $doc])*
            #[cfg(feature = "split")]
            pub(crate) fn $name() -> Option<&'static $code> {
                $name::CODE.get()
            }

            #[cfg(feature = "split")]
            mod $name {
                use super::*;
                use std::cell::Cell;
                use wasm_split_helpers::wasm_split;

                thread_local! {
                    pub(super) static CODE: Cell<Option<&'static $code>> = const { Cell::new(None) };
                }

                #[wasm_split($name, fallible)]
                fn bring() -> Result<(), NotFetched> {
                    CODE.set(Some(&$table));
                    Ok(())
                }

                pub(super) async fn fetch() -> Result<(), NotFetched> {
                    bring().await
                }
            }
        )*

        /// Brings a piece.
        ///
        /// *Errors*: it could not be fetched; a later call tries again.
        #[cfg(feature = "split")]
        pub(crate) async fn fetch(piece: Piece) -> Result<(), NotFetched> {
            match piece {
                $(Piece::$piece => $name::fetch().await,)*
            }
        }
    };
}

pieces! {
    /// The dialogs.
    dialogs, Dialogs: features::dialogs::Code = features::dialogs::CODE;
    /// Panels and pictures of single systems.
    pictures, Pictures: systems::Pictures = systems::PICTURES;
    /// Tabs of the inspector that are opened later.
    tabs, Tabs: features::inspector::Code = features::inspector::CODE;
    /// The pane of an open lesson.
    lesson, Lesson: features::lesson::Code = features::lesson::CODE;
}

/// Brings nothing: all code is there.
///
/// *Errors*: none.
#[cfg(not(feature = "split"))]
pub(crate) fn fetch(_: Piece) -> std::future::Ready<Result<(), NotFetched>> {
    std::future::ready(Ok(()))
}

/// Brings the pieces that are not there by now, one after the other, and says so of each. Those that do not come are tried again when they
/// are opened.
pub(crate) async fn fetch_all(say: impl Fn()) {
    for piece in Piece::ALL.iter().filter(|piece| !piece.is_there()) {
        if fetch(*piece).await.is_ok() {
            say();
        }
    }
}
