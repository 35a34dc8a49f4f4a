//! Lists of actions. Many elements share one list, and those of tasks differ in names only. Each list is sent once;
//! elements refer to it by number.

use planarium_protocol::Input;
use planarium_protocol::json::{self, Read, Value};
use planarium_protocol::view::ActionView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Placeholder for the first name in a list shared by things with different names.
const FIRST: &str = "\u{1}";
/// Placeholder for the second name.
const SECOND: &str = "\u{2}";
/// Maximum number of known lists; above it, numbering restarts.
const MOST: usize = 4096;

/// A list of actions as sent, with complete inputs: shared lists leave the element out.
pub(crate) type List = Vec<(ActionView, Input)>;

/// The host's side: numbers of lists.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Numbers of known lists, by text.
    known: BTreeMap<String, u32>,
    /// Lists by address. They are kept alive so that an address stays unique.
    shared: BTreeMap<usize, (Arc<[ActionView]>, u32)>,
    new: Vec<List>,
    next: u32,
}

impl Table {
    /// Returns the number of a list that elements share.
    pub(crate) fn shared(&mut self, actions: &Arc<[ActionView]>) -> u32 {
        let address = Arc::as_ptr(actions).cast::<u8>().addr();
        if let Some((_, number)) = self.shared.get(&address) {
            return *number;
        }
        let number = self.number(list(actions), "", "");
        if self.shared.len() >= MOST {
            self.shared.clear();
        }
        self.shared.insert(address, (Arc::clone(actions), number));
        number
    }

    /// Returns the number of a list whose texts use two names of one thing.
    pub(crate) fn of(&mut self, actions: &[ActionView], first: &str, second: &str) -> u32 {
        self.number(list(actions), first, second)
    }

    fn number(&mut self, list: List, first: &str, second: &str) -> u32 {
        let text = serde_json::to_string(&list).unwrap_or_default();
        let text = swap(&swap(&text, first, FIRST), second, SECOND);
        if let Some(number) = self.known.get(&text) {
            return *number;
        }
        let list = serde_json::from_str(&text).unwrap_or(list);
        let number = self.next;
        self.next += 1;
        self.new.push(list);
        self.known.insert(text, number);
        number
    }

    /// Returns lists that the page does not have yet.
    pub(crate) fn take_new(&mut self) -> Vec<List> {
        std::mem::take(&mut self.new)
    }
}

/// The page's side: lists by number.
#[derive(Debug, Default)]
pub(crate) struct Known {
    lists: Vec<Arc<[ActionView]>>,
}

impl Known {
    /// Adds new lists after the known ones.
    pub(crate) fn learn(&mut self, lists: Vec<List>) {
        let whole = |(view, input)| ActionView { input, ..view };
        self.lists.extend(lists.into_iter().map(|list| list.into_iter().map(whole).collect()));
    }

    /// Returns the shared list with a number.
    pub(crate) fn shared(&self, number: u32) -> Arc<[ActionView]> {
        let found = usize::try_from(number).ok().and_then(|at| self.lists.get(at));
        found.cloned().unwrap_or_default()
    }

    /// Returns the list with a number, with these names filled in.
    pub(crate) fn of(&self, number: u32, first: &str, second: &str) -> Vec<ActionView> {
        let mut list = json::of(&list(&self.shared(number)));
        fill(&mut list, &[(SECOND, second), (FIRST, first)]);
        let list = List::read(list).unwrap_or_default();
        list.into_iter().map(|(view, input)| ActionView { input, ..view }).collect()
    }
}

/// Replaces placeholders in all texts.
fn fill(value: &mut Value, names: &[(&str, &str)]) {
    match value {
        Value::String(text) => *text = filled(text, names),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, names)),
        Value::Object(fields) => {
            let all = std::mem::take(fields);
            *fields = all
                .into_iter()
                .map(|(key, mut value)| {
                    fill(&mut value, names);
                    (filled(&key, names), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn filled(text: &str, names: &[(&str, &str)]) -> String {
    names.iter().fold(text.to_owned(), |text, (placeholder, name)| text.replace(placeholder, name))
}

fn list(actions: &[ActionView]) -> List {
    actions.iter().map(|action| (action.clone(), action.input.clone())).collect()
}

/// Replaces one JSON text by another.
fn swap(text: &str, from: &str, to: &str) -> String {
    let inner = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
    };
    if from.is_empty() { text.to_owned() } else { text.replace(&inner(from), &inner(to)) }
}
