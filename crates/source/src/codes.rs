//! The diagnostic codes of this crate; dialects have their own.

/// Every code of this crate with its title. Each has a page `docs/diagnostics/CODE.md`.
pub const CODES: &[(&str, &str)] = &[
    (YAML_SYNTAX, "The text is not valid YAML"),
    (TOO_LARGE, "The text is too large"),
    (TOO_DEEP, "The text is nested too deeply"),
    (ALIAS_EXPANSION, "Aliases cannot be expanded"),
    (SEVERAL_DOCUMENTS, "The file holds several documents"),
    (DUPLICATE_KEY, "A field is written twice"),
    (TOO_MANY_NODES, "The text holds too many values"),
    (ALIAS_AS_TEXT, "An alias is read as a text"),
    (NOT_OF_GO, "Programs written in Go refuse this value"),
    (WORD_AS_BOOLEAN, "A plain word is read as true or false"),
    (JSON_SYNTAX, "The text is not valid JSON"),
    (TAG_NOT_CLOSED, "A template tag is not closed"),
    (SECTION_NOT_CLOSED, "A template section is not closed"),
    (SECTION_MISMATCH, "A closing tag does not match its section"),
    (PARTIAL, "Partials are not supported"),
    (BAD_NAME, "A template tag has no usable name"),
    (SECTIONS_TOO_DEEP, "Template sections are nested too deeply"),
    (TEMPLATE_TOO_LARGE, "The template or its output is too large"),
    (BAD_DELIMITERS, "A delimiter tag is malformed"),
    (FINDINGS_DROPPED, "Further findings were dropped"),
];

/// Broken YAML syntax.
pub(crate) const YAML_SYNTAX: &str = "YAML001";
/// More bytes than the limit.
pub(crate) const TOO_LARGE: &str = "YAML002";
/// More nesting than the limit.
pub(crate) const TOO_DEEP: &str = "YAML003";
/// Aliases that expand too far, contain themselves or cross documents.
pub(crate) const ALIAS_EXPANSION: &str = "YAML004";
/// A second document where one is read.
pub(crate) const SEVERAL_DOCUMENTS: &str = "YAML005";
/// The same key twice in one mapping.
pub(crate) const DUPLICATE_KEY: &str = "YAML006";
/// More nodes than the limit.
pub(crate) const TOO_MANY_NODES: &str = "YAML007";
/// An alias where the real reader follows none.
pub(crate) const ALIAS_AS_TEXT: &str = "YAML008";
/// A value that only readers written in Go refuse.
pub(crate) const NOT_OF_GO: &str = "YAML009";
/// `n`, `y` or a key such as `on`, which readers written in Go take for true or false.
pub(crate) const WORD_AS_BOOLEAN: &str = "YAML010";
/// Broken JSON syntax in the strict reader.
pub(crate) const JSON_SYNTAX: &str = "JSON001";
/// `{{` without `}}`.
pub(crate) const TAG_NOT_CLOSED: &str = "TPL001";
/// `{{#X}}` without `{{/X}}`.
pub(crate) const SECTION_NOT_CLOSED: &str = "TPL002";
/// `{{/Y}}` instead of `{{/X}}` or of nothing.
pub(crate) const SECTION_MISMATCH: &str = "TPL003";
/// `{{> X}}`.
pub(crate) const PARTIAL: &str = "TPL004";
/// A tag without a name, such as `{{}}`.
pub(crate) const BAD_NAME: &str = "TPL005";
/// More nested sections than the limit.
pub(crate) const SECTIONS_TOO_DEEP: &str = "TPL006";
/// Template, output or work above the limit.
pub(crate) const TEMPLATE_TOO_LARGE: &str = "TPL007";
/// `{{=x=}}` and the like.
pub(crate) const BAD_DELIMITERS: &str = "TPL008";
/// The collector's bound was reached.
pub(crate) const FINDINGS_DROPPED: &str = "SRC001";
