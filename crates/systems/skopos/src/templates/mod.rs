//! Texts with names in double braces: `check {{.id}} {{.vars.timeout}}`.
//!
//! *Knows*: the part of Go's template language that plans use: fields, `index` with texts, trim marks, comments.
//! *Must not know*: the meaning of any name.
//!
//! **Source**: Go `text/template`, lexer and field chains; simplified: pipelines, functions and control structures are
//! kept as [`Piece::Broken`] and fail when they are used. Differs: a field name may hold a hyphen.

pub(crate) mod values;

use planarium_protocol::Text;
use std::sync::Arc;

/// A text with names in it. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// As written.
    pub(crate) written: Text,
    pieces: Arc<[Piece]>,
}

/// A stretch of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Copied unchanged.
    Text(Text),
    /// Replaced by the value of a name.
    Name(Name),
    /// Cannot be interpolated, and why.
    Broken(Text),
}

/// A name as a path of fields: `.Model.Components.back.Image`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Its fields, at least one.
    pub(crate) parts: Vec<Part>,
}

/// One field of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The field.
    pub(crate) text: Text,
    /// It is an argument of `index`: keys match it exactly, and in a list a number is an index.
    pub(crate) quoted: bool,
}

impl Name {
    /// The first field.
    pub(crate) fn first(&self) -> &str {
        self.parts.first().map_or("", |part| &part.text)
    }

    /// Returns whether a field has a hyphen that Go would refuse.
    pub(crate) fn has_hyphen(&self) -> bool {
        self.parts.iter().any(|part| !part.quoted && part.text.contains('-'))
    }

    /// The name with its dots, as messages show it.
    pub(crate) fn dotted(&self) -> String {
        self.parts.iter().fold(String::new(), |text, part| text + "." + &part.text)
    }
}

impl Template {
    /// Takes a text apart.
    pub(crate) fn parse(text: &str) -> Self {
        let pieces = if text.contains("{{") {
            Parser { rest: text, pieces: Vec::new(), text: String::new() }.run()
        } else {
            vec![Piece::Text(text.into())]
        };
        Self { written: text.into(), pieces: pieces.into() }
    }

    /// Its stretches in order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns whether nothing has to be replaced.
    pub(crate) fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }
}

struct Parser<'t> {
    rest: &'t str,
    pieces: Vec<Piece>,
    text: String,
}

/// Characters that Go takes for blank around a trim mark.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl Parser<'_> {
    fn run(mut self) -> Vec<Piece> {
        while let Some((before, inside)) = self.rest.split_once("{{") {
            self.text.push_str(before);
            let Some((mut inner, mut after)) = close(inside) else {
                self.broken("`{{` is never closed");
                self.rest = "";
                break;
            };
            if let Some(trimmed) = inner.strip_prefix('-').filter(|rest| rest.starts_with(BLANKS)) {
                inner = trimmed;
                self.text.truncate(self.text.trim_end_matches(BLANKS).len());
            }
            if let Some(trimmed) = inner.strip_suffix('-').filter(|rest| rest.ends_with(BLANKS)) {
                inner = trimmed;
                after = after.trim_start_matches(BLANKS);
            }
            self.rest = after;
            let inner = inner.trim_matches(BLANKS);
            if inner.starts_with("/*") && inner.ends_with("*/") && inner.len() >= 4 {
                continue;
            }
            match expression(inner) {
                Ok(name) => {
                    self.flush();
                    self.pieces.push(Piece::Name(name));
                }
                Err(why) => self.broken(&why),
            }
        }
        self.text.push_str(self.rest);
        self.flush();
        self.pieces
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.pieces.push(Piece::Text(text.into()));
        }
    }

    fn broken(&mut self, why: &str) {
        self.flush();
        self.pieces.push(Piece::Broken(why.into()));
    }
}

/// Splits at the `}}` that closes an action; those inside texts do not count.
fn close(inside: &str) -> Option<(&str, &str)> {
    let mut quote: Option<char> = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, c) in inside.char_indices() {
        match quote {
            Some(mark) => {
                if escaped {
                    escaped = false;
                } else if c == '\\' && mark == '"' {
                    escaped = true;
                } else if c == mark {
                    quote = None;
                }
            }
            None if c == '"' || c == '`' => quote = Some(c),
            None if c == '}' && before == '}' => {
                return Some((inside.get(..at.checked_sub(1)?)?, inside.get(at.checked_add(1)?..)?));
            }
            None => {}
        }
        before = if quote.is_some() { ' ' } else { c };
    }
    // A quotation mark that is never closed must not hide the end.
    quote.and_then(|_| inside.split_once("}}"))
}

/// Reads the text between the braces.
fn expression(inner: &str) -> Result<Name, String> {
    if inner.is_empty() {
        return Err("there is nothing between `{{` and `}}`".to_owned());
    }
    if inner.contains('|') {
        return Err("pipelines are not interpolated".to_owned());
    }
    if let Some(call) = inner.strip_prefix('(') {
        let (call, rest) = call.split_once(')').ok_or("a parenthesis is not closed")?;
        let mut name = index(call.trim())?;
        let rest = rest.trim();
        if !rest.is_empty() {
            name.parts.extend(fields(rest)?.parts);
        }
        return Ok(name);
    }
    if inner.starts_with('.') {
        return fields(inner);
    }
    index(inner)
}

