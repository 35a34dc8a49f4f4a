//! Lists of entries in attributes.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Result};

/// An entry: an expression, perhaps after a keyword.
pub(crate) struct Entry {
    pub(crate) keyword: Option<String>,
    pub(crate) tokens: Vec<TokenTree>,
}

impl Entry {
    fn new(mut tokens: Vec<TokenTree>, keywords: &[&str]) -> Self {
        let keyword = match &*tokens {
            // A field may be called like a keyword: then nothing or its own access follows.
            [TokenTree::Ident(word), next, ..] if !matches!(next, TokenTree::Punct(_)) => {
                keywords.iter().find(|keyword| word == *keyword).map(|keyword| (*keyword).to_owned())
            }
            _ => None,
        };
        if keyword.is_some() {
            tokens.remove(0);
        }
        Self { keyword, tokens }
    }

    /// Returns the expression.
    pub(crate) fn expression(&self) -> TokenStream {
        self.tokens.iter().cloned().collect()
    }

    /// Returns whether the expression ends with a call.
    pub(crate) fn ends_with_call(&self) -> bool {
        matches!(self.tokens.last(), Some(TokenTree::Group(_)))
    }
}

/// Returns the entries of all attributes of this name, in order.
pub(crate) fn entries(attributes: &[Attribute], name: &str, keywords: &[&str]) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        let tokens: Vec<TokenTree> = attribute.meta.require_list()?.tokens.clone().into_iter().collect();
        let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
        let listed = tokens.split(is_comma).filter(|entry| !entry.is_empty());
        found.extend(listed.map(|entry| Entry::new(entry.to_vec(), keywords)));
    }
    Ok(found)
}
