//! Expansion of `Weight`.

use crate::entries::{Entry, entries};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Data, DeriveInput, Error, Member, Result, Variant};

const KEYWORDS: [&str; 3] = ["flat", "own", "new"];

/// Writes the implementation.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let at_type = entries(&input.attrs, "weight", &KEYWORDS)?;
    let body = match &input.data {
        Data::Struct(_) if at_type.is_empty() => {
            return Err(Error::new_spanned(name, "list what weighs something in `#[weight(...)]`"));
        }
        Data::Struct(_) => {
            let terms = at_type.iter().map(term);
            quote! {
                let _ = __before;
                #(#terms)+*
            }
        }
        Data::Enum(data) if at_type.is_empty() => {
            let arms = data.variants.iter().map(arm).collect::<Result<Vec<_>>>()?;
            quote!(match self { #(#arms)* })
        }
        Data::Enum(_) => {
            return Err(Error::new_spanned(name, "name the field of each variant at the variant"));
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "a union has no weight")),
    };
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::planarium_kernel::Weight for #name #arguments #bounds {
            fn beyond(&self, __before: Option<&Self>) -> u64 {
                #body
            }
        }
    })
}

fn term(entry: &Entry) -> TokenStream {
    let tokens = entry.expression();
    let before = quote!(__before.map(|__before| &__before.#tokens));
    match entry.keyword.as_deref() {
        None => quote!(::planarium_kernel::Weight::beyond(&self.#tokens, #before)),
        Some("flat") => quote!(::planarium_kernel::Flat::beyond_flat(&self.#tokens, #before)),
        Some("own") => quote!((#tokens)),
        Some(_) => quote!((if __before.is_none() { #tokens } else { 0 })),
    }
}

/// Returns the arm of a variant: its one field is compared with that of the same variant before.
fn arm(variant: &Variant) -> Result<TokenStream> {
    let name = &variant.ident;
    let listed = entries(&variant.attrs, "weight", &KEYWORDS)?;
    let field = match &*listed {
        [] => return Ok(quote!(Self::#name { .. } => 0,)),
        [Entry { keyword: None, tokens }] => match &**tokens {
            [TokenTree::Ident(_) | TokenTree::Literal(_)] => tokens,
            _ => return Err(Error::new_spanned(name, "an entry of a variant is a field")),
        },
        _ => return Err(Error::new_spanned(name, "a variant has the weight of one field")),
    };
    let field: Member = syn::parse2(field.iter().cloned().collect())?;
    Ok(quote! {
        Self::#name { #field: __now, .. } => ::planarium_kernel::Weight::beyond(
            __now,
            match __before {
                Some(Self::#name { #field: __old, .. }) => Some(__old),
                _ => None,
            },
        ),
    })
}
