//! The diagnostic codes of KUDO packages, and words that occur in many places.

/// The only version of the API.
pub const API_VERSION: &str = "kudo.dev/v1beta1";

/// Every code of this crate with its title. Each has a page `docs/diagnostics/CODE.md`.
pub const CODES: &[(&str, &str)] = &[
    (NO_OPERATOR, "The package has no operator.yaml"),
    (NO_PARAMS, "The package has no params.yaml"),
    (WRONG_TYPE, "A field has the wrong type"),
    (TWICE, "A field is written twice"),
    (UNKNOWN_FIELD, "A field does not exist"),
    (BAD_API_VERSION, "The API version is not supported"),
    (NO_NAME, "The operator has no name"),
    (NO_TEMPLATE, "A task names a template that does not exist"),
    (BAD_TASK, "A task cannot be built"),
    (SAME_PARAMETER, "Two parameters have the same name"),
    (BAD_CHARACTER, "A parameter's name has a character that it must not have"),
    (BAD_VERSION, "A version is missing or cannot be read"),
    (NO_TASK, "A plan uses a task that is not defined"),
    (UNUSED_TASK, "A task is not used"),
    (NO_PLAN, "A parameter triggers a plan that is not defined"),
    (NO_DEPLOY, "There is no plan 'deploy'"),
    (NO_PARAMETER, "A parameter that is used is not defined"),
    (UNUSED_PARAMETER, "A parameter is not used"),
    (IMMUTABLE, "An immutable parameter may be without a value"),
    (BAD_ENUM, "The allowed values of a parameter do not fit"),
    (BAD_DEFAULT, "The default of a parameter does not fit"),
    (BAD_GROUP, "A group of parameters does not fit"),
    (BAD_ADVANCED, "An advanced parameter has to be given"),
    (BAD_TEMPLATE, "A template cannot be read"),
    (NO_FUNCTION, "A template calls a function that does not exist"),
    (BAD_VARIABLE, "A template uses a variable that does not exist"),
    (UNUSED_TEMPLATE, "A template is not used"),
    (NOT_RENDERED, "A template cannot be rendered"),
    (BAD_YAML, "A rendered template is not YAML"),
    (SAME_PIPE_KEY, "Two pipes of a plan have the same key"),
    (NAMESPACE_KIND, "A template makes a namespace"),
    (BAD_NAMESPACE_MANIFEST, "The namespace manifest does not fit"),
    (NO_DEPENDENCY, "A package that this one depends on is not there"),
    (CYCLE, "Packages depend on each other"),
    (STRATEGY, "A strategy is missing or not known"),
    (NOT_GIVEN, "A required parameter has no value"),
    (UNKNOWN_VALUE, "A value is given to a parameter that does not exist"),
    (BAD_VALUE, "A value does not fit its parameter"),
    (NEWER_CLUSTER, "The operator wants a newer cluster"),
    (NEVER_DONE, "A step can never be done"),
    (TOO_MANY_PODS, "A template asks for more pods than the simulator takes"),
];

/// Findings about values that an installation has yet to give: the package is valid without them.
pub(crate) const OF_VALUES: &[&str] = &[NOT_GIVEN];

/// No `operator.yaml`.
pub(crate) const NO_OPERATOR: &str = "KUDO001";
/// No `params.yaml`.
pub(crate) const NO_PARAMS: &str = "KUDO002";
/// A field of the wrong type.
pub(crate) const WRONG_TYPE: &str = "KUDO003";
/// A repeated key.
pub(crate) const TWICE: &str = "KUDO004";
/// An unused field.
pub(crate) const UNKNOWN_FIELD: &str = "KUDO005";
/// Another `apiVersion`.
pub(crate) const BAD_API_VERSION: &str = "KUDO006";
/// No `name`.
pub(crate) const NO_NAME: &str = "KUDO007";
/// A template that a task names is not there.
pub(crate) const NO_TEMPLATE: &str = "KUDO008";
/// A task that cannot be built.
pub(crate) const BAD_TASK: &str = "KUDO009";
/// The same parameter in other letters.
pub(crate) const SAME_PARAMETER: &str = "KUDO010";
/// `;` or `,` in a parameter's name.
pub(crate) const BAD_CHARACTER: &str = "KUDO011";
/// A version that is none.
pub(crate) const BAD_VERSION: &str = "KUDO012";
/// An undefined task.
pub(crate) const NO_TASK: &str = "KUDO013";
/// An unused task.
pub(crate) const UNUSED_TASK: &str = "KUDO014";
/// A trigger without its plan.
pub(crate) const NO_PLAN: &str = "KUDO015";
/// No `deploy`.
pub(crate) const NO_DEPLOY: &str = "KUDO016";
/// An undefined parameter.
pub(crate) const NO_PARAMETER: &str = "KUDO017";
/// An unused parameter.
pub(crate) const UNUSED_PARAMETER: &str = "KUDO018";
/// Immutable, without default and not required.
pub(crate) const IMMUTABLE: &str = "KUDO019";
/// Allowed values that do not fit.
pub(crate) const BAD_ENUM: &str = "KUDO020";
/// A default that does not fit.
pub(crate) const BAD_DEFAULT: &str = "KUDO021";
/// A group that does not fit.
pub(crate) const BAD_GROUP: &str = "KUDO022";
/// Advanced, required and without default.
pub(crate) const BAD_ADVANCED: &str = "KUDO023";
/// An invalid template.
pub(crate) const BAD_TEMPLATE: &str = "KUDO024";
/// A function that does not exist.
pub(crate) const NO_FUNCTION: &str = "KUDO025";
/// A variable that does not exist.
pub(crate) const BAD_VARIABLE: &str = "KUDO026";
/// An unused template.
pub(crate) const UNUSED_TEMPLATE: &str = "KUDO027";
/// A template that fails.
pub(crate) const NOT_RENDERED: &str = "KUDO028";
/// A rendered text that is not YAML.
pub(crate) const BAD_YAML: &str = "KUDO029";
/// A repeated pipe key.
pub(crate) const SAME_PIPE_KEY: &str = "KUDO030";
/// `kind: Namespace` where it is not allowed.
pub(crate) const NAMESPACE_KIND: &str = "KUDO031";
/// A namespace manifest that is none.
pub(crate) const BAD_NAMESPACE_MANIFEST: &str = "KUDO032";
/// A package that is not there.
pub(crate) const NO_DEPENDENCY: &str = "KUDO033";
/// A circle of packages.
pub(crate) const CYCLE: &str = "KUDO034";
/// A strategy that is none.
pub(crate) const STRATEGY: &str = "KUDO035";
/// A required parameter without value.
pub(crate) const NOT_GIVEN: &str = "KUDO036";
/// A value for nothing.
pub(crate) const UNKNOWN_VALUE: &str = "KUDO037";
/// A value that does not fit.
pub(crate) const BAD_VALUE: &str = "KUDO038";
/// A cluster that is too old.
pub(crate) const NEWER_CLUSTER: &str = "KUDO039";
/// A step that never ends.
pub(crate) const NEVER_DONE: &str = "KUDO040";
/// More pods than a world holds.
pub(crate) const TOO_MANY_PODS: &str = "KUDO060";
