//! The diagnostic codes of Kubernetes objects.

/// Every code of this crate with its title. Each has a page `docs/diagnostics/CODE.md`.
pub const CODES: &[(&str, &str)] = &[
    (NOTHING, "There is no object in the files"),
    (NO_OBJECT, "A document is no Kubernetes object"),
    (UNKNOWN_KIND, "A kind does not exist"),
    (REMOVED, "An API version was removed"),
    (WRONG_VERSION, "A kind is written under the wrong API version"),
    (WRONG_TYPE, "A field has the wrong type"),
    (INVALID, "A field is not valid"),
    (UNKNOWN_FIELD, "A field does not exist"),
    (TWICE, "An object is written twice"),
    (NOT_SIMULATED, "A kind is not simulated"),
    (IMMUTABLE, "A field cannot be changed"),
    (LEFT_BEHIND, "An object is no longer in the files"),
    (GENERATED_NAME, "An object has a generated name"),
    (NO_NAMESPACE, "A namespace is not made here"),
    (NO_REFERENCE, "A pod needs an object that is not made here"),
    (NOT_BUILT, "The files have to be built first"),
    (OTHER_NAMESPACE, "An object names another namespace than the request"),
    (TOO_MANY, "There are too many objects"),
    (NO_DEFINITION, "A custom kind is not defined here"),
];

/// Files without an object.
pub(crate) const NOTHING: &str = "KUB001";
/// A document without `apiVersion` or `kind`, or of another shape.
pub(crate) const NO_OBJECT: &str = "KUB002";
/// A kind that its group does not have.
pub(crate) const UNKNOWN_KIND: &str = "KUB003";
/// A version that newer clusters do not serve.
pub(crate) const REMOVED: &str = "KUB004";
/// A kind that another group or version has.
pub(crate) const WRONG_VERSION: &str = "KUB005";
/// A value of a type that the field cannot take.
pub(crate) const WRONG_TYPE: &str = "KUB006";
/// A value that the API server refuses.
pub(crate) const INVALID: &str = "KUB007";
/// A field that the kind does not have.
pub(crate) const UNKNOWN_FIELD: &str = "KUB008";
/// The same kind, namespace and name again.
pub(crate) const TWICE: &str = "KUB009";
/// A kind of upstream that this cluster does not have.
pub(crate) const NOT_SIMULATED: &str = "KUB010";
/// A change that the API server refuses.
pub(crate) const IMMUTABLE: &str = "KUB011";
/// An object that an update does not name any more.
pub(crate) const LEFT_BEHIND: &str = "KUB012";
/// `generateName` without a name.
pub(crate) const GENERATED_NAME: &str = "KUB013";
/// A namespace that may not exist.
pub(crate) const NO_NAMESPACE: &str = "KUB014";
/// A ConfigMap, Secret, claim or account that may not exist.
pub(crate) const NO_REFERENCE: &str = "KUB015";
/// A kustomization or a template.
pub(crate) const NOT_BUILT: &str = "KUB016";
/// A namespace that differs from the requested one.
pub(crate) const OTHER_NAMESPACE: &str = "KUB017";
/// More objects than are read.
pub(crate) const TOO_MANY: &str = "KUB018";
/// A custom resource without its CustomResourceDefinition.
pub(crate) const NO_DEFINITION: &str = "KUB019";
