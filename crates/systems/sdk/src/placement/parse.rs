//! From the text of a definition to a rule.
//!
//! **Source**: `dcos-commons: …/placement/MarathonConstraintParser.java`. Match: a JSON list of texts, then a
//! JSON list of such lists, then `field:OPERATOR[:parameter],…` with backslashes before `,` and `:`.

use super::{Key, Matcher, Pattern, Rule};
use planarium_protocol::Text;
use planarium_source::suggest::{did_you_mean, suggest};
use std::fmt;

/// The operators, as errors name them.
const OPERATORS: &[&str] = &["UNIQUE", "MAX_PER", "CLUSTER", "IS", "IS_NOT", "LIKE", "UNLIKE", "GROUP_BY"];

/// Which rule of the language is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// A constraint has fewer than two or more than three parts.
    Arity,
    /// The operator does not exist.
    Operator,
    /// A parameter is missing or not a number.
    Parameter,
    /// A parameter is not a regular expression.
    Regex,
}

/// Why a text is not a placement rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Which rule is broken.
    pub kind: ParseErrorKind,
    /// One sentence.
    pub message: String,
    /// Advice for mending it.
    pub help: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a placement text for a pod type. A text without a constraint gives no rule.
///
/// *Errors*: the first constraint that cannot be understood.
pub fn parse(pod: &str, text: &str) -> Result<Option<Rule>, ParseError> {
    if text.is_empty() || text == "[]" {
        return Ok(None);
    }
    let mut rules =
        split(text).iter().map(|row| parse_row(pod, row)).collect::<Result<Vec<Rule>, ParseError>>()?;
    Ok(Some(if rules.len() == 1 { rules.pop().unwrap_or(Rule::And(Vec::new())) } else { Rule::And(rules) }))
}

fn parse_row(pod: &str, row: &[String]) -> Result<Rule, ParseError> {
    let (field, operator, parameter) = match row {
        [field, operator] => (field, operator, None),
        [field, operator, parameter] => (field, operator, Some(parameter.as_str())),
        _ => {
            return Err(ParseError {
                kind: ParseErrorKind::Arity,
                message: format!(
                    "Invalid number of entries in rule. Expected 2 or 3, got {}: [{}]",
                    row.len(),
                    row.join(", ")
                ),
                help: r#"write a constraint as ["field", "OPERATOR"] or ["field", "OPERATOR", "parameter"]"#
                    .into(),
            });
        }
    };
    let constraint = Constraint { pod, field, operator, parameter };
    match operator.to_ascii_uppercase().as_str() {
        "UNIQUE" => Ok(constraint.max_per(1)),
        "MAX_PER" => constraint.count().map(|max| constraint.max_per(max)),
        "CLUSTER" | "IS" => Ok(constraint.matching(Matcher::Exact(constraint.required()?.into()))),
        "IS_NOT" => Ok(not(constraint.matching(Matcher::Exact(constraint.required()?.into())))),
        "LIKE" => Ok(constraint.matching(constraint.pattern()?)),
        "UNLIKE" => Ok(not(constraint.matching(constraint.pattern()?))),
        "GROUP_BY" => {
            let distinct = constraint.parameter.map(|_| constraint.number()).transpose()?;
            // Less than one place is as good as none: there are always as many.
            let distinct = distinct.map(|number| u32::try_from(number).unwrap_or(0));
            Ok(Rule::RoundRobin { key: constraint.key(), distinct, pod: pod.into() })
        }
        _ => Err(ParseError {
            kind: ParseErrorKind::Operator,
            message: format!(
                "Unsupported operator: '{operator}' in constraint: [{}] (expected one of: {})",
                row.join(", "),
                OPERATORS.join(", ")
            ),
            help: did_you_mean(
                suggest(operator, OPERATORS.iter().copied()),
                || "the second entry of a constraint is its operator",
            ),
        }),
    }
}

fn not(rule: Rule) -> Rule {
    Rule::Not(Box::new(rule))
}

