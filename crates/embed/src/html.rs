//! The picture in HTML: a real table that needs no script, and the recording beside it for the loader.
//!
//! *Knows*: the markup that `embed/loader/` and `embed/planarium-embed.css` work on. *Must not know*: engines.
//!
//! Nothing in it needs a host's policy to be loosened: no inline style, no inline script (JSON is data), no event attributes.

use crate::recording::{Recording, Word};
use std::fmt::Write as _;

/// Input of a picture.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The recorded run.
    pub recording: &'a Recording,
    /// The instant that the table shows before anybody plays. *Units*: milliseconds.
    pub at_ms: u64,
    /// Names and texts of the files that were run, shown folded.
    pub sources: &'a [(String, String)],
    /// Address of the whole run in a playground; none leaves the link out.
    pub link: Option<&'a str>,
    /// Address of the page that takes the run over when a reader wants to command or break something, and the run as a share
    /// string; without them there is the recording alone.
    pub engine: Option<(&'a str, &'a str)>,
    /// Further attributes of the element, names and values.
    pub attributes: &'a [(String, String)],
}

impl Picture<'_> {
    /// Writes the element with table, controls, source and recording: what goes into a document.
    pub fn html(&self) -> String {
        let recording = self.recording;
        let title = if recording.title.is_empty() { "A rollout" } else { &recording.title };
        let mut out = String::with_capacity(4096);
        out.push_str("<planarium-embed");
        if !self.attributes.iter().any(|(name, _)| name == "speed") {
            let _ = write!(out, " speed=\"{}\"", speed(recording.end_ms));
        }
        for (name, value) in self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escaped(value));
        }
        if let Some((address, _)) = self.engine {
            let _ = write!(out, " engine=\"{}\"", escaped(address));
        }
        let _ = writeln!(out, " data-at=\"{}\">", self.at_ms);
        let _ = writeln!(
            out,
            "<figure class=\"pl-figure\" part=\"frame\" role=\"group\" aria-label=\"{}\">",
            escaped(title)
        );
        let _ = writeln!(out, "<figcaption class=\"pl-title\">{}</figcaption>", escaped(title));
        let clock = clock(self.at_ms);
        let _ = writeln!(
            out,
            "<div class=\"pl-bar\" part=\"toolbar\"><button type=\"button\" class=\"pl-play\" disabled>Play</button> \
             <span class=\"pl-clock\">{clock}</span> <span class=\"pl-length\">of {}</span></div>",
            self::clock(recording.end_ms)
        );
        table(recording, self.at_ms, &mut out);
        out.push_str("<p class=\"pl-mark\" part=\"caption\"></p>\n");
        for (name, text) in self.sources {
            let _ = writeln!(
                out,
                "<details class=\"pl-source\"><summary>{}</summary><pre><code>{}</code></pre></details>",
                escaped(name),
                without_empty_lines(&escaped(text))
            );
        }
        if let Some(link) = self.link {
            let _ =
                writeln!(out, "<p class=\"pl-link\"><a href=\"{}\">Open in Planarium</a></p>", escaped(link));
        }
        out.push_str("</figure>\n");
        let _ = writeln!(
            out,
            "<script type=\"application/json\" class=\"pl-recording\">{}</script>",
            recording.json()
        );
        if let Some((_, run)) = self.engine {
            let run: String =
                run.chars().filter(|c| c.is_ascii_alphanumeric() || ":-_~.".contains(*c)).collect();
            let _ = writeln!(out, "<script type=\"application/json\" class=\"pl-run\">\"{run}\"</script>");
        }
        out.push_str("</planarium-embed>\n");
        out
    }
}

/// Writes the rows as they stand at an instant.
pub(crate) fn table(recording: &Recording, at_ms: u64, out: &mut String) {
    let rows = recording.rows.len();
    let _ = writeln!(
        out,
        "<table class=\"pl-tree\" part=\"tree\" role=\"treegrid\" aria-readonly=\"true\" aria-label=\"Plans\" aria-rowcount=\"{}\">",
        rows + 1
    );
    out.push_str(
        "<thead><tr><th scope=\"col\">Element</th><th scope=\"col\">Status</th><th scope=\"col\">Since</th></tr></thead>\n<tbody>\n",
    );
    let now = recording.at(at_ms);
    for (row, (word, since)) in recording.rows.iter().zip(now) {
        let depth = row.depth;
        let hidden = if word.is_none() { " hidden" } else { "" };
        let family = word.map_or("neutral", |word| word.family.as_str());
        // Spaces show the levels where no style sheet does.
        let indent = "\u{2003}".repeat(depth.into());
        let _ = writeln!(
            out,
            "<tr role=\"row\" part=\"row\" aria-level=\"{}\" data-depth=\"{depth}\" data-family=\"{family}\"{hidden}>\
             <th scope=\"row\" role=\"rowheader\"><span class=\"pl-indent\" aria-hidden=\"true\">{indent}</span>{}</th>\
             <td role=\"gridcell\" part=\"status-badge\">{}</td><td role=\"gridcell\">{}</td></tr>",
            depth + 1,
            escaped(&row.name),
            word.map_or_else(String::new, status),
            word.filter(|word| !word.word.is_empty()).map_or_else(String::new, |_| clock(since)),
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

/// The speed at which a run of this length is over in some twenty seconds.
fn speed(end_ms: u64) -> u64 {
    (end_ms / 20_000).next_power_of_two().clamp(1, 64)
}

/// The contents of a status cell.
fn status(word: &Word) -> String {
    if word.word.is_empty() {
        return String::new();
    }
    format!(
        "<span class=\"pl-glyph\" aria-hidden=\"true\">{}</span> <span class=\"pl-word\">{}</span>",
        escaped(&word.glyph),
        escaped(&word.word)
    )
}

/// A text in which no line is empty, and that reads the same: raw HTML in Markdown ends at the first empty line.
fn without_empty_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(empty) if empty.trim().is_empty() => {
                let _ = write!(out, "{empty}&#10;");
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Writes a whole page with the picture, its styles and the loader in it: one file that plays from a disk, without a network.
pub fn page(picture: &Picture<'_>, loader: &str) -> String {
    let title = if picture.recording.title.is_empty() { "A rollout" } else { &picture.recording.title };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<script>{}</script>\n</head>\n\
         <body>\n<main>\n{}</main>\n</body>\n</html>\n",
        escaped(title),
        loader.replace("</", "<\\/"),
        picture.html()
    )
}

/// An instant as people write it: `1:27`, `1:00:05`; with tenths where they are not zero.
pub(crate) fn clock(ms: u64) -> String {
    let (hours, minutes, seconds, tenths) =
        (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000 / 100);
    let mut text = if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    };
    if tenths > 0 {
        let _ = write!(text, ".{tenths}");
    }
    text
}

/// Text that may stand in markup and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no place for other control characters.
            '\t' | '\n' => out.push(character),
            other if other.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
