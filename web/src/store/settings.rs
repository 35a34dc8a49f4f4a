//! Changes of the settings that the browser remembers.

use super::action::{Action, Border};
use super::state::{Prefs, Sizes};

/// Takes an action over that changes a setting.
pub(super) fn take(prefs: &mut Prefs, action: &Action) {
    match action {
        Action::Resize(border, size) => resize(&mut prefs.sizes, *border, *size),
        Action::ResetSize(border) => {
            let first = Sizes::default();
            let size = match border {
                Border::Editor => first.editor,
                Border::Inspector => first.inspector,
                Border::Dock => first.dock,
            };
            resize(&mut prefs.sizes, *border, size);
        }
        Action::SetTheme(theme) => prefs.theme = *theme,
        Action::ToggleIdle => prefs.full_idle = !prefs.full_idle,
        Action::ToggleKeys => prefs.keys_off = !prefs.keys_off,
        Action::SetVerbosity(verbosity) => prefs.verbosity = *verbosity,
        Action::DismissHint => prefs.hint_seen = true,
        _ => {}
    }
}

fn resize(sizes: &mut Sizes, border: Border, size: u32) {
    match border {
        Border::Editor => sizes.editor = size.clamp(150, 500),
        Border::Inspector => sizes.inspector = size.clamp(180, 500),
        Border::Dock => sizes.dock = size.clamp(96, 420),
    }
}
