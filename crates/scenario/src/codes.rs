//! Diagnostic codes of this crate; each owns a page in `docs/diagnostics`.

/// The file is not a mapping, or lacks a required key.
pub(crate) const SHAPE: &str = "SCN001";
/// A key unknown to scenarios.
pub(crate) const UNKNOWN_KEY: &str = "SCN002";
/// A value of the wrong type or out of range.
pub(crate) const VALUE: &str = "SCN003";
/// A version unknown to this reader.
pub(crate) const VERSION: &str = "SCN004";
/// A file named by the scenario is missing.
pub(crate) const FILE: &str = "SCN005";
/// A condition that cannot be read.
pub(crate) const CONDITION: &str = "SCN006";
/// An input that cannot be read.
pub(crate) const INPUT: &str = "SCN007";
/// A script entry with no trigger or several.
pub(crate) const TRIGGER: &str = "SCN008";
/// A required part of a lesson is missing.
pub(crate) const LESSON_PART: &str = "LSN001";
/// A check that cannot be read.
pub(crate) const CHECK: &str = "LSN002";
/// A name in a lesson that is undefined or defined twice.
pub(crate) const LESSON_NAME: &str = "LSN003";
/// An unknown command word.
pub(crate) const LESSON_WORD: &str = "LSN004";

/// All codes with their titles.
pub const CODES: &[(&str, &str)] = &[
    (SHAPE, "not a scenario"),
    (UNKNOWN_KEY, "unknown key in a scenario"),
    (VALUE, "wrong value in a scenario"),
    (VERSION, "unknown scenario version"),
    (FILE, "a file of the scenario is missing"),
    (CONDITION, "a condition cannot be read"),
    (INPUT, "an input cannot be read"),
    (TRIGGER, "a script entry needs exactly one trigger"),
    (LESSON_PART, "a lesson lacks a part"),
    (CHECK, "a check of a lesson cannot be read"),
    (LESSON_NAME, "a name in a lesson does not fit"),
    (LESSON_WORD, "unknown command in a lesson"),
];
