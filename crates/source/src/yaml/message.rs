//! Messages for the errors of the event parser.

/// An error with position and advice.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) message: String,
    pub(super) help: &'static str,
    /// Byte offset of the place.
    pub(super) at: usize,
    /// Byte offset of an open bracket to show with the error.
    pub(super) opened: Option<usize>,
}

/// The parser's error about a colon, which is examined further.
const COLON: &str = "A ':' is not allowed here";
const TAB: &str = "A tab is used where YAML wants spaces";
const TAB_HELP: &str = "indent with spaces; YAML does not allow tabs for that";
const CLOSE_IT: &str = "close it with ']' or '}'";

/// Fragments of the parser's texts, the message for each and the help.
///
/// *Order*: the first fragment that occurs decides.
const KNOWN: &[(&str, &str, &str)] = &[
    ("found a tab", TAB, TAB_HELP),
    ("tabs disallowed", TAB, TAB_HELP),
    ("tab cannot", TAB, TAB_HELP),
    ("start with a tab", TAB, TAB_HELP),
    (
        "found unknown anchor",
        "This alias names an anchor that does not exist",
        "define it with '&name' before using '*name'",
    ),
    (
        "mapping values are not allowed",
        COLON,
        "put the value in quotes if it contains ': ', or start a new line with the right indentation",
    ),
    (
        "illegal placement of ':'",
        COLON,
        "put the text in quotes if it contains ': ', or indent the field like its neighbours",
    ),
    (
        "simple key expect",
        "A field name here or just above has no ':'",
        "write 'name: value', and check the indentation of this line and the one before",
    ),
    (
        "mapping keys are not allowed",
        "A field is not allowed here",
        "put it on a line of its own, indented like its neighbours",
    ),
    (
        "block sequence entries are not allowed",
        "A list item is not allowed here",
        "put the first '-' on a new line, indented under its field",
    ),
    (
        "did not find expected key",
        "The indentation does not fit any field above",
        "indent the line exactly like the fields it belongs to",
    ),
    (
        "did not find expected '-'",
        "A list item must start with '-'",
        "start the line with '- ', or indent it like the fields above the list",
    ),
    (
        "flow sequence, expected",
        "The list is not closed by ']'",
        "separate items by ',' and end the list with ']'",
    ),
    (
        "flow mapping, did not find",
        "The mapping is not closed by '}'",
        "separate fields by ',' and end the mapping with '}'",
    ),
    (
        "misplaced bracket",
        "A closing bracket without an opening one",
        "remove the bracket, or put the text in quotes",
    ),
    (
        "quoted scalar, found unexpected end",
        "The quoted text is never closed",
        "end it with the same quote it starts with",
    ),
    (
        "quoted scalar, found unexpected document",
        "The quoted text is not closed before the next document",
        "end it with the same quote it starts with",
    ),
    (
        "unknown escape character",
        "Unknown escape in a double-quoted text",
        "write '\\\\' for a backslash, or use single quotes",
    ),
    (
        "hexadecimal number",
        "An escape in a double-quoted text lacks its hexadecimal digits",
        "write '\\\\' for a backslash, or use single quotes",
    ),
    (
        "Unicode character escape",
        "An escape in a double-quoted text names no character",
        "write '\\\\' for a backslash, or use single quotes",
    ),
    (
        "trailing content after double-quoted",
        "There is more text after the closing quote",
        "put the whole text inside the quotes",
    ),
    (
        "indentation in quoted",
        "The quoted text is not closed, or goes on in a line that is not indented enough",
        "end it with the same quote it starts with, or indent the lines it goes on in",
    ),
    (
        "indentation in flow",
        "The list or mapping in brackets goes on in a line that is not indented enough",
        "indent the following lines, or close the bracket",
    ),
    (
        "indented line in block scalar",
        "A line of the text block is not indented enough",
        "indent it like the block's first line",
    ),
    (
        "indentation indicator equal to 0",
        "A text block cannot be indented by 0",
        "leave the number out, or use 1 to 9",
    ),
    (
        "scanning a block scalar",
        "There is text on the line of '|' or '>'",
        "start the text block's text on the next line",
    ),
    (
        "invalid indentation",
        "The indentation does not fit the lines above",
        "indent the line like its neighbours",
    ),
    ("plain scalar cannot start", "A text cannot start like this", "put the text in quotes"),
    ("unexpected character", "A text cannot start with this character", "put the text in quotes"),
    (
        "comment intercepting",
        "A comment is in the middle of a text over several lines",
        "move the comment, or put the text in quotes",
    ),
    (
        "unprintable",
        "The text contains a character that YAML does not allow",
        "remove it, or write it as an escape in double quotes",
    ),
    ("byte order mark", "A byte order mark is in the middle of the text", "remove it"),
    ("expected node content", "A value is missing here", "write a value, or remove what announces it"),
    ("unexpected eof", "The text ends too early", "complete the last field"),
    (
        "document start",
        "This line does not belong to the lines above",
        "indent all lines of one level alike, and write 'name: value'",
    ),
    ("document end marker", "There is text after '...'", "put it on the next line, after '---'"),
    (
        "directive",
        "A line that starts with '%' is a YAML directive, and this is none",
        "put the text in quotes",
    ),
    ("tag", "The tag is malformed", "write it as '!name', or put the text in quotes if none is meant"),
    ("handle wasn't declared", "The tag's prefix is not declared", "write the tag as '!name'"),
    (
        "anchor",
        "The anchor or alias has no usable name",
        "write '&name', or put the text in quotes if none is meant",
    ),
];

