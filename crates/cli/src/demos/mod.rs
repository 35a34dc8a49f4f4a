//! `planarium embed`: demos in documents, checked and drawn.
//!
//! Knows: documents, files beside them, how findings are printed. Must not know: the grammar of fences, and how claims are compared with
//! a run; both are in `planarium_embed::fence`.

mod lesson;

pub(crate) use lesson::misnamed;

use crate::End;
use crate::args::{EmbedArgs, EmbedFormat, InputArgs};
use crate::files::{MAX_FILE, read};
use crate::load::{Loaded, Runnable, load, playable, text};
use crate::picture::assets;
use anyhow::{Context as _, Result, bail};
use planarium_embed::fence::{Body, Found, Options, fences, is_info, play, replaced};
use planarium_embed::{Picture, sources, tree};
use planarium_scenario::Scenario;
use planarium_source::render::json;
use planarium_source::{Diagnostic, Severity, SourceMap};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Name under which a definition without one is read and shown.
const DEFINITION: &str = "svc.yml";

/// Checks and draws demos, or writes what plays them.
pub(crate) fn run(args: &EmbedArgs) -> Result<End> {
    if let Some(folder) = &args.assets {
        return assets(folder);
    }
    match &args.markdown {
        Some(path) => markdown(path, args),
        None => fence(args),
    }
}

/// The document that contains the fences.
struct Document {
    name: String,
    /// Folder in which the files are that fences name.
    folder: PathBuf,
    /// Address of the page that takes runs over, for fences that name none.
    engine: Option<String>,
}

impl Document {
    fn new(args: &EmbedArgs, path: Option<&Path>) -> Self {
        let path = path.filter(|path| *path != Path::new("-"));
        let shown = path.map(|path| path.display().to_string());
        let name = args.file.clone().or(shown).unwrap_or_else(|| "-".to_owned());
        let beside = path.unwrap_or(Path::new(&name)).parent().map(Path::to_path_buf).unwrap_or_default();
        Self { folder: args.root.clone().unwrap_or(beside), name, engine: args.engine.clone() }
    }
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    Warning,
    FalseClaim,
    BadInput,
}

/// A finding at its place in the document.
struct Finding {
    line: usize,
    column: Option<u32>,
    grade: Grade,
    message: String,
}

impl Finding {
    fn print(&self, document: &Document) {
        let place = match self.column {
            Some(column) => format!("{}:{}:{column}", document.name, self.line),
            None => format!("{}:{}", document.name, self.line),
        };
        let severity = if self.grade == Grade::Warning { "warning" } else { "error" };
        eprintln!("{place}: {severity}: {}", self.message);
    }

    fn json(&self, document: &Document) -> Value {
        let kind = match self.grade {
            Grade::Warning => "warning",
            Grade::FalseClaim => "false-claim",
            Grade::BadInput => "bad-input",
        };
        let mut all =
            json!({ "file": document.name, "line": self.line, "kind": kind, "message": self.message });
        if let (Some(column), Some(map)) = (self.column, all.as_object_mut()) {
            map.insert("column".to_owned(), column.into());
        }
        all
    }
}

/// A fence that has been checked and drawn.
#[derive(Default)]
struct Drawn {
    html: String,
    /// The plans as text.
    text: String,
    /// Names and texts of the files that readers see.
    sources: Vec<(String, String)>,
    findings: Vec<Finding>,
}

impl Drawn {
    /// Returns whether it is allowed in a document.
    fn is_good(&self) -> bool {
        self.findings.iter().all(|finding| finding.grade == Grade::Warning)
    }

    /// Sources and plans as code blocks, for documents in Markdown that do not become HTML.
    fn blocks(&self) -> String {
        let sources = self.sources.iter().map(|(_, text)| block("yaml", text));
        sources.chain([block("text", &self.text)]).collect::<Vec<_>>().join("\n")
    }
}

