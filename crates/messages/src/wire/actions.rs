//! Lists of actions: many elements share one, and those of tasks differ by the names in them only. Each list travels once;
//! elements name it by number.

use planarium_protocol::Input;
use planarium_protocol::view::ActionView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Stands for the first name in a list of actions that is shared by things of different names.
const FIRST: &str = "\u{1}";
/// Stands for the second one.
const SECOND: &str = "\u{2}";
/// Lists that are known at most; then numbers begin anew.
const MOST: usize = 4096;

/// A list of actions on its way: with every input complete, since those of shared lists leave the element out.
pub(crate) type List = Vec<(ActionView, Input)>;

/// The host's side: numbers of lists.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Texts of the lists that have a number.
    known: BTreeMap<String, u32>,
    /// Lists by address. They are kept, so that an address means one list.
    shared: BTreeMap<usize, (Arc<[ActionView]>, u32)>,
    new: Vec<List>,
    next: u32,
}

impl Table {
    /// The number of a list that elements share.
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

    /// The number of a list whose texts name one thing by two names.
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

    /// Lists that the page does not have yet.
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
    /// Takes in lists that follow those known.
    pub(crate) fn learn(&mut self, lists: Vec<List>) {
        let whole = |(view, input)| ActionView { input, ..view };
        self.lists.extend(lists.into_iter().map(|list| list.into_iter().map(whole).collect()));
    }

    /// The list of a number that elements share.
    pub(crate) fn shared(&self, number: u32) -> Arc<[ActionView]> {
        let found = usize::try_from(number).ok().and_then(|at| self.lists.get(at));
        found.cloned().unwrap_or_default()
    }

    /// The list of a number with these names in it.
    pub(crate) fn of(&self, number: u32, first: &str, second: &str) -> Vec<ActionView> {
        let list: List = list(&self.shared(number));
        let text = serde_json::to_string(&list).unwrap_or_default();
        let text = swap(&swap(&text, SECOND, second), FIRST, first);
        let list: List = serde_json::from_str(&text).unwrap_or_default();
        list.into_iter().map(|(view, input)| ActionView { input, ..view }).collect()
    }
}

fn list(actions: &[ActionView]) -> List {
    actions.iter().map(|action| (action.clone(), action.input.clone())).collect()
}

/// Replaces one text by another, both as they stand in JSON.
fn swap(text: &str, from: &str, to: &str) -> String {
    let inner = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
    };
    if from.is_empty() { text.to_owned() } else { text.replace(&inner(from), &inner(to)) }
}
