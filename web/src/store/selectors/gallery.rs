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

/// The colour families of a picture: a column for each phase, an entry for each step.
pub(crate) fn columns(picture: &str) -> Vec<Vec<&'static str>> {
    let family = |letter| match letter {
        'a' => "active",
        'c' => "complete",
        'w' => "waiting",
        'e' => "error",
        _ => "neutral",
    };
    picture.split_whitespace().map(|phase| phase.chars().map(family).collect()).collect()
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
    fn pictures_are_phases_of_steps() {
        assert_eq!(columns("cc an"), [vec!["complete", "complete"], vec!["active", "neutral"]]);
        assert_eq!(columns(""), Vec::<Vec<&str>>::new());
        for card in catalogue::examples() {
            assert_eq!(columns(&card.picture).is_empty(), card.dialect == "mesos", "{}", card.id);
        }
    }
}
