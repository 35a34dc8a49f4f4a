//! Custom kinds: a CRD is established after a look, and its objects go before it does.
//!
//! Source: `kubernetes/apiextensions-apiserver: pkg/controller/{establish,finalizer,status}`; match in outcome. Schemas are
//! kept and not enforced.

use crate::{
    kinds::{Column, KindInfo},
    kube::Kube,
    object::Object,
    request::DeleteOptions,
    status::Status,
    tree::Tree,
};
use planarium_ground::Cx;
use planarium_protocol::{Text, json};
use serde_json::Value;
use std::sync::Arc;

/// The finalizer of a CRD while there may be objects of its kind.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

impl Kube {
    pub(crate) fn sync_definition(&mut self, cx: &mut Cx, crd: &Arc<Object>) {
        let info = info_of(crd.content());
        if crd.is_being_deleted() {
            let kind = self.find_plural(&info.group, &info.plural);
            let all: Vec<Arc<Object>> =
                kind.map(|kind| self.store.of_kind(kind, None).cloned().collect()).unwrap_or_default();
            if all.is_empty() {
                return self.drop_finalizer(cx, crd, CLEANUP);
            }
            for object in all.iter().filter(|object| !object.is_being_deleted()) {
                self.delete_object(cx, object, &DeleteOptions::default());
            }
            return;
        }
        let taken = self.find_kind(&info.preferred(), &info.kind).and_then(|kind| self.kind_info(kind));
        if taken.is_some_and(|taken| taken.plural != info.plural) {
            let at = self.epoch.text(cx.now());
            let message = format!("{:?} is already in use", info.kind);
            let status = json!({ "conditions": [{
                "type": "NamesAccepted", "status": "False", "lastTransitionTime": at, "reason": "KindConflict", "message": message,
            }, {
                "type": "Established", "status": "False", "lastTransitionTime": at, "reason": "NotAccepted",
                "message": "not all names are accepted",
            }] });
            self.put_status(cx, crd, Status::Plain(Arc::new(status)));
            return;
        }
        let names = crd.content().at(&["spec", "names"]).clone();
        let stored: Vec<Text> = info.versions.clone();
        let served = self.find_plural(&info.group, &info.plural).and_then(|kind| self.kind_info(kind));
        if served.is_none_or(|served| **served != info) {
            Arc::make_mut(&mut self.kinds).serve(info);
        }
        if established(crd) {
            return;
        }
        let at = self.epoch.text(cx.now());
        let status = json!({
            "conditions": [{
                "type": "NamesAccepted", "status": "True", "lastTransitionTime": at, "reason": "NoConflicts",
                "message": "no conflicts found",
            }, {
                "type": "Established", "status": "True", "lastTransitionTime": at, "reason": "InitialNamesAccepted",
                "message": "the initial names have been accepted",
            }],
            "acceptedNames": names, "storedVersions": stored,
        });
        let mut new = Object { status: Status::Plain(Arc::new(status)), ..Object::clone(crd) };
        if !new.finalizers.iter().any(|one| **one == *CLEANUP) {
            Arc::make_mut(&mut new.finalizers).push(CLEANUP.into());
        }
        self.put(cx, new);
    }

    /// A CRD is no more, and its kind with it.
    pub(crate) fn withdraw_definition(&mut self, crd: &Object) {
        let info = info_of(crd.content());
        if let Some(kind) = self.find_plural(&info.group, &info.plural)
            && self.kind_info(kind).is_some_and(|info| info.custom)
        {
            Arc::make_mut(&mut self.kinds).withdraw(kind);
        }
    }
}

/// Whether a CRD's kind is served.
pub(crate) fn established(crd: &Object) -> bool {
    let Status::Plain(status) = &crd.status else { return false };
    status
        .items("conditions")
        .iter()
        .any(|one| one.text("type") == "Established" && one.text("status") == "True")
}

fn info_of(content: &Value) -> KindInfo {
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
