//! A page that is loaded again.

use super::{begun, opened};
use crate::store::action::Action;
use crate::store::effects;
use crate::store::selectors::tree;
use crate::store::state::Tab as Shows;
use crate::store::view_state;
use planarium_messages::questions::Begin;
use planarium_protocol::Input;
use planarium_protocol::input::AddAgent;

#[test]
fn a_tab_reloaded_before_anything_ran_has_its_script() {
    let hub = opened("", None);
    let there = begun(Begin { tab: Some(hub.kept_tab()), ..effects::begin("", None) });
    assert!(!there.state().story.lines.is_empty());
    assert_eq!(there.state().draft.text(), hub.state().draft.text());
    assert!(!there.state().draft.text().is_empty() && !there.state().draft.dirty());
    for hub in [&hub, &there] {
        hub.send(Action::SeekMs(30_000));
    }
    assert_eq!(there.state().world.view.clock.digest, hub.state().world.view.clock.digest);
    assert_eq!(there.state().story.lines, hub.state().story.lines);
}

#[test]
fn a_reloaded_tab_has_its_branches_edits_script_and_view_state() {
    let add = || Action::Do(Box::new(Input::AddAgent(AddAgent::default())));
    let past = vec![Action::SeekMs(20_000), Action::SeekMs(3000), add(), Action::SeekMs(5000)];
    let undone = vec![Action::SeekMs(3000), add(), Action::Undo, Action::SeekMs(9000)];
    for (deeds, branches) in
        [(vec![Action::SeekMs(7000)], 1), (vec![Action::SeekMs(7000), add()], 1), (past, 2), (undone, 2)]
    {
        let hub = opened("", Some("hello-world"));
        for action in &deeds {
            hub.send(action.clone());
        }
        let text = format!("{}# mine\n", hub.state().draft.text());
        let file = hub.state().draft.file.clone();
        hub.send(Action::Edit(file, text.clone()));
        hub.send(Action::ShowTab(Shows::Log));
        hub.send(Action::Leave);
        let state = hub.state();

        let (tab, looks) = (Some(hub.kept_tab()), view_state::of(&state));
        let there = begun(Begin { tab, looks, ..effects::begin("", None) }).state();
        assert_eq!(there.world.view.clock.digest, state.world.view.clock.digest, "{deeds:?}");
        assert_eq!(there.world.clock, state.world.clock, "{deeds:?}");
        assert_eq!(
            (there.world.branches.len(), state.world.branches.len()),
            (branches, branches),
            "{deeds:?}"
        );
        assert_eq!((there.draft.text(), there.draft.dirty()), (text.as_str(), true));
        assert_eq!(view_state::of(&there), view_state::of(&state));
        assert_eq!(tree::first_plan(&there.world.view), tree::first_plan(&state.world.view));
        assert_eq!(there.story.title, state.story.title);
        assert_eq!(
            (there.story.lines.len(), there.story.said.len()),
            (state.story.lines.len(), state.story.said.len()),
            "{deeds:?}"
        );
    }
}
