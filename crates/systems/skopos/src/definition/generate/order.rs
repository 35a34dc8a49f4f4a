//! Orders components for deployment.
//!
//! *Knows*: who uses whom. *Must not know*: anything else about components.

use crate::definition::model::Model;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

/// Component names, each behind those that it uses; otherwise in the order of the text.
///
/// *Errors*: the names of a circle, in order.
pub(crate) fn order(model: &Model) -> Result<Vec<&str>, Vec<Text>> {
    let places: SortedMap<&str, usize> =
        model.components.iter().enumerate().rev().map(|(at, one)| (&*one.name, at)).collect();
    let mut state = vec![Visit::New; model.components.len()];
    let mut done = Vec::with_capacity(model.components.len());
    for start in 0..model.components.len() {
        // A path of components, each with the number of its visited dependencies.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, seen)) = path.pop() {
            let Some(component) = model.components.get(at) else { continue };
            if seen == 0 && state.get(at) != Some(&Visit::New) {
                continue;
            }
            set(&mut state, at, Visit::Open);
            let Some(used) = component.uses.get(seen) else {
                set(&mut state, at, Visit::Done);
                done.push(&*component.name);
                continue;
            };
            path.push((at, seen.saturating_add(1)));
            let Some(next) = places.get(&**used).copied() else { continue };
            match state.get(next) {
                Some(Visit::New) => path.push((next, 0)),
                Some(Visit::Open) => {
                    let open = path.iter().map(|(at, _)| *at).skip_while(|at| *at != next);
                    let names = open.filter_map(|at| model.components.get(at).map(|one| one.name.clone()));
                    return Err(names.collect());
                }
                _ => {}
            }
        }
    }
    Ok(done)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

fn set(state: &mut [Visit], at: usize, visit: Visit) {
    if let Some(place) = state.get_mut(at) {
        *place = visit;
    }
}
