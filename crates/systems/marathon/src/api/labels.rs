//! Selectors of labels: `a`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x,y)`, several divided by commas.
//!
//! **Source**: `marathon: api/v2/LabelSelector.scala`. Match.

use serde_json::{Map, Value};

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    key: String,
    /// None asks whether the label is there.
    values: Option<Vec<String>>,
    not: bool,
}

/// All conditions have to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selector(Vec<Condition>);

impl Selector {
    /// Reads a selector.
    ///
    /// *Errors*: a text that is none.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let mut scan = Scan { rest: text.trim() };
        let mut all = Vec::new();
        while !scan.rest.trim_start().is_empty() {
            if !all.is_empty() && !scan.take(",") {
                return Err(wrong(text));
            }
            all.push(scan.condition().ok_or_else(|| wrong(text))?);
        }
        Ok(Self(all))
    }

    /// Returns whether labels fit.
    pub(super) fn fits(&self, labels: Option<&Map<String, Value>>) -> bool {
        self.0.iter().all(|condition| {
            let own = labels.and_then(|labels| labels.get(&condition.key)).and_then(Value::as_str);
            match (&condition.values, own) {
                (None, own) => own.is_some(),
                (Some(values), Some(own)) => values.iter().any(|value| value == own) != condition.not,
                (Some(_), None) => false,
            }
        })
    }
}

fn wrong(text: &str) -> String {
    format!("Can not parse label selector {text}. Reason: illegal character or end of text")
}

struct Scan<'t> {
    rest: &'t str,
}

impl Scan<'_> {
    fn take(&mut self, mark: &str) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Letters, digits, `.`, `-`, `_`; others after a backslash.
    fn word(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let (mut word, mut chars) = (String::new(), self.rest.chars());
        loop {
            let before = chars.clone();
            match chars.next() {
                Some('\\') => word.push(chars.next()?),
                Some(c) if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') => word.push(c),
                _ => {
                    self.rest = before.as_str();
                    return (!word.is_empty()).then_some(word);
                }
            }
        }
    }

    fn condition(&mut self) -> Option<Condition> {
        let key = self.word()?;
        let before = self.rest;
        let not = self.take("!=");
        if not || self.take("==") {
            return Some(Condition { key, values: Some(vec![self.word()?]), not });
        }
        let not = self.take("notin");
        if (not || self.take("in")) && self.take("(") {
            let mut values = Vec::new();
            while !self.take(")") {
                if !values.is_empty() && !self.take(",") {
                    return None;
                }
                values.push(self.word()?);
            }
            return Some(Condition { key, values: Some(values), not });
        }
        self.rest = before;
        Some(Condition { key, values: None, not: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::json;

    #[test]
    fn selectors() {
        let labels = json!({"a": "1", "b": "x-y", "c": ""});
        for (text, fits) in [
            ("", Some(true)),
            ("a", Some(true)),
            ("z", Some(false)),
            ("a==1", Some(true)),
            ("a == 1 , b == x-y", Some(true)),
            ("a!=1", Some(false)),
            ("z!=1", Some(false)),
            ("a in (1, 2)", Some(true)),
            ("b notin (x, y)", Some(true)),
            ("a in (2)", Some(false)),
            ("a in (2", None),
            ("a ~ b", None),
            ("== b", None),
        ] {
            let found = Selector::of(text).ok().map(|selector| selector.fits(labels.as_object()));
            assert_eq!(found, fits, "{text}");
        }
    }
}
