//! Definitions in the terminal: one is printed, given other values, or edited, and the service updated with it.
//!
//! Knows: which definition a try has now. Must not know: what an update does.

use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_scenario::lesson::Attempt;
use std::fmt::Write as _;

/// The definition of the lesson's first service as it was loaded or last given. An update that was refused is one, too: a learner
/// goes on from what they wrote.
fn current(attempt: &Attempt) -> Option<LoadService> {
    let given = attempt.moves().iter().rev().find_map(|made| match &made.input {
        Input::UpdateService(load) => Some(load.clone()),
        _ => None,
    });
    given.or_else(|| attempt.lesson().scenario.services.first().cloned())
}

/// The definition as text, with its values.
pub(super) fn shown(attempt: &Attempt) -> String {
    let Some(load) = current(attempt) else { return "there is no service\n".to_owned() };
    let mut out = String::new();
    for (name, text) in &load.files {
        let _ = writeln!(out, "--- {name}\n{}", text.trim_end());
    }
    for (name, value) in &load.env {
        let _ = writeln!(out, "{name}={value}");
    }
    for (name, value) in &load.params {
        let _ = writeln!(out, "{name}={value}");
    }
    out
}

/// An update with other values: `VERSION=2 STRATEGY=serial`, quoted where a value has a space. They are parameters of a
/// package with a `params.yaml` and variables of any other definition.
///
/// *Errors*: what cannot be read.
pub(super) fn set(attempt: &Attempt, text: &str) -> Result<Input, String> {
    let mut load = current(attempt).ok_or("there is no service")?;
    let words = words(text);
    if words.is_empty() {
        return Err("write `set NAME=VALUE ...`".to_owned());
    }
    let declares_parameters = load.files.keys().any(|name| name.ends_with("params.yaml"));
    for word in words {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("`{word}` is not NAME=VALUE"));
        };
        if declares_parameters {
            load.params.insert(name.to_owned(), value.into());
        } else {
            load.env.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(Input::UpdateService(load))
}

/// Words between spaces; quotation marks hold words together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// An update with an edited file: `OLD => NEW`, where OLD occurs exactly once in the definition.
///
/// *Errors*: what cannot be done.
pub(super) fn edit(attempt: &Attempt, text: &str) -> Result<Input, String> {
    let mut load = current(attempt).ok_or("there is no service")?;
    let (old, new) = text.split_once(" => ").ok_or("write `edit OLD => NEW`")?;
    let found: usize = load.files.values().map(|text| text.matches(old).count()).sum();
    if old.is_empty() || found != 1 {
        return Err(format!("`{old}` is {found} times in the definition; it has to be there once"));
    }
    for text in load.files.values_mut() {
        *text = text.replacen(old, new, 1);
    }
    Ok(Input::UpdateService(load))
}
