//! The gallery by question, and the picture of each example.
//!
//! *Knows*: groups of examples, letters of pictures. *Must not know*: what an example does.

use super::text::contains;
use crate::store::state::ExampleCard;

/// Questions that examples answer, in their order, each with the groups that belong to it.
const QUESTIONS: [(&str, &[&str]); 8] = [
    ("What happens when something is rolled out?", &["first steps", "rollouts"]),
    ("What happens when the configuration changes?", &["configuration changes"]),
    ("What happens when something fails?", &["failures"]),
    ("What happens when nothing seems to happen?", &["why pending"]),
    ("What happens when a machine is taken out for work?", &["maintenance"]),
    ("What happens in which order?", &["plans", "plan structure", "definitions"]),
    ("What happens when somebody steps in?", &["operator commands", "coordination"]),
    ("What happens when several share the machines?", &["sharing a cluster", "shared machines"]),
];

/// Columns of a picture.
pub(crate) const COLUMNS: usize = 28;

/// The question of examples without another one.
const OTHERS: &str = "What else happens?";

fn question(card: &ExampleCard) -> &'static str {
    let own = QUESTIONS.iter().find(|(_, groups)| groups.contains(&card.difficulty.as_str()));
    own.map_or(OTHERS, |(question, _)| question)
}

/// Cards that contain a text, by question; questions without any are left out.
pub(crate) fn by_question<'c>(
    cards: &'c [ExampleCard],
    filter: &str,
) -> Vec<(&'static str, Vec<&'c ExampleCard>)> {
    let fits = |card: &&ExampleCard| {
        let own = [&card.title, &card.teaches, &card.dialect];
        own.iter().any(|text| contains(text, filter)) || contains(question(card), filter)
    };
    let all: Vec<&ExampleCard> = cards.iter().filter(fits).collect();
    let questions = QUESTIONS.iter().map(|(question, _)| *question).chain([OTHERS]);
    let group = |asked: &'static str| {
        let own: Vec<_> = all.iter().copied().filter(|card| question(card) == asked).collect();
        (!own.is_empty()).then_some((asked, own))
    };
    questions.filter_map(group).collect()
}

/// The picture of an example: its steps over time, from change to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The lanes; a lane is stretches with their colour family, first column and number of columns.
    pub(crate) lanes: Vec<Vec<(&'static str, usize, usize)>>,
    /// Columns in which somebody steps in, or something breaks.
    pub(crate) marks: Vec<(&'static str, usize)>,
}

/// Reads a picture as the README of the example has it: a word for each lane, `n3a2c23`, and marks after a bar, `x7`.
pub(crate) fn picture(text: &str) -> Picture {
    let (lanes, marks) = text.split_once('|').unwrap_or((text, ""));
    let lane = |word: &str| {
        let (mut parts, mut at) = (Vec::new(), 0);
        for (letter, count) in letters(word) {
            let family = match letter {
                'n' => Some("neutral"),
                'a' => Some("active"),
                'c' => Some("complete"),
                'w' => Some("waiting"),
                'e' => Some("error"),
                _ => None,
            };
            parts.extend(family.map(|family| (family, at, count)));
            at += count;
        }
        parts
    };
    let mark = |(letter, column)| (if letter == 'x' { "fault" } else { "command" }, column);
    Picture {
        lanes: lanes.split_whitespace().map(lane).collect(),
        marks: marks.split_whitespace().flat_map(letters).map(mark).collect(),
    }
}

/// Letters with the number after each.
fn letters(word: &str) -> Vec<(char, usize)> {
    let mut all: Vec<(char, usize)> = Vec::new();
    for c in word.chars() {
        match (c.to_digit(10), all.last_mut()) {
            (Some(digit), Some((_, count))) => {
                *count = count.saturating_mul(10).saturating_add(digit as usize);
            }
            _ => all.push((c, 0)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::catalogue;

    #[test]
    fn every_example_answers_a_question() {
        let cards = catalogue::examples();
        let groups = by_question(&cards, "");
        let count: usize = groups.iter().map(|(_, cards)| cards.len()).sum();
        assert_eq!(count, cards.len());
        let without: Vec<_> =
            groups.iter().filter(|(asked, _)| *asked == OTHERS).flat_map(|(_, cards)| cards).collect();
        assert!(without.is_empty(), "{without:?}");
        assert_eq!(groups[0].1[0].id, cards[0].id, "the first example stands first");
    }

    #[test]
    fn filters_by_words_of_the_card_or_its_question() {
        let cards = catalogue::examples();
        assert!(by_question(&cards, "no such thing anywhere").is_empty());
        let failing = by_question(&cards, "something fails");
        assert_eq!(failing.len(), 1);
        assert!(failing[0].1.len() > 3);
    }

    #[test]
    fn pictures_are_lanes_of_stretches_with_marks() {
        let read = picture("n3a2c23 .5e23 | x7 o12");
        assert_eq!(
            read.lanes,
            [vec![("neutral", 0, 3), ("active", 3, 2), ("complete", 5, 23)], vec![("error", 5, 23)]]
        );
        assert_eq!(read.marks, [("fault", 7), ("command", 12)]);
        assert_eq!(picture(""), Picture::default());
        for card in catalogue::examples() {
            let Picture { lanes, marks } = picture(&card.picture);
            let widths = lanes.iter().flatten().map(|(_, from, count)| from + count);
            let columns = marks.iter().map(|(_, column)| column + 1);
            assert!(!lanes.is_empty(), "{}", card.id);
            assert!(widths.chain(columns).all(|column| (1..=COLUMNS).contains(&column)), "{}", card.id);
        }
    }
}
