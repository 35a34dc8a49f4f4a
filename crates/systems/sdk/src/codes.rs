//! The diagnostic codes of this dialect, one per rule.

use planarium_source::read::ReadCodes;

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*

        /// Every code with its title. Each has a page `docs/diagnostics/CODE.md`.
        pub const CODES: &[(&str, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    // ---- files, templates, packages
    NO_DEFINITION = "SDK001", "There is no service definition";
    SEVERAL_DEFINITIONS = "SDK002", "Several files could be the definition";
    UNKNOWN_DEFINITION = "SDK003", "The chosen definition is not among the files";
    MISSING_VARIABLE = "SDK004", "A template variable has no value";
    HTML_ESCAPED = "SDK005", "A value is escaped for HTML";
    EMPTY = "SDK006", "The definition is empty";
    UNKNOWN_OPTION = "SDK010", "The package has no such option";
    OPTION_TYPE = "SDK011", "An option has the wrong type";
    OPTION_ENUM = "SDK012", "An option has none of the permitted values";
    OPTION_RANGE = "SDK013", "An option is out of its range";
    OPTION_REQUIRED = "SDK014", "A required option is missing";
    NOT_A_SCHEMA = "SDK015", "config.json is not a schema of options";
    APP_NOT_JSON = "SDK016", "The package does not render to JSON";
    NO_APP_ENV = "SDK017", "The package sets no environment";
    PACKAGING_MARK = "SDK018", "The package was not built";
    OPTIONS_WITHOUT_PACKAGE = "SDK019", "Options without a package";
    BUILD_MARK = "SDK020", "A placeholder of a build is left in the text";
    UNUSED_VARIABLE = "SDK021", "Nothing uses a variable of the environment";
    PROGRAM = "SDK022", "The program that runs the definition";
    PROGRAM_FAILS = "SDK023", "The program around the definition does not start";
    // ---- any field
    UNKNOWN_FIELD = "SDK030", "A field does not exist";
    IGNORED_FIELD = "SDK031", "A field of a pod is ignored";
    MISSING_FIELD = "SDK032", "A required field is missing";
    WRONG_TYPE = "SDK033", "A field has a value of the wrong type";
    // ---- the service
    NAME_UNDERSCORES = "SDK041", "The service name holds two underscores in a row";
    NAME_TOO_LONG = "SDK042", "The service name is too long";
    NO_PODS = "SDK043", "The service has no pods";
    // ---- pods
    BAD_COUNT = "SDK050", "A pod count is below zero";
    TOO_MANY_INSTANCES = "SDK051", "More pod instances than the simulator takes";
    NO_TASKS = "SDK052", "A pod has no tasks";
    EMPTY_IMAGE = "SDK053", "The image is empty";
    BAD_URI = "SDK054", "Not a URI";
    SECCOMP_BOTH = "SDK055", "Unconfined and a seccomp profile at once";
    BAD_IPC_MODE = "SDK056", "Not a permitted IPC mode";
    BAD_RLIMIT_NAME = "SDK057", "No such process limit";
    BAD_RLIMIT = "SDK058", "The two values of a process limit contradict each other";
    PORT_MAPPING = "SDK060", "The network maps no ports";
    PORT_MAPPING_LENGTHS = "SDK061", "Port mappings of unequal length";
    BAD_HOST_VOLUME = "SDK062", "A host volume has an unusable path";
    BAD_VOLUME_MODE = "SDK063", "Not a volume mode";
    BAD_EXTERNAL_VOLUME = "SDK064", "No such kind of external volume";
    BAD_DRIVER_OPTIONS = "SDK065", "Driver options cannot be read";
    DRIVER_OPTION_NAME = "SDK066", "The volume name is given twice";
    NO_SECRET = "SDK067", "A secret has no path";
    BAD_SECRET_FILE = "SDK068", "A secret file has an unusable path";
    SHM_SHARED = "SDK069", "A shared memory size with a shared namespace";
    // ---- tasks and resource sets
    BAD_GOAL = "SDK080", "Not a goal";
    NOT_POSITIVE = "SDK081", "An amount must be above zero";
    BAD_LABELS = "SDK082", "Labels cannot be read";
    VOLUME_AND_VOLUMES = "SDK083", "Both volume and volumes";
    UNKNOWN_RESOURCE_SET = "SDK084", "No such resource set";
    EMPTY_RESOURCE_SET = "SDK085", "A resource set reserves nothing";
    OWN_RESOURCES_IGNORED = "SDK086", "Resources beside a resource set are ignored";
    UNUSED_RESOURCE_SET = "SDK087", "A resource set is not used";
    BAD_GRACE_PERIOD = "SDK088", "A kill grace period is out of range";
    BAD_VISIBILITY = "SDK089", "Not a visibility";
    SHARED_PREFIX = "SDK090", "Two pods share a discovery prefix";
    BAD_TRANSPORT_ENCRYPTION = "SDK091", "Transport encryption cannot be provided";
    NO_TEMPLATE_FILE = "SDK092", "A config template is missing";
    CONFIG_TWICE = "SDK093", "Two configs write the same file";
    BAD_CHECK = "SDK094", "A check has a number out of range";
    BAD_LIMIT = "SDK095", "A resource limit cannot be read";
    LIMIT_BELOW_REQUEST = "SDK096", "A resource limit is below the request";
    CONFIG_VARIABLE = "SDK097", "A variable of a config template has no value";
    // ---- ports and volumes
    PORT_TWICE = "SDK110", "Two ports have the same number";
    VIP_CONFLICT = "SDK111", "A VIP prefix is another port's name";
    ENDPOINT_TWICE = "SDK112", "Two advertised ports have the same name";
    BAD_PORT_RANGE = "SDK113", "A port range ends before it begins";
    BAD_PORT = "SDK114", "Not a port number";
    BAD_VOLUME_PATH = "SDK120", "A volume has an unusable path";
    VOLUME_PATH_TWICE = "SDK121", "Two volumes have the same path";
    BAD_VOLUME_TYPE = "SDK122", "No such kind of volume";
    PROFILES_NOT_MOUNT = "SDK123", "Profiles on a volume without a disk of its own";
    BAD_PROFILE = "SDK124", "Not a volume profile";
    // ---- placement
    PLACEMENT_ARITY = "SDK130", "A placement constraint has the wrong number of parts";
    PLACEMENT_OPERATOR = "SDK131", "No such placement operator";
    PLACEMENT_PARAMETER = "SDK132", "A placement constraint has an unusable parameter";
    PLACEMENT_REGEX = "SDK133", "A placement constraint has no valid regular expression";
    // ---- plans
    PLAN_STRATEGY = "SDK140", "No such plan strategy";
    PHASE_STRATEGY = "SDK141", "No such phase strategy";
    UNKNOWN_POD = "SDK142", "A phase names an unknown pod";
    STEP_SHAPE = "SDK143", "Steps are not written as a list of single entries";
    STEP_TWICE = "SDK144", "The steps of an instance are given twice";
    STEP_MISSING = "SDK145", "A pod instance has no steps";
    UNKNOWN_TASK = "SDK146", "A step names an unknown task";
    NO_DEPLOY_PLAN = "SDK147", "There is no deploy plan";
    STEP_CONFLICT = "SDK148", "A step cannot be built";
    STEPS_EMPTY = "SDK149", "A steps entry has no list";
    TOO_MANY_STEPS = "SDK150", "More steps than the simulator takes";
    STEP_IGNORED = "SDK151", "A steps entry is ignored";
}

/// Findings of the real scheduler's validators: it reads such a definition, and compares it with the running one.
/// Includes fields that an update cannot change.
///
/// **Source**: `dcos-commons: …/config/validate/{PlacementRuleIsValid,ResourceLimitsMustExceedRequestedResources}.java`.
/// Match; errors outside of validators, such as a bad regular expression, end the real process.
pub(crate) const VALIDATED: &[&str] =
    &[PLACEMENT_ARITY, PLACEMENT_OPERATOR, PLACEMENT_PARAMETER, LIMIT_BELOW_REQUEST];

/// Findings about a single value, independent of its context.
pub(crate) const LOCAL: &[&str] = &[
    UNKNOWN_FIELD,
    IGNORED_FIELD,
    WRONG_TYPE,
    NAME_UNDERSCORES,
    NAME_TOO_LONG,
    BAD_COUNT,
    TOO_MANY_INSTANCES,
    EMPTY_IMAGE,
    BAD_URI,
    SECCOMP_BOTH,
    BAD_IPC_MODE,
    BAD_RLIMIT_NAME,
    BAD_RLIMIT,
    BAD_HOST_VOLUME,
    BAD_VOLUME_MODE,
    BAD_EXTERNAL_VOLUME,
    BAD_DRIVER_OPTIONS,
    DRIVER_OPTION_NAME,
    BAD_SECRET_FILE,
    BAD_GOAL,
    NOT_POSITIVE,
    BAD_LABELS,
    VOLUME_AND_VOLUMES,
    BAD_GRACE_PERIOD,
    BAD_VISIBILITY,
    SHARED_PREFIX,
    CONFIG_TWICE,
    BAD_CHECK,
    BAD_LIMIT,
    LIMIT_BELOW_REQUEST,
    PORT_TWICE,
    VIP_CONFLICT,
    ENDPOINT_TWICE,
    BAD_PORT_RANGE,
    BAD_PORT,
    BAD_VOLUME_PATH,
    VOLUME_PATH_TWICE,
    BAD_VOLUME_TYPE,
    BAD_PROFILE,
    PLACEMENT_ARITY,
    PLACEMENT_OPERATOR,
    PLACEMENT_PARAMETER,
    PLACEMENT_REGEX,
    PLAN_STRATEGY,
    PHASE_STRATEGY,
];

/// The codes of findings about the shape of fields.
pub(crate) const READ: ReadCodes =
    ReadCodes { unknown: UNKNOWN_FIELD, missing: MISSING_FIELD, wrong_type: WRONG_TYPE };

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn codes_are_in_order_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
