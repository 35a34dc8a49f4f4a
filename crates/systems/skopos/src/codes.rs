//! The diagnostic codes of this dialect, one per rule.

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*

        /// Every code with its title. Each has a page `docs/diagnostics/CODE.md`.
        pub const CODES: &[(&str, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    // ---- which file is what
    NO_PLAN = "SKO001", "There is neither a plan nor a model";
    SEVERAL = "SKO002", "Several files could be the plan or the model";
    UNKNOWN_FILE = "SKO003", "A file that an option names is not there";
    NO_MODEL = "SKO004", "A plan without a model";
    IGNORED_FILE = "SKO005", "A file is not read";
    UNKNOWN_OPTION = "SKO006", "An option cannot be used";
    // ---- the header of a plan
    DOCTYPE = "SKO010", "The doctype is not that of a plan";
    VERSION = "SKO011", "The version of the plan is not known";
    STEPS = "SKO012", "The steps are missing or not a list";
    STEP_TYPE = "SKO013", "A step is not a mapping";
    ROOT = "SKO014", "The document is not a mapping";
    // ---- steps
    ID_MISSING = "SKO020", "A step has no id";
    ID_DUPLICATE = "SKO021", "A step id is used twice";
    CLASS_MISSING = "SKO022", "A step has no class";
    CLASS_UNKNOWN = "SKO023", "The class of a step does not exist";
    CLASS_PLACE = "SKO024", "A step of this class is not allowed here";
    LOOP_NESTED = "SKO025", "A loop is inside a loop";
    CLEANUP_TOP = "SKO026", "A top-level step is marked as cleanup";
    LOOP_COUNT = "SKO027", "A loop has neither target_num nor selector";
    LOOP_SELECTOR = "SKO028", "A loop has a selector that does not exist";
    WRONG_TYPE = "SKO029", "An attribute has a value of the wrong type";
    RANGE = "SKO030", "A number is out of its range";
    FLOW_SYNTAX = "SKO031", "An exit cannot be read";
    GOTO_UNKNOWN = "SKO032", "An exit leads to a step that does not exist";
    GOTO_SCOPE = "SKO033", "An exit leads into another chain";
    GOTO_IN_LOOP = "SKO034", "An exit inside a loop names a step";
    // ---- accepted, but probably a mistake
    UNKNOWN_ATTRIBUTE = "SKO040", "An attribute is ignored";
    FLOW_SPLIT = "SKO041", "A comma has cut an exit in two";
    ON_FAIL_DEFAULT = "SKO042", "A failure would be ignored";
    FLOW_SUBATTRIBUTE = "SKO043", "A sub-attribute of an exit does not exist";
    FLOW_WARN_INFO = "SKO044", "An exit both warns and informs";
    BACK_JUMP = "SKO045", "An exit leads back";
    GOTO_TOP = "SKO046", "A top-level exit names a step";
    UNREACHABLE = "SKO047", "A step is never reached";
    EMPTY_CHAIN = "SKO048", "A step contains no steps";
    LOOP_BOTH = "SKO049", "A loop has both target_num and selector";
    ID_CHARSET = "SKO050", "A step id has unusual characters";
    ID_RESERVED = "SKO051", "A step id is a special label";
    COMPONENT_ID = "SKO052", "The id of a component step is not its component";
    COMPONENT_UNKNOWN = "SKO053", "A component is neither in the model nor running";
    ACTION_FORM = "SKO054", "An action calls nothing";
    PLUGIN_UNKNOWN = "SKO055", "A plugin does not exist";
    ACTION_UNKNOWN = "SKO056", "A plugin has no such action";
    SCRIPT_UNKNOWN = "SKO057", "A script does not exist";
    ARGUMENT_UNKNOWN = "SKO058", "An action takes no such argument";
    ARGUMENT_MISSING = "SKO059", "An action lacks an argument";
    ATTRIBUTE_TYPE = "SKO060", "A value is ignored because of its type";
    // ---- variables
    VARIABLE_UNKNOWN = "SKO061", "A variable has no value";
    VARIABLE_SCOPE = "SKO062", "A variable has no value here";
    VARIABLE_BARE = "SKO063", "A user variable is written without .vars";
    VARIABLE_DEPRECATED = "SKO064", "A variable is deprecated";
    TEMPLATE = "SKO065", "A template cannot be interpolated";
    VARIABLE_HYPHEN = "SKO066", "A variable's name has a hyphen";
    DOLLAR = "SKO067", "A plan has a variable of the model's form";
    // ---- shapes that the original page cannot draw
    PATTERN_ORDER = "SKO070", "An exit leaves the usual order";
    PATTERN_LOOP_CLEANUP = "SKO071", "A cleanup step inside a loop";
    PATTERN_POST_LOOP = "SKO072", "A second loop has several steps";
    PATTERN_CLEANUP_LOOP = "SKO073", "A cleanup loop has several steps";
    PATTERN_CLEANUP_BLOCKS = "SKO074", "A chain has several cleanup blocks";
    // ---- the model
    MODEL_HEADER = "SKO080", "The header is not that of a model";
    MODEL_VALUE = "SKO081", "A value of the model cannot be used";
    MODEL_VARIABLE = "SKO082", "A variable of the model has no value";
    MODEL_REFERENCE = "SKO083", "A component that is named does not exist";
    MODEL_CYCLE = "SKO084", "Components use each other in a circle";
    MODEL_UNKNOWN = "SKO085", "An attribute of the model is not known";
    LIFECYCLE_STEP = "SKO086", "A lifecycle step cannot be used";
    NO_IMAGE = "SKO087", "A component has no image";
    // ---- the environment
    ENV_VALUE = "SKO090", "A value of the environment cannot be used";
    ENV_NAMES = "SKO091", "A name is both a plugin and a script";
    ENV_UNKNOWN = "SKO092", "An attribute of the environment is not known";
    ENV_ORDER = "SKO093", "Several environment files are merged";
    ENV_VARIABLE = "SKO094", "A variable of an environment file has no value";
}
