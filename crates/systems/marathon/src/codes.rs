//! The diagnostic codes of this dialect, one for each family of rules, and which rule is of which family.

use crate::definition::Violation;
use crate::schema::Fault;

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub(crate) const $name: &str = $code;)*

        /// Every code with its title. Each has a page `docs/diagnostics/CODE.md`.
        pub const CODES: &[(&str, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    // ---- files
    NO_DEFINITION = "MAR001", "There is no app, group or pod";
    SEVERAL_DEFINITIONS = "MAR002", "Several files that are not all apps";
    NOT_AN_OBJECT = "MAR003", "The definition is not an object";
    ANSWER = "MAR004", "The text is an answer of Marathon";
    OUTPUT_FIELD = "MAR005", "A field that only answers have";
    // ---- any field
    UNKNOWN_FIELD = "MAR010", "A field does not exist";
    WRONG_TYPE = "MAR011", "A field has a value of the wrong type";
    MISSING_FIELD = "MAR012", "A required field is missing";
    OUT_OF_BOUNDS = "MAR013", "A value is out of its bounds";
    EMPTY_TEXT = "MAR014", "A text must not be empty";
    // ---- ids, groups, dependencies
    BAD_ID = "MAR020", "An id is not well formed";
    NOT_A_CHILD = "MAR021", "An id does not belong to its group";
    CYCLE = "MAR022", "Dependencies form a cycle";
    SAME_ID = "MAR023", "Two things have the same id";
    NOT_ALONE = "MAR024", "A field has to stand alone";
    ENFORCE_ROLE = "MAR025", "Roles can be enforced by top-level groups only";
    NO_SUCH_DEPENDENCY = "MAR026", "A dependency that has no effect";
    // ---- what runs
    COMMAND = "MAR030", "Exactly one of cmd, args or a container";
    OLD_AND_NEW = "MAR031", "An old field and its replacement at once";
    CONTAINER = "MAR032", "A container that cannot be run like this";
    FETCH = "MAR033", "A URI that cannot be fetched";
    SECRET = "MAR034", "A secret that is not declared";
    FEATURE = "MAR035", "A feature is not enabled";
    RESOURCES = "MAR036", "Resources that cannot be asked for like this";
    PORTS = "MAR040", "Ports do not fit together";
    NETWORK = "MAR041", "Networks do not fit together";
    VOLUME = "MAR042", "A volume that cannot be made";
    CONSTRAINT = "MAR050", "A constraint that cannot be understood";
    HEALTH_CHECK = "MAR060", "A health check that cannot work";
    READINESS_CHECK = "MAR061", "A readiness check that cannot work";
    CHECK = "MAR062", "A check that cannot work";
    // ---- running
    UPGRADE_STRATEGY = "MAR070", "An upgrade strategy that is not permitted";
    UNREACHABLE_STRATEGY = "MAR071", "An unreachable strategy that is not permitted";
    RESIDENT_ROLE = "MAR072", "What keeps volumes needs a role of its own";
    ROLE = "MAR073", "A role that is not permitted here";
    RESIDENT_CHANGE = "MAR074", "What keeps volumes cannot be changed like this";
    POD = "MAR080", "A pod that does not hold together";
    INVALID = "MAR090", "A rule of Marathon does not hold";
    FLAG = "MAR091", "A flag that does not exist or has no effect";
}

/// The family of a rule, by its path and message. *Order*: the first match wins.
const FAMILIES: &[(&str, &str, &str)] = &[
    // Part of the path, part of the message, code.
    ("", "cyclic dependencies", CYCLE),
    ("", "the simulator takes no more instances", OUT_OF_BOUNDS),
    ("", "may not share the same id", SAME_ID),
    ("", "may not have the same identifier", SAME_ID),
    ("", "already exists", SAME_ID),
    ("", "in conjunction with other properties", NOT_ALONE),
    ("", "may only be combined with the 'id' field", NOT_ALONE),
    ("enforceRole", "", ENFORCE_ROLE),
    ("", "is not child of", NOT_A_CHILD),
    ("", "has to be child of", NOT_A_CHILD),
    ("", "Resident apps cannot have the role", RESIDENT_ROLE),
    ("", "Resident pods cannot have the role", RESIDENT_ROLE),
    ("", "unreachableStrategy must be disabled", UNREACHABLE_STRATEGY),
    ("unreachableStrategy", "", UNREACHABLE_STRATEGY),
    ("", "Persistent volumes can not be changed", RESIDENT_CHANGE),
    ("", "persistent volumes cannot be updated", RESIDENT_CHANGE),
    ("", "cannot be updated if a pod has persistent volumes", RESIDENT_CHANGE),
    ("", "Services with persistent volumes configured", RESIDENT_CHANGE),
    ("", "change the role for existing reservations", RESIDENT_CHANGE),
    ("", "is not enabled", FEATURE),
    ("", "requires the secrets feature", FEATURE),
    ("upgradeStrategy", "", UPGRADE_STRATEGY),
    ("", "Single instance app", UPGRADE_STRATEGY),
    ("", "AppDefinition must either contain", COMMAND),
    ("", "AppDefinition must not use 'checks'", CHECK),
    ("", "at most one Mesos health check", HEALTH_CHECK),
    ("", "Health check port indices", HEALTH_CHECK),
    ("", "check port index must", CHECK),
    ("readinessCheck", "", READINESS_CHECK),
    ("healthCheck", "", HEALTH_CHECK),
    ("", "No port definition reference", READINESS_CHECK),
    ("", "Only one of http, tcp, or command", CHECK),
    ("/check", "", CHECK),
    ("", "cannot specify both", OLD_AND_NEW),
    ("", "cannot mix deprecated", OLD_AND_NEW),
    ("", "must not specify both", OLD_AND_NEW),
    ("", "must not both be set", OLD_AND_NEW),
    ("", "in conjunction with fetch", OLD_AND_NEW),
    ("volumes", "", VOLUME),
    ("", "olumes in app", VOLUME),
    ("", "olume names", VOLUME),
    ("", "VolumeMount", VOLUME),
    ("constraint", "", CONSTRAINT),
    ("", "onstraint", CONSTRAINT),
    ("placement", "", CONSTRAINT),
    ("", "secret", SECRET),
    ("secret", "", SECRET),
    ("fetch", "", FETCH),
    ("uris", "", FETCH),
    ("", "portMappings are not allowed", NETWORK),
    ("", "portDefinitions are only allowed", NETWORK),
    ("network", "", NETWORK),
    ("ipAddress", "", NETWORK),
    ("", "network", NETWORK),
    ("port", "", PORTS),
    ("", "orts", PORTS),
    ("", "Port names", PORTS),
    ("", "ndpoint names", PORTS),
    ("gpus", "", RESOURCES),
    ("", "GPU", RESOURCES),
    ("resourceLimits", "", RESOURCES),
    ("cpus", "", RESOURCES),
    ("", "resource limit", RESOURCES),
    ("", "ROLE", ROLE),
    ("ole", "", ROLE),
    ("", "role", ROLE),
    ("/cmd", "", COMMAND),
    ("", "must not be an empty string", EMPTY_TEXT),
    ("", "must not be empty", EMPTY_TEXT),
    ("", "must fully match regular expression", BAD_ID),
    ("", "reserved keywords", BAD_ID),
    ("", "Path must contain", BAD_ID),
    ("dependencies", "", BAD_ID),
    ("/id", "", BAD_ID),
    ("linuxInfo", "", CONTAINER),
    ("/containers", "", POD),
    ("container", "", CONTAINER),
    ("docker", "", CONTAINER),
];

/// The code of a rule.
pub(crate) fn of_violation(violation: &Violation) -> &'static str {
    let fits = |part: &str, text: &str| part.is_empty() || text.contains(part);
    let found = FAMILIES
        .iter()
        .find(|(path, message, _)| fits(path, &violation.path) && fits(message, &violation.message));
    found.map_or(INVALID, |(_, _, code)| code)
}

/// Returns the code for a message of the schema reader.
pub(crate) fn of_fault(fault: &Fault) -> &'static str {
    match &*fault.error {
        "error.path.missing" => MISSING_FIELD,
        "error.pattern" if fault.path.ends_with("/id") => BAD_ID,
        error if error.starts_with("error.expected") => WRONG_TYPE,
        _ => OUT_OF_BOUNDS,
    }
}
