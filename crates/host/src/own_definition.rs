//! Tells an example's definition from a user's own.
//!
//! *Knows*: names and lines of texts. *Must not know*: their meaning.

use planarium_protocol::input::LoadService;
use planarium_scenario::Scenario;

/// Returns whether none of these services is an edited version of one of those before.
pub(crate) fn is_own(before: &[LoadService], now: &[LoadService]) -> bool {
    !now.is_empty() && !now.iter().any(|load| before.iter().any(|old| akin(old, load)))
}

/// Returns the world of a user's own definition: keeps machines and seed, drops the example's title, script and
/// faults.
pub(crate) fn of(scenario: Scenario) -> Scenario {
    let first = scenario.services.first().map(|load| planarium_world::check(load).name.to_string());
    Scenario {
        title: first.unwrap_or_default(),
        processes: Vec::new(),
        script: Vec::new(),
        until: None,
        goal: None,
        hint: String::new(),
        solution: Vec::new(),
        ..scenario
    }
}

/// Returns whether a text is an edited version of another one: at least half of its lines are the same, and so is its
/// name.
fn akin(old: &LoadService, new: &LoadService) -> bool {
    if old == new {
        return true;
    }
    let (was, is) = (planarium_world::check(old), planarium_world::check(new));
    if was.dialect != is.dialect || was.name != is.name {
        return false;
    }
    let known: Vec<&str> = lines(old).collect();
    let (mut same, mut all) = (0_usize, 0_usize);
    for line in lines(new) {
        all += 1;
        same += usize::from(known.contains(&line));
    }
    same * 2 >= all
}

/// Lines that say something.
fn lines(load: &LoadService) -> impl Iterator<Item = &str> {
    let all = load.files.values().flat_map(|text| text.lines());
    all.map(str::trim).filter(|line| line.len() > 2 && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_and_pasted_texts_are_told_apart() {
        let load = |text: &str| {
            let mut load = LoadService { dialect: "auto".into(), ..LoadService::default() };
            load.files.insert("svc.yml".into(), text.into());
            load
        };
        let text = "name: hello\npods:\n  node:\n    count: 2\n    tasks:\n      server:\n        goal: RUNNING\n        cmd: ./node\n        cpus: 0.5\n        memory: 128\n";
        for (now, own) in [
            (text.to_owned(), false),
            (text.replace("count: 2", "count: 3"), false),
            (format!("# mine\n{text}"), false),
            (text.replace("hello", "mine"), true),
            ("name: hello\npods:\n  kafka:\n    count: 9\n    tasks:\n      broker:\n        goal: RUNNING\n        cmd: ./kafka\n        cpus: 1\n        memory: 2048\n".into(), true),
        ] {
            assert_eq!(is_own(&[load(text)], &[load(&now)]), own, "{now}");
        }
        assert!(!is_own(&[load(text)], &[]), "no text is nobody's");
    }
}
