//! Values of names in templates.
//!
//! *Knows*: the standard names, where each is valid, user variables, attributes of the model.
//! *Must not know*: how templates are written, what instances are beyond their ids and addresses.
//!
//! **Source**: Skopos Deployment Plan Reference, "Variable Interpolation". Match; a bare user variable is taken, as the
//! examples there write it; what has no value fails instead of becoming an empty text.

use crate::templates::{Name, Piece, Template};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::yaml::{Kind, Node};

/// The standard names.
pub(crate) const STANDARD: [&str; 12] = [
    "project",
    "component",
    "image",
    "index",
    "id",
    "ipaddr",
    "new",
    "new_ip",
    "old",
    "old_ip",
    "vars",
    "Model",
];

/// Names that the reference calls deprecated, with what replaces them.
pub(crate) const DEPRECATED: [(&str, &str); 4] =
    [("new", ".id"), ("new_ip", ".ipaddr"), ("old", ".id"), ("old_ip", ".ipaddr")];

/// User variables by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vars(SortedMap<Text, Node>);

impl Vars {
    /// Adds the entries of a mapping; they override existing ones.
    pub(crate) fn extend(&mut self, mapping: &Node) {
        for entry in mapping.as_mapping().unwrap_or_default() {
            if let Some(name) = entry.key.as_str() {
                self.0.insert(name.into(), entry.value.clone());
            }
        }
    }

    /// Adds a variable; it overrides an existing one.
    pub(crate) fn set(&mut self, name: &str, value: Node) {
        self.0.insert(name.into(), value);
    }

    /// The text of a variable that is a plain value.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|node| !node.is_null()).and_then(Node::as_str).map(str::to_owned)
    }

    /// Its names in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Text> {
        self.0.keys()
    }

    /// All variables in order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Node)> {
        self.0.iter()
    }

    fn look_up(&self, parts: &[crate::templates::Part]) -> Option<&Node> {
        let (first, rest) = parts.split_first()?;
        rest.iter().try_fold(self.0.get(&first.text)?, |node, part| {
            item(node, part).or_else(|| node.get(&part.text))
        })
    }
}

/// Why a name has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// Nothing has this name.
    Unknown,
    /// It has a value elsewhere; where.
    OutOfScope(&'static str),
    /// The instance that it is about does not exist.
    NoInstance(&'static str),
}

impl NoValue {
    /// The reason as the end of a sentence about the name.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Unknown => "has no value".to_owned(),
            Self::OutOfScope(place) => format!("has a value only {place}"),
            Self::NoInstance(which) => format!("has no value: there is no {which} instance in this slot"),
        }
    }
}

/// An instance as names see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) id: Text,
    pub(crate) ip: Text,
}

/// Names that one call can use.
pub(crate) struct Scope<'a> {
    pub(crate) project: &'a str,
    pub(crate) vars: &'a Vars,
    /// The root of the model.
    pub(crate) model: Option<&'a Node>,
    /// The component of the enclosing component step.
    pub(crate) component: Option<&'a str>,
    /// Its target image.
    pub(crate) image: Option<&'a str>,
    /// The slot of the enclosing loop.
    pub(crate) index: Option<u64>,
    /// The instance that the selector means: none without a selector, or the word of a selector that means nothing.
    pub(crate) selected: Option<Result<Seen, &'static str>>,
    pub(crate) new: Option<Seen>,
    pub(crate) old: Option<Seen>,
}

const IN_COMPONENT: NoValue = NoValue::OutOfScope("inside component steps");
const IN_LOOP: NoValue = NoValue::OutOfScope("inside instance loops");
const WITH_SELECTOR: NoValue = NoValue::OutOfScope("inside component steps, for actions with a selector");

