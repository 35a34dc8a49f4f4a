//! Task ids whose statuses are awaited.
//!
//! *Knows*: which ids were requested and which of them have been answered. *Must not know*: statuses.
//!
//! All are requested at once and answered one by one in any order, so answered ones are marked in place.

use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;

/// Task ids whose status has not come yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Awaited {
    /// All that were asked for, in order, with the agents they were launched on.
    rows: Arc<[(Text, Text)]>,
    /// Answered ones, by place.
    heard: Vec<bool>,
    /// Number of those not answered.
    left: u32,
}

impl FromIterator<(Text, Text)> for Awaited {
    fn from_iter<I: IntoIterator<Item = (Text, Text)>>(tasks: I) -> Self {
        let tasks: SortedMap<Text, Text> = tasks.into_iter().collect();
        let rows: Arc<[(Text, Text)]> = tasks.into_iter().collect();
        let left = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let heard = vec![false; rows.len()];
        Self { rows, heard, left }
    }
}

impl Awaited {
    /// Tells if nothing is awaited.
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Number of those awaited.
    pub(super) fn len(&self) -> u32 {
        self.left
    }

    /// Those still awaited, in order, with their agents.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Text, Text)> {
        self.rows.iter().zip(&self.heard).filter(|(_, heard)| !**heard).map(|(row, _)| row)
    }

    /// A status came; true when it was awaited.
    pub(super) fn heard(&mut self, id: &str) -> bool {
        if self.left == 0 {
            return false;
        }
        let Ok(at) = self.rows.binary_search_by(|(mine, _)| (**mine).cmp(id)) else { return false };
        let news = self.heard.get_mut(at).is_some_and(|heard| !std::mem::replace(heard, true));
        self.left -= u32::from(news);
        if self.left == 0 {
            *self = Self::default();
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_is_answered_once() {
        let mut awaited: Awaited = ["b", "c", "a"].map(|id| (id.into(), "s".into())).into_iter().collect();
        let left = |awaited: &Awaited| awaited.iter().map(|(id, _)| id.to_string()).collect::<Vec<_>>();
        assert_eq!((left(&awaited).join(" "), awaited.len()), ("a b c".to_owned(), 3));
        assert!(!awaited.heard("d") && awaited.heard("b") && !awaited.heard("b"));
        assert_eq!((left(&awaited).join(" "), awaited.len()), ("a c".to_owned(), 2));
        assert!(awaited.heard("c") && !awaited.is_empty() && awaited.heard("a") && awaited.is_empty());
        assert!(!awaited.heard("a"));
    }
}