struct Constraint<'t> {
    pod: &'t str,
    field: &'t str,
    operator: &'t str,
    parameter: Option<&'t str>,
}

impl Constraint<'_> {
    fn key(&self) -> Key {
        match self.field {
            "hostname" | "@hostname" => Key::Hostname,
            "@zone" => Key::Zone,
            "@region" => Key::Region,
            name => Key::Attribute(name.into()),
        }
    }

    fn max_per(&self, max: u32) -> Rule {
        let key = self.key();
        let attribute = match &key {
            Key::Attribute(name) => Some(Rule::Attribute(name.clone(), Matcher::Any)),
            _ => None,
        };
        let counted = Rule::MaxPer { key, max, pod: Text::from(self.pod) };
        match attribute {
            Some(present) => Rule::And(vec![present, counted]),
            None => counted,
        }
    }

    fn matching(&self, matcher: Matcher) -> Rule {
        match self.key() {
            Key::Hostname => Rule::Hostname(matcher),
            Key::Zone => Rule::Zone(matcher),
            Key::Region => Rule::Region(matcher),
            Key::Attribute(name) => Rule::Attribute(name, matcher),
        }
    }

    fn required(&self) -> Result<&str, ParseError> {
        self.parameter.ok_or_else(|| ParseError {
            kind: ParseErrorKind::Parameter,
            message: format!("Missing required parameter for operator '{}'.", self.operator),
            help: format!("add it: [\"{}\", \"{}\", \"…\"]", self.field, self.operator),
        })
    }

    fn count(&self) -> Result<u32, ParseError> {
        let number = self.number()?;
        u32::try_from(number).ok().filter(|n| *n > 0).ok_or_else(|| self.not_a_number())
    }

    fn number(&self) -> Result<i32, ParseError> {
        self.required()?.parse().map_err(|_| self.not_a_number())
    }

    fn not_a_number(&self) -> ParseError {
        ParseError {
            kind: ParseErrorKind::Parameter,
            message: format!(
                "Unable to parse max parameter as integer for '{}' operation: {}",
                self.operator,
                self.parameter.unwrap_or_default()
            ),
            help: "write a whole number of at least 1".to_owned(),
        }
    }

    fn pattern(&self) -> Result<Matcher, ParseError> {
        let text = self.required()?;
        Pattern::parse(text).map(Matcher::Regex).map_err(|why| ParseError {
            kind: ParseErrorKind::Regex,
            message: format!("The parameter of '{}' is not a regular expression: {text}", self.operator),
            help: format!("{why} (look-around and back references are not simulated)"),
        })
    }
}

/// Takes a text apart into constraints and their entries, in whichever of the three ways it is written.
fn split(text: &str) -> Vec<Vec<String>> {
    if let Ok(serde_json::Value::Array(items)) = planarium_protocol::json::value(text.as_bytes()) {
        if let Some(row) = texts(&items) {
            return vec![row];
        }
        let rows = items.iter().map(|item| item.as_array().and_then(|row| texts(row)));
        if let Some(rows) = rows.collect() {
            return rows;
        }
    }
    escaped_split(text, ',').iter().map(|row| escaped_split(row, ':')).collect()
}

/// A list of scalars as texts.
fn texts(items: &[serde_json::Value]) -> Option<Vec<String>> {
    items
        .iter()
        .map(|item| match item {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Number(number) => Some(number.to_string()),
            serde_json::Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        })
        .collect()
}

/// Splits at a character that has no backslash before it; other backslashes stay; parts are trimmed.
fn escaped_split(text: &str, at: char) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut escaped = false;
    for c in text.chars() {
        if escaped {
            if c != at {
                part.push('\\');
            }
            part.push(c);
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == at {
            parts.push(part.trim().to_owned());
            part.clear();
        } else {
            part.push(c);
        }
    }
    if escaped {
        part.push('\\');
    }
    parts.push(part.trim().to_owned());
    parts
}
