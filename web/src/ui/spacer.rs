//! Room that rows outside the window would take.

use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct SpacerProps {
    /// Height in pixels.
    pub(crate) px: usize,
}

/// An empty block of a height.
#[component]
pub(crate) fn Spacer(props: &SpacerProps) -> Html {
    let node = use_node_ref();
    use_effect_with((node.clone(), props.px), |(node, px)| {
        if let Some(element) = node.cast::<HtmlElement>() {
            let _ = element.style().set_property("height", &format!("{px}px"));
        }
    });
    html! { <div ref={node} class="spacer" role="presentation" aria-hidden="true"></div> }
}