impl Scope<'_> {
    /// The value of a name.
    pub(crate) fn value(&self, name: &Name) -> Result<String, NoValue> {
        let first = name.first();
        let rest = name.parts.get(1..).unwrap_or_default();
        if !STANDARD.contains(&first) {
            return text(self.vars.look_up(&name.parts));
        }
        match first {
            "vars" => return text(self.vars.look_up(rest)),
            "Model" => return text(self.model.and_then(|model| attribute(model, rest))),
            _ if !rest.is_empty() => return Err(NoValue::Unknown),
            "project" => return Ok(self.project.to_owned()),
            _ => {}
        }
        if first == "index" {
            return self.index.map(|index| index.to_string()).ok_or(IN_LOOP);
        }
        let Some(component) = self.component else {
            return Err(if matches!(first, "id" | "ipaddr") { WITH_SELECTOR } else { IN_COMPONENT });
        };
        let one = |seen: &Option<Seen>, which, ip: bool| {
            let seen = seen.as_ref().ok_or(NoValue::NoInstance(which))?;
            Ok(if ip { seen.ip.to_string() } else { seen.id.to_string() })
        };
        match first {
            "component" => Ok(component.to_owned()),
            "image" => self.image.map(str::to_owned).ok_or(NoValue::Unknown),
            "new" => one(&self.new, "new", false),
            "new_ip" => one(&self.new, "new", true),
            "old" => one(&self.old, "old", false),
            "old_ip" => one(&self.old, "old", true),
            _ => match &self.selected {
                None => Err(WITH_SELECTOR),
                Some(Err(which)) => Err(NoValue::NoInstance(which)),
                Some(Ok(seen)) => {
                    Ok(if first == "ipaddr" { seen.ip.to_string() } else { seen.id.to_string() })
                }
            },
        }
    }

    /// A template with its names replaced.
    ///
    /// *Errors*: why it cannot be interpolated, as a sentence.
    pub(crate) fn text(&self, template: &Template) -> Result<String, String> {
        let mut out = String::with_capacity(template.written.len());
        for piece in template.pieces() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => match self.value(name) {
                    Ok(value) => out.push_str(&value),
                    Err(why) => return Err(format!("{} {}", name.dotted(), why.reason())),
                },
                Piece::Broken(why) => {
                    return Err(format!("'{}' cannot be interpolated: {why}", template.written));
                }
            }
        }
        Ok(out)
    }
}

fn text(node: Option<&Node>) -> Result<String, NoValue> {
    let node = node.filter(|node| !node.is_null()).ok_or(NoValue::Unknown)?;
    let mut out = String::new();
    print(node, &mut out);
    Ok(out)
}

/// A value as Go prints it: `[a b]`, `map[a:1 b:2]` with its keys in order.
///
/// **Source**: Go `fmt`, verb `%v`, which `text/template` uses for values that are not texts.
fn print(node: &Node, out: &mut String) {
    match &node.kind {
        Kind::Scalar(_) if node.is_null() => out.push_str("<nil>"),
        Kind::Scalar(scalar) => out.push_str(&scalar.text),
        Kind::Sequence(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { " " });
                print(item, out);
            }
            out.push(']');
        }
        Kind::Mapping(entries) => {
            let named: SortedMap<&str, &Node> =
                entries.iter().filter_map(|entry| Some((entry.key.as_str()?, &entry.value))).collect();
            out.push_str("map[");
            for (at, (key, value)) in named.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { " " });
                out.push_str(key);
                out.push(':');
                print(value, out);
            }
            out.push(']');
        }
    }
}

/// The item of a list that a part names by its place.
fn item<'m>(node: &'m Node, part: &crate::templates::Part) -> Option<&'m Node> {
    let at: usize = part.text.parse().ok().filter(|_| part.quoted)?;
    node.as_sequence()?.get(at)
}

/// Returns an attribute of the model: each field matches a key exactly, otherwise with its first letter in lower
/// case. Names of components match exactly only.
fn attribute<'m>(model: &'m Node, parts: &[crate::templates::Part]) -> Option<&'m Node> {
    let mut node = model;
    let mut names = false;
    for part in parts {
        if let Some(item) = item(node, part) {
            node = item;
            names = false;
            continue;
        }
        let exact = node.entry(&part.text);
        let entry = match exact {
            Some(entry) => Some(entry),
            None if part.quoted || names => None,
            None => node.entry(&lowered(&part.text)),
        }?;
        names = std::ptr::eq(node, model) && entry.key.as_str() == Some("components");
        node = &entry.value;
    }
    (!parts.is_empty()).then_some(node)
}

fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_source::yaml::Reader;
    use planarium_source::{Diagnostics, FileId};

    fn node(text: &str) -> Node {
        Reader::new(text, FileId(0)).one(&mut Diagnostics::new()).root.expect("a root")
    }

    #[test]
    fn names_have_values_only_in_their_scope() {
        let mut vars = Vars::default();
        vars.extend(&node(
            "timeout: 30\nver: 1.10\nindex: mine\nempty:\nnest: {a: {b: c}}\nmy-var: h\nlist: [1]\n",
        ));
        let model = node(
            "components: {back: {image: acme/back:2.0, replicas: 2, ports: [80, 81], env: {B: , A: 1}}, Redis: {image: r:1}}\nvars: {x: y}\n",
        );
        let seen = |id: &str| Seen { id: id.into(), ip: "10.1.1.1".into() };
        let full = Scope {
            project: "demo",
            vars: &vars,
            model: Some(&model),
            component: Some("back"),
            image: Some("acme/back:2.0"),
            index: Some(3),
            selected: Some(Ok(seen("back-n3"))),
            new: Some(seen("back-n3")),
            old: None,
        };
        let bare = Scope {
            component: None,
            image: None,
            index: None,
            selected: None,
            new: None,
            old: None,
            project: "demo",
            vars: &vars,
            model: Some(&model),
        };
        for (text, inside, outside) in [
            ("{{.project}}", Ok("demo"), Ok("demo")),
            (
                "{{.component}}/{{.image}}",
                Ok("back/acme/back:2.0"),
                Err(".component has a value only inside component steps"),
            ),
            ("{{.index}}", Ok("3"), Err(".index has a value only inside instance loops")),
            (
                "{{.id}} {{.ipaddr}}",
                Ok("back-n3 10.1.1.1"),
                Err(".id has a value only inside component steps, for actions with a selector"),
            ),
            (
                "{{.new}} {{.new_ip}}",
                Ok("back-n3 10.1.1.1"),
                Err(".new has a value only inside component steps"),
            ),
            (
                "{{.old}}",
                Err(".old has no value: there is no old instance in this slot"),
                Err(".old has a value only inside component steps"),
            ),
            ("{{.vars.timeout}} {{.timeout}} {{.ver}}", Ok("30 30 1.10"), Ok("30 30 1.10")),
            ("{{.vars.index}}", Ok("mine"), Ok("mine")),
            ("{{.vars.empty}}", Err(".vars.empty has no value"), Err(".vars.empty has no value")),
            ("{{.nest.a.b}}", Ok("c"), Ok("c")),
            ("{{.nest}} {{.list}}", Ok("map[a:map[b:c]] [1]"), Ok("map[a:map[b:c]] [1]")),
            ("{{index .vars.list 0}}", Ok("1"), Ok("1")),
            ("{{index .vars.list 1}}", Err(".vars.list.1 has no value"), Err(".vars.list.1 has no value")),
            (
                "{{.Model.Components.back}} {{.Model.Components.back.Ports}}",
                Ok("map[env:map[A:1 B:<nil>] image:acme/back:2.0 ports:[80 81] replicas:2] [80 81]"),
                Ok("map[env:map[A:1 B:<nil>] image:acme/back:2.0 ports:[80 81] replicas:2] [80 81]"),
            ),
            ("{{index .Model.Components.back.ports 1}}", Ok("81"), Ok("81")),
            ("{{.vars.my-var}}", Ok("h"), Ok("h")),
            ("{{.component.x}}", Err(".component.x has no value"), Err(".component.x has no value")),
            ("{{.Model.Components.back.Image}}", Ok("acme/back:2.0"), Ok("acme/back:2.0")),
            ("{{.Model.components.back.replicas}}", Ok("2"), Ok("2")),
            (
                "{{.Model.Components.Back.Image}}",
                Err(".Model.Components.Back.Image has no value"),
                Err(".Model.Components.Back.Image has no value"),
            ),
            ("{{(index .Model.Components \"Redis\").Image}}", Ok("r:1"), Ok("r:1")),
            ("{{.Model.Vars.x}}", Ok("y"), Ok("y")),
            ("{{.Model}}", Err(".Model has no value"), Err(".Model has no value")),
            ("{{.nothing}}", Err(".nothing has no value"), Err(".nothing has no value")),
        ] {
            let template = Template::parse(text);
            assert_eq!(
                full.text(&template),
                inside.map(str::to_owned).map_err(str::to_owned),
                "{text} inside"
            );
            assert_eq!(
                bare.text(&template),
                outside.map(str::to_owned).map_err(str::to_owned),
                "{text} outside"
            );
        }
    }
}
