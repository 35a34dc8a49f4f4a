//! Typed ids: small numbers from per-kind counters.
//!
//! *Knows*: how to make a newtype over `u32`. *Must not know*: any kind of thing that has an id.

/// Defines `u32` newtypes used as ids.
///
/// Each gets the usual derives, `index()` for tables and `at()` for the id
/// of a table's row, all with the visibility written before the name.
#[macro_export]
macro_rules! id_types {
    ($($(#[$doc:meta])* $vis:vis $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name($vis u32);

        impl $name {
            /// The row of this id in a table.
            $vis const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a table's row; rows beyond 32 bits do not exist.
            $vis fn at(row: usize) -> Self {
                Self(u32::try_from(row).unwrap_or(u32::MAX))
            }
        }

        impl $crate::id::Id for $name {
            fn number(self) -> usize {
                self.index()
            }
        }

        impl $crate::Digestible for $name {
            fn digest(&self, digest: &mut $crate::Digest) {
                digest.write_u32(self.0);
            }
        }
    )+};
}

/// The interface of types that [`id_types!`] defines.
pub trait Id: Copy {
    /// The number that its counter gave.
    fn number(self) -> usize;
}

/// Counts up and never gives the same id twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    next: u32,
}

impl Counter {
    /// A counter whose first number is 0.
    pub const fn new() -> Self {
        Self { next: 0 }
    }

    /// The next number.
    pub const fn next(&mut self) -> u32 {
        let number = self.next;
        self.next = self.next.saturating_add(1);
        number
    }

    /// Returns how many numbers were given.
    pub const fn given(&self) -> u32 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    id_types! {
        /// An id for the test.
        ThingId;
    }

    #[test]
    fn ids_count_up() {
        let mut counter = Counter::new();
        assert_eq!((counter.next(), counter.next(), counter.given()), (0, 1, 2));
        assert_eq!(ThingId::at(7).index(), 7);
        assert_eq!(ThingId::at(usize::MAX), ThingId(u32::MAX));
    }
}
