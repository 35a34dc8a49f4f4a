//! Claims, volumes and storage classes.

use crate::{
    quantity,
    selector::Selector,
    spec::placement::NodeTerm,
    tree::{Tree, word},
};
use planarium_protocol::Text;
use serde_json::Value;

/// A PersistentVolumeClaim.
#[derive(Clone, Debug)]
pub(crate) struct ClaimSpec {
    /// Nothing for the default class, empty for none.
    pub(crate) class: Option<Text>,
    pub(crate) modes: Vec<Text>,
    /// *Units*: bytes.
    pub(crate) size: i64,
    /// As written.
    pub(crate) size_text: Text,
    /// The volume it is bound to, or has to be.
    pub(crate) volume: Option<Text>,
    pub(crate) selector: Option<Selector>,
    pub(crate) mode: Text,
}

impl ClaimSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let size = spec.at(&["resources", "requests", "storage"]).as_str().unwrap_or("0");
        Self {
            class: spec.key("storageClassName").as_str().map(Text::from),
            modes: spec.texts("accessModes"),
            size: quantity::whole(size).unwrap_or(0),
            size_text: size.into(),
            volume: word(spec, "volumeName"),
            selector: spec.key("selector").is_object().then(|| Selector::of_value(spec.key("selector"))),
            mode: spec.text("volumeMode").into(),
        }
    }
}

/// A PersistentVolume.
#[derive(Clone, Debug)]
pub(crate) struct VolumeSpec {
    pub(crate) class: Text,
    pub(crate) modes: Vec<Text>,
    /// *Units*: bytes.
    pub(crate) size: i64,
    /// Namespace, name and uid (may be empty) of the claim that it is for.
    pub(crate) claim: Option<(Text, Text, Text)>,
    pub(crate) delete: bool,
    pub(crate) mode: Text,
    /// One of these has to match a node, where there are any.
    pub(crate) node_terms: Option<Vec<NodeTerm>>,
}

impl VolumeSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let claim = spec.key("claimRef");
        let node = spec.at(&["nodeAffinity", "required"]);
        Self {
            class: spec.text("storageClassName").into(),
            modes: spec.texts("accessModes"),
            size: spec.at(&["capacity", "storage"]).as_str().and_then(quantity::whole).unwrap_or(0),
            claim: word(claim, "name")
                .map(|name| (claim.text("namespace").into(), name, claim.text("uid").into())),
            delete: spec.text("persistentVolumeReclaimPolicy") == "Delete",
            mode: spec.text("volumeMode").into(),
            node_terms: node
                .is_object()
                .then(|| node.items("nodeSelectorTerms").iter().map(NodeTerm::read).collect()),
        }
    }
}

/// A StorageClass.
#[derive(Clone, Debug)]
pub(crate) struct ClassSpec {
    /// True if volumes are made on demand: every provisioner but `kubernetes.io/no-provisioner` is there.
    pub(crate) provisions: bool,
    pub(crate) provisioner: Text,
    /// True if a claim waits until a pod uses it.
    pub(crate) waits: bool,
    /// `Delete` or `Retain`.
    pub(crate) reclaim: Text,
}

impl ClassSpec {
    pub(crate) fn read(content: &Value) -> Self {
        Self {
            provisions: content.text("provisioner") != "kubernetes.io/no-provisioner",
            provisioner: content.text("provisioner").into(),
            waits: content.text("volumeBindingMode") == "WaitForFirstConsumer",
            reclaim: content.text("reclaimPolicy").into(),
        }
    }
}
