//! Custom resource definitions as kinds.

use super::{Column, KindInfo};
use crate::tree::Tree;
use planarium_protocol::Text;
use serde_json::Value;

/// The kind that the content of a definition describes.
pub(crate) fn info_of(content: &Value) -> KindInfo {
    let spec = content.key("spec");
    let names = spec.key("names");
    let word = |key: &str| Text::from(names.text(key));
    let versions = spec.items("versions");
    // The storage version is preferred; the order of the others is as written.
    let mut all: Vec<Text> =
        versions.iter().filter(|one| one.flag("served")).map(|one| one.text("name").into()).collect();
    if let Some(at) = versions.iter().find(|one| one.flag("storage")).map(|one| one.text("name"))
        && let Some(place) = all.iter().position(|one| **one == *at)
    {
        let preferred = all.remove(place);
        all.insert(0, preferred);
    }
    let shown = versions.iter().find(|one| one.flag("storage")).or_else(|| versions.first());
    let subresources = shown.map_or(&Value::Null, |one| one.key("subresources"));
    let column = |column: &Value| Column {
        name: column.text("name").into(),
        kind: column.text("type").into(),
        path: column.text("jsonPath").into(),
        priority: column.int("priority").unwrap_or(0),
    };
    KindInfo {
        preferred: super::preferred(spec.text("group"), &all),
        group: spec.text("group").into(),
        kind: word("kind"),
        plural: word("plural"),
        singular: word("singular"),
        short_names: names.texts("shortNames"),
        categories: names.texts("categories"),
        namespaced: spec.text("scope") != "Cluster",
        versions: all,
        has_status: !subresources.key("status").is_null(),
        has_scale: false,
        has_generation: true,
        custom: true,
        columns: shown
            .map(|one| one.items("additionalPrinterColumns").iter().map(column).collect())
            .unwrap_or_default(),
    }
}
