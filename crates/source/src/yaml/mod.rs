//! YAML (and with it JSON) as a tree in which every node knows where it was written.
//!
//! The tree keeps what the text says: styles, tags, repeated keys, the order of everything. It must
//! not know which fields a dialect has or what a repeated one means there.
//!
//! Events come from `saphyr-parser`; limits are checked while they arrive, so that a hostile text is
//! refused before it costs anything. Aliases are expanded by sharing, merge keys (`<<`) by copying
//! entries; both are bounded by [`Limits::alias_nodes`].

mod addition;
mod build;
mod change;
mod continued;
mod duplicate;
mod go;
mod go_rules;
mod layout;
mod limits;
mod merge;
mod message;
mod node;
mod reader;
mod recover;
mod removal;
mod scalar;
mod value;

pub use addition::{items_changed, list_added};
pub use change::{Addable, apply_changes, changes};
pub use duplicate::{report_duplicates, report_duplicates_everywhere};
pub use go::to_go_yaml;
pub use limits::Limits;
pub use node::{Entry, Kind, Node, Scalar, Style};
pub use reader::{Parsed, Reader};
pub use removal::{DocumentRemoval, documents_removed, items_removed};
pub use scalar::{Coerced, decimal_to_thousandths};

#[cfg(test)]
mod go_cases;
#[cfg(test)]
mod tests;
