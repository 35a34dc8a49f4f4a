//! Expansion of `Digestible`.

use crate::entries::{Entry, entries};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use syn::{Data, DeriveInput, Error, Member, Result, Variant};

const KEYWORDS: [&str; 2] = ["each", "all"];

/// Writes the implementation.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let at_type = entries(&input.attrs, "digest", &KEYWORDS)?;
    let (body, count) = match &input.data {
        Data::Struct(_) => {
            let writes = at_type.iter().map(|entry| write(entry, &quote!(self.), &entry.expression()));
            (quote!(#(#writes)*), at_type.len())
        }
        Data::Enum(data) => {
            if !at_type.is_empty() {
                return Err(Error::new_spanned(name, "list the entries of an enum at its variants"));
            }
            let mut count = 0;
            let mut arms = TokenStream::new();
            for variant in &data.variants {
                let listed = entries(&variant.attrs, "digest", &KEYWORDS)?;
                count += listed.len();
                arms.extend(arm(variant, &listed)?);
            }
            (quote!(match self { #arms }), count)
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "a union has no digest")),
    };
    if count == 0 {
        return Err(Error::new_spanned(name, "list what enters the digest in `#[digest(...)]`"));
    }
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::planarium_kernel::Digestible for #name #arguments #bounds {
            fn digest(&self, __digest: &mut ::planarium_kernel::Digest) {
                #body
            }
        }
    })
}

/// Returns the statement that writes an entry; `place` stands before the expression.
fn write(entry: &Entry, place: &TokenStream, expression: &TokenStream) -> TokenStream {
    let each = || {
        let walk = if entry.ends_with_call() { quote!() } else { quote!(.iter()) };
        quote! {
            for __item in #place #expression #walk {
                __digest.write(&__item);
            }
        }
    };
    match entry.keyword.as_deref() {
        None => quote!(__digest.write(&(#place #expression));),
        Some("each") => each(),
        Some(_) => {
            let each = each();
            quote! {
                __digest.write(&(#place #expression.len()));
                #each
            }
        }
    }
}

/// Returns the arm of a variant: it binds the fields with which the entries begin.
fn arm(variant: &Variant, listed: &[Entry]) -> Result<TokenStream> {
    let name = &variant.ident;
    let mut bound: BTreeMap<String, (Member, Ident)> = BTreeMap::new();
    let mut writes = TokenStream::new();
    for entry in listed {
        let mut tokens = entry.tokens.clone();
        let Some(first) = tokens.first_mut() else { continue };
        let member: Member = syn::parse2(first.clone().into())
            .map_err(|_| Error::new(first.span(), "an entry begins with a field of the variant"))?;
        let binding = match &member {
            Member::Named(field) => field.clone(),
            Member::Unnamed(at) => format_ident!("__field_{}", at.index, span = Span::mixed_site()),
        };
        *first = TokenTree::Ident(binding.clone());
        bound.insert(binding.to_string(), (member, binding));
        writes.extend(write(entry, &TokenStream::new(), &tokens.into_iter().collect()));
    }
    let fields = bound.values().map(|(member, binding)| match member {
        Member::Named(_) => quote!(#binding,),
        Member::Unnamed(_) => quote!(#member: #binding,),
    });
    Ok(quote!(Self::#name { #(#fields)* .. } => { #writes }))
}