/// Explains an error of the parser at a byte offset, inside the bracket that opened at `bracket`.
pub(super) fn explain(complaint: &str, text: &str, at: usize, bracket: Option<usize>) -> Explained {
    let (message, help) = match KNOWN.iter().find(|(fragment, ..)| complaint.contains(fragment)) {
        Some((_, message, help)) => ((*message).to_owned(), *help),
        None => (
            format!("The text is not valid YAML: {complaint}"),
            "check the indentation, quotes and brackets of this line and the one before",
        ),
    };
    let plain = Explained { message, help, at, opened: bracket.filter(|_| !complaint.contains("quoted")) };
    if plain.message == TAB {
        return Explained { at: tab_near(text, at), ..plain };
    }
    let rest_is_blank = text.get(at..).unwrap_or_default().trim().is_empty();
    if let Some(opened) = plain.opened.filter(|_| rest_is_blank) {
        let message = "This bracket is never closed".to_owned();
        return Explained { message, help: CLOSE_IT, at: opened, opened: None };
    }
    if plain.message != COLON {
        return plain;
    }
    let before = text.get(..at).unwrap_or_default();
    let line_start = before.rfind(['\n', '\r']).map_or(0, |end| end.saturating_add(1));
    if plain.opened.is_some_and(|opened| opened < line_start) {
        let message = "The bracket opened above is not closed before this field".to_owned();
        return Explained { message, help: CLOSE_IT, ..plain };
    }
    if line_start > 0 && !before.get(line_start..).unwrap_or_default().contains(": ") {
        let message = "This field does not fit the line above".to_owned();
        let help = "check that the line above reads 'name: value' with a space after the colon, \
            and that both are indented alike";
        return Explained { message, help, ..plain };
    }
    plain
}

/// Returns the tab near the position of an error.
fn tab_near(text: &str, at: usize) -> usize {
    let just_before = at.saturating_sub(1);
    if text.get(just_before..at) == Some("\t") {
        return just_before;
    }
    let ahead = text.get(at..).and_then(|rest| rest.find('\t'));
    ahead.map_or(at, |ahead| at.saturating_add(ahead))
}

/// Returns whether the parser stopped because of the nesting.
pub(super) fn is_too_deep(complaint: &str) -> bool {
    complaint.contains("recursion limit")
}