/// A code block that no line of its text can end.
fn block(language: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn ended(all: &[&Drawn]) -> End {
    let worst = all.iter().flat_map(|drawn| &drawn.findings).map(|finding| finding.grade).max();
    match worst {
        Some(Grade::BadInput) => End::BadInput,
        Some(Grade::FalseClaim) => End::Failed,
        Some(Grade::Warning) | None => End::Good,
    }
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().take(MAX_FILE).read_to_string(&mut text).context("reading standard input")?;
    Ok(text)
}

/// Draws one fence from standard input.
fn fence(args: &EmbedArgs) -> Result<End> {
    let document = Document::new(args, None);
    let text = standard_input()?;
    let (info, body) = match &args.info {
        Some(info) => (info.clone(), text),
        None => match fences(&text).into_iter().next() {
            Some(found) => (found.info, found.body),
            None => bail!("standard input holds no fence that begins with the word planarium"),
        },
    };
    if !is_info(&info) {
        bail!("--info `{info}` does not begin with the word planarium");
    }
    let drawn = draw(&info, &body, args.line as usize, &document);
    for finding in drawn.findings.iter().filter(|_| args.format != EmbedFormat::Json) {
        finding.print(&document);
    }
    match args.format {
        EmbedFormat::Json => println!("{}", as_json(&drawn, &document)),
        EmbedFormat::Html if drawn.is_good() => print!("{}", drawn.html),
        EmbedFormat::Text if drawn.is_good() => print!("{}", drawn.text),
        EmbedFormat::Html | EmbedFormat::Text => {}
    }
    Ok(ended(&[&drawn]))
}

/// Draws all fences of a document.
fn markdown(path: &Path, args: &EmbedArgs) -> Result<End> {
    let document = Document::new(args, Some(path));
    let text = if path == Path::new("-") { standard_input()? } else { read(path)? };
    let found = fences(&text);
    let drawn: Vec<Drawn> =
        found.iter().map(|found| draw(&found.info, &found.body, found.line, &document)).collect();
    let good = drawn.iter().all(Drawn::is_good);
    if args.format != EmbedFormat::Json {
        drawn.iter().flat_map(|drawn| &drawn.findings).for_each(|finding| finding.print(&document));
    }
    match args.format {
        EmbedFormat::Json => print_list(&text, &found, &drawn, &document),
        EmbedFormat::Html if good => print!("{}", with_html(&text, &found, &drawn)),
        EmbedFormat::Text if good => print!("{}", with_blocks(&text, &found, &drawn)),
        EmbedFormat::Html | EmbedFormat::Text => {}
    }
    Ok(ended(&drawn.iter().collect::<Vec<_>>()))
}

fn with_html(text: &str, found: &[Found], drawn: &[Drawn]) -> String {
    replaced(text, found, &drawn.iter().map(|drawn| drawn.html.clone()).collect::<Vec<_>>())
}

fn with_blocks(text: &str, found: &[Found], drawn: &[Drawn]) -> String {
    replaced(text, found, &drawn.iter().map(Drawn::blocks).collect::<Vec<_>>())
}

fn print_list(text: &str, found: &[Found], drawn: &[Drawn], document: &Document) {
    let fences = found.iter().zip(drawn).map(|(found, drawn)| {
        let mut one = as_json(drawn, document);
        if let Some(map) = one.as_object_mut() {
            map.insert("line".to_owned(), found.line.into());
            map.insert("end_line".to_owned(), found.end_line.into());
        }
        one
    });
    let all = json!({
        "ok": drawn.iter().all(Drawn::is_good),
        "fences": fences.collect::<Vec<_>>(),
        "html": with_html(text, found, drawn),
        "text": with_blocks(text, found, drawn),
    });
    println!("{all}");
}

fn as_json(drawn: &Drawn, document: &Document) -> Value {
    let findings = drawn.findings.iter().map(|finding| finding.json(document));
    json!({
        "ok": drawn.is_good(),
        "html": drawn.html,
        "text": drawn.text,
        "sources": drawn.sources,
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// Checks a fence and draws it. A fence that cannot be run is a finding, no error: the others are checked all the same.
fn draw(info: &str, body: &str, line: usize, document: &Document) -> Drawn {
    let (options, mut found) = Options::read(info);
    let (body, more) = Body::read(body);
    found.extend(more);
    let mut drawn = Drawn::default();
    let name = options.file.clone().unwrap_or_else(|| DEFINITION.to_owned());
    let is_lesson = lesson::is_lesson(&options, &body);
    found.extend(options.fit(is_lesson));
    if is_lesson && found.is_empty() {
        let fence = lesson::Fence { options: &options, body: &body, name: &name, line, document };
        found.extend(lesson::draw(&fence, &mut drawn));
    }
    let scenario = if found.is_empty() && !is_lesson {
        loaded(&options, &body, &name, line, document, &mut drawn)
    } else {
        None
    };
    if let Some(scenario) = scenario {
        let files = sources(&scenario.services);
        let played = play(scenario, &options, &body);
        found.extend(played.findings);
        drawn.sources = match (&options.src, options.hides_source) {
            (_, true) => Vec::new(),
            (Some(_), false) => files,
            (None, false) => vec![(name, body.shown(&played.answers))],
        };
        let picture = Picture {
            recording: &played.recording,
            at_ms: played.at_ms,
            sources: &drawn.sources,
            link: options.link.as_deref(),
            engine: options
                .engine
                .as_deref()
                .or(document.engine.as_deref())
                .map(|address| (address, played.run.as_str())),
            attributes: &options.attributes,
        };
        drawn.html = picture.html();
        drawn.text = tree(&played.recording, played.at_ms);
    }
    drawn.findings.extend(found.into_iter().map(|finding| Finding {
        line: line + finding.line as usize,
        column: None,
        grade: if finding.is_false_claim { Grade::FalseClaim } else { Grade::BadInput },
        message: finding.message,
    }));
    drawn.findings.sort_by_key(|finding| (finding.line, finding.column));
    drawn
}

/// Loads the content of a fence. Findings about it go to `drawn`.
fn loaded(
    options: &Options,
    body: &Body,
    name: &str,
    line: usize,
    document: &Document,
    drawn: &mut Drawn,
) -> Option<Scenario> {
    let input = InputArgs {
        env: options.env.iter().map(|(key, value)| format!("{key}={value}")).collect(),
        cluster: options.cluster.clone(),
        seed: options.seed,
        dialect: options.dialect.clone().unwrap_or_else(|| "auto".to_owned()),
        ..InputArgs::default()
    };
    let mut bad = |message: String| {
        drawn.findings.push(Finding { line, column: None, grade: Grade::BadInput, message });
    };
    let outcome = match (&options.src, body.is_empty()) {
        (Some(_), false) => {
            bad("the fence has `src` and a body: one of them is run".to_owned());
            return None;
        }
        (None, true) => {
            bad("the fence is empty: it needs a definition or a scenario, or src=\"PATH\"".to_owned());
            return None;
        }
        (Some(src), true) => {
            let path = document.folder.join(src);
            if !path.exists() {
                bad(format!(
                    "src=\"{src}\": there is no such file or folder; paths begin at the document's folder"
                ));
                return None;
            }
            load(&path, &input).and_then(|loaded| playable(loaded, &path, &input))
        }
        (None, false) => text(body.text.clone(), name, &document.folder, &input)
            .and_then(|loaded: Loaded| playable(loaded, Path::new(""), &input)),
    };
    match outcome {
        Ok(Runnable::Yes(scenario, diagnostics, sources)) => {
            placed(&diagnostics, &sources, name, line, options.src.is_none(), drawn);
            Some(*scenario)
        }
        Ok(Runnable::No(diagnostics, sources)) => {
            placed(&diagnostics, &sources, name, line, options.src.is_none(), drawn);
            None
        }
        Err(error) => {
            bad(format!("{error:#}"));
            None
        }
    }
}

/// Puts diagnostics at their lines in the document; those about other files name them.
fn placed(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    name: &str,
    line: usize,
    is_body: bool,
    drawn: &mut Drawn,
) {
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity != Severity::Info) {
        let flat = json::flat(diagnostic, sources);
        let grade = if diagnostic.is_error() { Grade::BadInput } else { Grade::Warning };
        let message = format!("[{}] {}", diagnostic.code, diagnostic.message);
        drawn.findings.push(if is_body && flat.span.file == name {
            Finding { line: line + flat.span.line as usize, column: Some(flat.span.column), grade, message }
        } else {
            let place = format!("{}:{}:{}", flat.span.file, flat.span.line, flat.span.column);
            Finding { line, column: None, grade, message: format!("{place}: {message}") }
        });
    }
}
