//! Derive macros for digests, weights and reading. Use them through the kernel, which exports them beside their traits.
//!
//! *Knows*: fields, variants and lists of entries. *Must not know*: the meaning of any field.
//!
//! An attribute lists the entries in the order in which they are written or added. Fields that are not listed do not
//! count: caches, revisions and prose stay outside a digest, and memory that no copy owns outside a weight.

mod digest;
mod entries;
mod read;
mod weight;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, parse_macro_input};

/// Implements `Digestible`: writes the entries of `#[digest(...)]` in their order.
///
/// | entry | writes |
/// |---|---|
/// | `name`, `spec.name`, `state.as_str()` | a field, or an expression that begins with a field |
/// | `each watches` | every item, without their number; of a map, key and value |
/// | `all processes` | the number of items, then every item |
///
/// The attribute stands at a struct, or at variants of an enum, where an entry begins with a field of the variant; `0`
/// is the first field of a tuple. No number is written for the variant itself. A call at the end of `each` returns an
/// iterator; a field there is walked with `iter()`.
#[proc_macro_derive(Digestible, attributes(digest))]
pub fn digestible(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    digest::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `Weight`: the sum of the entries of `#[weight(...)]`.
///
/// | entry | adds |
/// |---|---|
/// | `plans`, `state.tasks` | what the field weighs beyond the same field before |
/// | `flat ids` | the same where entries have no data behind pointers (`Flat`) |
/// | `own 512`, `own self.texts()` | a number of bytes that is never shared |
/// | `new 512`, `new self.texts()` | a number of bytes, if there is nothing before |
///
/// Of an enum, each variant names at most one field; before, only the same variant counts.
#[proc_macro_derive(Weight, attributes(weight))]
pub fn weight(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    weight::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `Read`: takes a value out of plain data, as `#[serde(...)]` says that it is written.
///
/// It is for data that a program of the same version has written: fields that nobody knows are passed over. Use it through
/// `planarium_protocol::json`.
#[proc_macro_derive(Read, attributes(serde))]
pub fn read(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    read::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}
