//! Relation of the editor's text to the moment shown.

use crate::store::moment::Standing;
use crate::store::{Action, use_hub};
use crate::ui::{Button, icon};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct MomentStripProps {
    /// The relation.
    pub(super) standing: Standing,
}

/// A line above the text; nothing where the text is simply what runs.
#[component]
pub(super) fn MomentStrip(props: &MomentStripProps) -> Html {
    let hub = use_hub();
    let (family, sign, words) = match props.standing {
        Standing::Runs => return Html::default(),
        Standing::RunsBesideDraft => ("neutral", "apply", "Runs at the moment shown. Your draft is kept."),
        Standing::Draft => ("active", "edit", "Draft. At the moment shown another text runs."),
        Standing::Absent => ("active", "edit", "Draft. At the moment shown it does not run."),
    };
    html! {
        <div class="moment-strip" data-family={family} role="status">
            { icon(sign) }
            <p>{ words }</p>
            { match props.standing {
                Standing::RunsBesideDraft => html! {
                    <Button label="Show the draft" look="quiet" onclick={hub.act(Action::ShowDraft)} />
                },
                Standing::Draft => html! {
                    <Button label="Show what runs" look="quiet" title="The draft is kept" onclick={hub.act(Action::ShowRunning)} />
                },
                Standing::Absent | Standing::Runs => Html::default(),
            } }
        </div>
    }
}
