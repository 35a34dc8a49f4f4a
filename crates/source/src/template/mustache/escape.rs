//! Escapes values on insertion.

/// Appends text with HTML's special characters replaced.
///
/// **Source**: `spullara/mustache.java: compiler/src/main/java/com/github/mustachejava/util/HtmlEscaper.java`
/// (0.9), which also replaces `=`, the backtick and every character up to carriage return; matched.
pub(crate) fn escape_html(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '=' => out.push_str("&#61;"),
            '`' => out.push_str("&#96;"),
            '\0'..='\r' => {
                out.push_str("&#");
                out.push_str(&u32::from(c).to_string());
                out.push(';');
            }
            c => out.push(c),
        }
    }
}

/// Appends text with HTML's special characters replaced as Go's template library does it.
///
/// **Source**: Go's `text/template` (`HTMLEscapeString`), which `cbroglie/mustache` uses; matched.
pub(crate) fn escape_go_html(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// Appends text as the inside of a JSON string.
pub(crate) fn escape_json(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => {
                out.push_str("\\u00");
                for shift in [4_u32, 0] {
                    let digit = (u32::from(c) >> shift) & 0xf;
                    out.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            c => out.push(c),
        }
    }
}