/// `index .Model.Components "my-comp"`.
fn index(call: &str) -> Result<Name, String> {
    let word = call.split(BLANKS).next().unwrap_or_default();
    if word != "index" {
        return Err(match word {
            "if" | "else" | "end" | "range" | "with" | "template" | "define" | "block" => {
                format!("`{word}` is not interpolated")
            }
            _ if word.starts_with('$') => "template variables are not interpolated".to_owned(),
            _ => format!("`{}` is not a name: names start with a dot", shown(call)),
        });
    }
    let rest = call.strip_prefix("index").unwrap_or_default().trim_start_matches(BLANKS);
    let (field, mut keys) = rest.split_once(BLANKS).unwrap_or((rest, ""));
    let mut name = fields(field)?;
    while !keys.trim_start_matches(BLANKS).is_empty() {
        let keys_left = keys.trim_start_matches(BLANKS);
        let (key, after) =
            quoted(keys_left).or_else(|| number(keys_left)).ok_or("`index` takes texts in quotes")?;
        name.parts.push(Part { text: key.into(), quoted: true });
        keys = after;
    }
    Ok(name)
}

/// A whole number and what follows it.
fn number(text: &str) -> Option<(&str, &str)> {
    let (word, after) = text.split_once(BLANKS).unwrap_or((text, ""));
    (!word.is_empty() && word.chars().all(|c| c.is_ascii_digit())).then_some((word, after))
}

/// A text in quotes and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '"' | '`'))?;
    text.get(1..)?.split_once(mark)
}

/// `.a.b.c`.
fn fields(text: &str) -> Result<Name, String> {
    let no_name = || format!("`{}` is not a name", shown(text));
    let path = text.strip_prefix('.').ok_or_else(no_name)?;
    let mut parts = Vec::new();
    for field in path.split('.') {
        let starts = field.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
        if !starts || !field.chars().all(|c| c == '_' || c == '-' || c.is_alphanumeric()) {
            return Err(no_name());
        }
        parts.push(Part { text: field.into(), quoted: false });
    }
    Ok(Name { parts })
}

/// A text as messages repeat it.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> String {
        let template = Template::parse(text);
        let pieces = template.pieces().iter().map(|piece| match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Name(name) => name.dotted(),
            Piece::Broken(why) => format!("!{why}"),
        });
        pieces.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_are_split() {
        for (text, pieces) in [
            ("plain", r#""plain""#),
            ("", r#""""#),
            ("{{.a}}", ".a"),
            ("a {{ .b.c }} d{{.e}}", r#""a " .b.c " d" .e"#),
            ("a  {{- .b -}}  c", r#""a" .b "c""#),
            ("a {{-.b}}", r#""a " !`-.b` is not a name: names start with a dot"#),
            ("{{index .Model.Components \"my-comp\"}}", ".Model.Components.my-comp"),
            ("{{(index .Model.Components \"my-comp\").Image}}", ".Model.Components.my-comp.Image"),
            ("{{index .vars \"a}}b\"}}", ".vars.a}}b"),
            ("{{.vars.my-var}}", ".vars.my-var"),
            ("a{{/* note */}}b", r#""ab""#),
            ("{{index .a 1 \"b\"}}", ".a.1.b"),
            ("{{.a | upper}}", "!pipelines are not interpolated"),
            ("{{if .a}}x{{end}}", r#"!`if` is not interpolated "x" !`end` is not interpolated"#),
            ("{{$x}}", "!template variables are not interpolated"),
            ("{{}}", "!there is nothing between `{{` and `}}`"),
            ("{{.}}", "!`.` is not a name"),
            ("{{.a..b}}", "!`.a..b` is not a name"),
            ("{{.1}}", "!`.1` is not a name"),
            ("{{printf \"}}\"}}", "!`printf \"}}\"` is not a name: names start with a dot"),
            ("x {{.a", r#""x " !`{{` is never closed"#),
            ("{{\"}}", "!`\"` is not a name: names start with a dot"),
            ("{{{.a}}}", r#"!`{.a` is not a name: names start with a dot "}""#),
            ("{{.größe}}", ".größe"),
            ("{{(index .a}}", "!a parenthesis is not closed"),
            ("{{index .a b}}", "!`index` takes texts in quotes"),
        ] {
            assert_eq!(drawn(text), pieces, "{text}");
        }
    }

    #[test]
    fn hyphens_are_told() {
        let hyphen = |piece: &Piece| matches!(piece, Piece::Name(name) if name.has_hyphen());
        let has = |text: &str| Template::parse(text).pieces().iter().any(hyphen);
        assert!(has("{{.vars.my-var}}") && !has("{{index .vars \"my-var\"}}") && !has("{{.vars.my_var}}"));
    }
}
