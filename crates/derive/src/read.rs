//! Expansion of `Read`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, Lit, LitStr, Path, Result, Token, Variant, parse_quote,
};

/// The value of a field that is not written.
enum Unwritten {
    /// The default of its type.
    Plain,
    /// That of a function.
    Made(Path),
}

/// Words of `#[serde(...)]` at a type, a variant or a field, as far as reading needs them.
#[derive(Default)]
struct Says {
    rename: Option<String>,
    rename_all: Option<String>,
    tag: Option<String>,
    /// The value where nothing is written, if something may be missing.
    default: Option<Unwritten>,
    skip: bool,
    flatten: bool,
    /// A module with a function `read`.
    with: Option<Path>,
}

impl Says {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut says = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| says.take(&meta))?;
        }
        Ok(says)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let text = if meta.input.peek(Token![=]) {
            match meta.value()?.parse()? {
                Lit::Str(text) => Some(text),
                other => return Err(Error::new_spanned(other, "a text")),
            }
        } else {
            None
        };
        let value = || text.as_ref().map(LitStr::value);
        let path = || text.as_ref().map(LitStr::parse).transpose();
        match &*word {
            "rename" => self.rename = value(),
            "rename_all" => self.rename_all = value(),
            "tag" => self.tag = value(),
            "default" => self.default = Some(path()?.map_or(Unwritten::Plain, Unwritten::Made)),
            "skip" => self.skip = true,
            "flatten" => self.flatten = true,
            "with" => self.with = path()?,
            // How it is written, and what others refuse.
            "skip_serializing_if" | "deny_unknown_fields" | "deserialize_with" | "transparent" => {}
            _ => return Err(meta.error("reading does not know this")),
        }
        Ok(())
    }

    /// The name of a variant in data.
    fn name_of(&self, variant: &Variant, own: &Self) -> Result<String> {
        let name = variant.ident.to_string();
        Ok(match (&own.rename, self.rename_all.as_deref()) {
            (Some(name), _) => name.clone(),
            (None, None) => name,
            (None, Some("lowercase")) => name.to_lowercase(),
            (None, Some("kebab-case")) => kebab(&name),
            (None, Some(_)) => return Err(Error::new_spanned(variant, "reading does not know this case")),
        })
    }
}

fn kebab(name: &str) -> String {
    let mut written = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            written.push('-');
        }
        written.extend(letter.to_lowercase());
    }
    written
}

/// Writes the implementation.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let says = Says::of(&input.attrs)?;
    let body = match &input.data {
        Data::Struct(data) => {
            let (before, built) = whole(&data.fields, &quote!(Self), &says)?;
            quote!(#before ::core::result::Result::Ok(#built))
        }
        Data::Enum(data) => {
            let variants =
                data.variants.iter().map(|variant| arm(variant, &says)).collect::<Result<Vec<_>>>()?;
            let (arms, unknown) = (variants.iter().flatten(), name.to_string());
            let start = says.tag.as_ref().map_or_else(
                || quote!(let (__name, __value) = ::planarium_protocol::json::read::variant(__value)?;),
                |tag| {
                    quote! {
                        let mut __fields = ::planarium_protocol::json::read::Named::of(__value)?;
                        let __name = __fields.word(#tag)?;
                    }
                },
            );
            quote! {
                #start
                ::core::result::Result::Ok(match &*__name {
                    #(#arms)*
                    _ => return ::core::result::Result::Err(::planarium_protocol::json::read::Misread(#unknown)),
                })
            }
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "a union cannot be read")),
    };
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::planarium_protocol::json::Read));
    }
    let (generics, arguments, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::planarium_protocol::json::Read for #name #arguments #bounds {
            fn read(
                __value: ::planarium_protocol::json::Value,
            ) -> ::core::result::Result<Self, ::planarium_protocol::json::read::Misread> {
                #body
            }
        }
    })
}

/// The arm of a variant; none for one that is never written.
fn arm(variant: &Variant, says: &Says) -> Result<Option<TokenStream>> {
    let own = Says::of(&variant.attrs)?;
    if own.skip {
        return Ok(None);
    }
    let (ident, name) = (&variant.ident, says.name_of(variant, &own)?);
    let body = match (&variant.fields, &own.with) {
        (Fields::Unnamed(fields), Some(with)) if fields.unnamed.len() == 1 => {
            quote!(Self::#ident(#with::read(__value)?))
        }
        (Fields::Unit, _) => quote!(Self::#ident),
        (Fields::Named(fields), _) if says.tag.is_some() => {
            let inits = named(fields, &Says::default())?;
            quote!(Self::#ident { #(#inits)* })
        }
        (Fields::Unnamed(fields), _) if says.tag.is_some() && fields.unnamed.len() == 1 => {
            quote!(Self::#ident(::planarium_protocol::json::Read::read(__fields.rest())?))
        }
        (fields, _) => {
            let (before, built) = whole(fields, &quote!(Self::#ident), &Says::default())?;
            quote!({ #before #built })
        }
    };
    Ok(Some(quote!(#name => #body,)))
}

/// Statements before the value, and the value built of `__value`.
fn whole(fields: &Fields, name: &TokenStream, says: &Says) -> Result<(TokenStream, TokenStream)> {
    Ok(match fields {
        Fields::Unit => (TokenStream::new(), name.clone()),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            (TokenStream::new(), quote!(#name(::planarium_protocol::json::Read::read(__value)?)))
        }
        Fields::Unnamed(fields) => {
            let items = fields.unnamed.iter().map(|_| quote!(__items.next()?,));
            (
                quote!(let mut __items = ::planarium_protocol::json::read::Listed::of(__value)?;),
                quote!(#name(#(#items)*)),
            )
        }
        Fields::Named(fields) => {
            let inits = named(fields, says)?;
            let plain = says
                .default
                .is_some()
                .then(|| quote!(let __plain: Self = ::core::default::Default::default();));
            (
                quote!(let mut __fields = ::planarium_protocol::json::read::Named::of(__value)?; #plain),
                quote!(#name { #(#inits)* }),
            )
        }
    })
}

/// The fields, read one by one from `__fields`.
fn named(fields: &syn::FieldsNamed, says: &Says) -> Result<Vec<TokenStream>> {
    let mut inits = Vec::new();
    for field in &fields.named {
        let own = Says::of(&field.attrs)?;
        let Some(ident) = &field.ident else { continue };
        let name = own.rename.clone().unwrap_or_else(|| match says.rename_all.as_deref() {
            Some("kebab-case") => ident.to_string().replace('_', "-"),
            _ => ident.to_string(),
        });
        let init = if own.skip {
            quote!(::core::default::Default::default())
        } else if own.flatten {
            quote!(::planarium_protocol::json::Read::read(__fields.rest())?)
        } else if let Some(with) = &own.with {
            quote!(#with::read(__fields.value(#name))?)
        } else if let Some(default) = &own.default {
            match default {
                Unwritten::Made(make) => quote!(__fields.maybe(#name)?.unwrap_or_else(#make)),
                Unwritten::Plain => quote!(__fields.maybe(#name)?.unwrap_or_default()),
            }
        } else if says.default.is_some() {
            quote!(__fields.maybe(#name)?.unwrap_or(__plain.#ident))
        } else {
            quote!(__fields.get(#name)?)
        };
        inits.push(quote!(#ident: #init,));
    }
    Ok(inits)
}
