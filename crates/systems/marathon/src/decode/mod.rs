//! Reads the files of a request into a definition: the kind of each file, the API's findings, lints.
//!
//! *Knows*: the order of these steps. *Must not know*: any single rule.
//!
//! Reading never fails: everything that cannot be understood is a finding. The rules are those that the process applies to
//! the body of a call; a definition is checked against an otherwise empty process.

mod files;
mod lints;
mod mends;
mod place;
mod residents;
pub(crate) mod rewrite;
mod rounds;

use crate::api::groups::GroupBody;
use crate::api::reader::Reader;
use crate::codes;
use crate::definition::peek::Peek;
use crate::definition::posted::PostedSpec;
use crate::definition::{Refused, RoleSettings, RunSpec, Violation};
use crate::deployments::plan::ToKill;
use crate::deployments::planning::{RootChange, plan_of};
use crate::flags;
use crate::groups::Marks;
use crate::groups::Root;
use crate::groups::change::{GroupChange, Posted};
use crate::id::PathId;
use crate::marathon::Marathon;
use crate::schema;
use crate::settings::{ROLE, Settings};
use files::Piece;
use planarium_kernel::recorder::Recorder;
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, SourceMap, Span};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Kinds of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// One app: `POST /v2/apps`.
    App,
    /// One pod: `POST /v2/pods`.
    Pod,
    /// A group with everything in it: `POST /v2/groups`.
    Group,
    /// Several apps at once: `PUT /v2/apps`.
    Apps,
}

/// A body for the API.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) what: What,
    pub(crate) json: Arc<Value>,
    /// A group as read.
    pub(crate) group: Option<Arc<Posted>>,
    /// Apps or pods as they were read, in order.
    pub(crate) specs: Vec<Arc<PostedSpec>>,
}

/// A definition as far as it could be read. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Loaded(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: Text,
    path: Option<Text>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    what: Option<What>,
    body: Option<Body>,
    env: BTreeMap<String, String>,
    kept: Vec<(String, &'static str)>,
    /// Pieces in the order of the body's items, for findings that come later.
    pieces: Vec<Piece>,
    /// The resulting apps and pods.
    ids: Vec<PathId>,
}

impl Body {
    /// Creates a body of which only the kind is known.
    fn read(what: What, json: Arc<Value>) -> Self {
        let group = (what == What::Group).then(|| Arc::new(Posted::of(json.clone())));
        let specs = match what {
            What::App => vec![Arc::new(PostedSpec::app(json.clone()))],
            What::Pod => vec![Arc::new(PostedSpec::pod(json.clone()))],
            What::Group => Vec::new(),
            What::Apps => {
                let apps = json.as_array().into_iter().flatten();
                apps.map(|app| Arc::new(PostedSpec::app(Arc::new(app.clone())))).collect()
            }
        };
        Self { what, json, group, specs }
    }

    /// Returns the app or pod as read.
    pub(crate) fn spec(&self) -> Option<Arc<PostedSpec>> {
        if self.what == What::Apps { None } else { self.specs.first().cloned() }
    }

    /// Returns the group as read.
    pub(crate) fn posted(&self) -> Arc<Posted> {
        self.group.clone().unwrap_or_else(|| Arc::new(Posted::of(self.json.clone())))
    }
}

impl Loaded {
    /// Returns the body to send; none when there are errors.
    pub(crate) fn body(&self) -> Option<&Body> {
        self.0.body.as_ref()
    }

    /// Flags of the process.
    pub(crate) fn env(&self) -> &BTreeMap<String, String> {
        &self.0.env
    }

    /// The id that it is about; the root for several apps.
    pub(crate) fn id(&self) -> PathId {
        match self.body() {
            Some(body) if body.what != What::Apps => PathId::absolute(body.json.word("id")),
            _ => PathId::root(),
        }
    }

    /// The ids of all apps and pods in it.
    pub(crate) fn ids(&self) -> &[PathId] {
        &self.0.ids
    }

    /// Estimates its size. *Units*: bytes.
    pub(crate) fn weight(&self) -> u64 {
        let texts: usize = self.0.sources.iter().map(|(_, file)| file.text().len()).sum();
        // The texts, what they were read to, and the request that they came with.
        512 + 4 * texts as u64
    }

    /// Returns a refusal as findings in the text.
    pub(crate) fn findings_of(&self, refused: &Refused) -> Vec<Diagnostic> {
        let mut found = Diagnostics::new();
        let whole = self.0.body.as_ref().map_or(What::App, |body| body.what);
        explain(&self.0.pieces, whole, refused, &mut found);
        found.into_sorted()
    }
}

impl planarium_part::Definition for Loaded {
    fn name(&self) -> &Text {
        &self.0.name
    }

    fn is_usable(&self) -> bool {
        self.0.body.is_some()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.0.diagnostics.clone()
    }

    fn sources(&self) -> &SourceMap {
        &self.0.sources
    }

    fn path(&self) -> Option<&Text> {
        self.0.path.as_ref()
    }

    fn kept(&self) -> Vec<(String, &'static str)> {
        self.0.kept.clone()
    }
}

pub(crate) use files::KEYS;

/// Tells how sure files are of this dialect.
pub(crate) fn detect(all: &BTreeMap<String, String>) -> u8 {
    files::detect(all)
}

/// Reads a request, and adds fixes that have to be tried.
pub fn load(request: &LoadService) -> Loaded {
    let mut loaded = read(request);
    if let Some(inner) = Arc::get_mut(&mut loaded.0)
        && let Some(what) = inner.what
    {
        residents::mend(&mut inner.diagnostics, &inner.pieces, what, request);
    }
    loaded
}

/// Reads a request.
fn read(request: &LoadService) -> Loaded {
    let mut sources = SourceMap::new();
    let mut found = Diagnostics::new();
    let pieces = files::read(&request.files, &mut sources, &mut found);
    let settings = Settings::of(&request.env);
    flags::check(&request.env, &mut found);
    let what = files::what(&pieces, &mut found);
    let (mut body, mut ids) = (None, Vec::new());
    if let Some(what) = what {
        let json = match what {
            What::Apps => {
                Arc::new(Value::Array(pieces.iter().map(|piece| Value::clone(&piece.json)).collect()))
            }
            What::App | What::Pod | What::Group => {
                pieces.first().map(|piece| piece.json.clone()).unwrap_or_default()
            }
        };
        let group = (what == What::Group).then(|| Posted::of(json.clone()));
        let specs = specs_of(what, &pieces);
        lints::unknown_fields(&pieces, group.as_ref(), &specs, &mut found);
        let mut candidate = Body { what, json, group: group.map(Arc::new), specs };
        match try_out(&candidate, &settings) {
            Ok(Tried { specs, change, posted }) => {
                ids = specs.iter().map(|spec| spec.id.clone()).collect();
                lints::dependencies(&pieces, &candidate, &specs, &mut found);
                for (kept, (roles, spec)) in candidate.specs.iter_mut().zip(posted) {
                    if let Some(kept) = Arc::get_mut(kept) {
                        kept.keep(&settings, roles, spec);
                    }
                }
                let group = candidate.group.as_mut().and_then(Arc::get_mut);
                if let (Some(group), Some(change)) = (group, change) {
                    group.keep(change, &settings);
                }
            }
            Err(refused) => {
                explain(&pieces, what, &refused, &mut found);
                rounds::rest(&candidate, &settings, &refused, &mut |more| {
                    explain(&pieces, what, more, &mut found);
                });
            }
        }
        body = Some(candidate);
    }
    let name = name_of(request, body.as_ref());
    let kept = body.as_ref().map(|body| lints::kept(&body.json)).unwrap_or_default();
    if found.has_errors() {
        body = None;
    }
    let path = pieces.first().map(|piece| piece.path.clone());
    let (env, diagnostics) = (request.env.clone(), found.into_sorted());
    Loaded(Arc::new(Inner { name, path, sources, diagnostics, what, body, env, kept, pieces, ids }))
}

/// Apps or pods, read by their shapes: all of a list, or the one.
fn specs_of(what: What, pieces: &[Piece]) -> Vec<Arc<PostedSpec>> {
    let app = |piece: &Piece| Arc::new(PostedSpec::app(piece.json.clone()));
    let pod = |piece: &Piece| Arc::new(PostedSpec::pod(piece.json.clone()));
    match what {
        What::App => pieces.first().map(app).into_iter().collect(),
        What::Pod => pieces.first().map(pod).into_iter().collect(),
        What::Apps => pieces.iter().map(app).collect(),
        What::Group => Vec::new(),
    }
}

/// Returns its name: as asked for, or its id.
fn name_of(request: &LoadService, body: Option<&Body>) -> Text {
    if !request.name.is_empty() {
        return request.name.as_str().into();
    }
    let Some(body) = body else { return Text::default() };
    let id = PathId::absolute(body.json.word("id"));
    match body.what {
        What::Apps => "apps".into(),
        What::Group if id.is_root() => "groups".into(),
        What::App | What::Pod | What::Group => id.text().clone(),
    }
}

/// Result of trying a body.
pub(crate) struct Tried {
    /// The apps and pods.
    pub(crate) specs: Vec<Arc<RunSpec>>,
    /// The change of a group that was read.
    change: Option<Arc<GroupChange>>,
    /// The posted apps and pods that were read, with the roles that they may have.
    posted: Vec<(RoleSettings, RunSpec)>,
}

/// A tree with the body's apps and groups.
struct Described {
    tree: Root,
    change: Option<Arc<GroupChange>>,
    posted: Vec<(RoleSettings, RunSpec)>,
}

/// Tries a body on an empty process.
pub(crate) fn try_out(body: &Body, settings: &Settings) -> Result<Tried, Refused> {
    let cx = Recorder::new(0);
    let marathon = Marathon::dry(settings.clone(), &cx);
    let Described { tree, change, posted } = tree_of(&marathon, body)?;
    plan_to(&marathon, &tree)?;
    Ok(Tried { specs: tree.specs.values().cloned().collect(), change, posted })
}

/// Tries a body that is to replace the running version.
pub(crate) fn try_on(marathon: &Marathon, body: &Body) -> Result<(), Refused> {
    plan_to(marathon, &tree_of(marathon, body)?.tree)
}

/// Returns the tree of a process with the body's content replacing its own, and the group as read.
fn tree_of(marathon: &Marathon, body: &Body) -> Result<Described, Refused> {
    let reader = Reader::of(marathon);
    let settings = &*marathon.records.setup.settings;
    let mut tree = marathon.records.root().clone();
    let (mut change, mut posted) = (None, Vec::new());
    match body.what {
        What::App | What::Pod | What::Apps => {
            for (at, spec) in body.specs.iter().enumerate() {
                let described =
                    if spec.is_app() { reader.posted_app(spec) } else { reader.posted_pod(spec, false) };
                let described = match body.what {
                    What::Apps => described.map_err(|refused| of_item(refused, at))?,
                    _ => described?,
                };
                posted.push((reader.roles_of(spec.id(), false), described.clone()));
                let version = tree.spec(&described.id).map_or(described.version, |now| now.version);
                tree.put(Arc::new(RunSpec { version, ..described }), settings);
            }
        }
        What::Group => {
            let (id, group) = reader.group_body(&PathId::root(), &body.posted())?;
            reader.apply_group(&mut tree, &id, &group)?;
            if let GroupBody::Structure(structure) = group {
                change = Some(structure);
            }
        }
    }
    Ok(Described { tree, change, posted })
}

/// A refusal of one app of a list.
fn of_item(refused: Refused, at: usize) -> Refused {
    match refused {
        Refused::Faults(all) => {
            let placed =
                |fault: schema::Fault| schema::Fault { path: format!("({at}){}", fault.path), ..fault };
            Refused::Faults(all.into_iter().map(placed).collect())
        }
        other => other.within(&format!("({at})")),
    }
}

/// Tries a change of a tree on a process.
fn plan_to(marathon: &Marathon, tree: &Root) -> Result<(), Refused> {
    let mut change = RootChange {
        group: PathId::root(),
        version: marathon.records.root().version.saturating_add(1),
        force: false,
        marks: Marks::new(),
        kill: ToKill::new(),
        change: &mut |root| {
            *root = tree.clone();
            Ok(())
        },
    };
    plan_of(&marathon.records, marathon.deployments.count(), &mut change).map(|_| ())
}

/// Findings of a refusal.
fn explain(pieces: &[Piece], what: What, refused: &Refused, found: &mut Diagnostics) {
    let root = pieces.first().map_or(Span::default(), |piece| piece.node().span);
    match refused {
        Refused::Violations(all) => {
            for violation in all {
                let code = codes::of_violation(violation);
                let span = place_of(pieces, what, &violation.within, &violation.path);
                let message = format!("{}: {}", shown_path(&violation.path), violation.message);
                let mut finding = Diagnostic::error(code, span, message);
                if let Some(help) = help(code, violation) {
                    finding = finding.with_help(help);
                }
                let (piece, node) = value_of(pieces, what, &violation.within, &violation.path).unzip();
                let text = piece.map_or("", Piece::text);
                if let Some((title, span, text)) = node.and_then(|node| mends::mend(node, text, violation)) {
                    finding = finding.with_fix(title, span, text);
                }
                found.push(finding);
            }
        }
        Refused::Faults(all) => {
            for fault in all {
                let code = codes::of_fault(fault);
                let span = place_of(pieces, what, "", &fault.path);
                let message = format!("{}: {}", shown_path(&fault.path), in_words(fault));
                let mut finding = Diagnostic::error(code, span, message);
                let node = value_of(pieces, what, "", &fault.path).map(|(_, node)| node);
                if let Some((title, span, text)) = node.and_then(|node| mends::mend_fault(node, fault)) {
                    finding = finding.with_fix(title, span, text);
                }
                found.push(finding);
            }
        }
        other => found.push(Diagnostic::error(codes::INVALID, root, other.message())),
    }
}

fn shown_path(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}

/// Returns a fault of the schema reader in words.
fn in_words(fault: &schema::Fault) -> String {
    let words = match &*fault.error {
        "error.path.missing" => "is required",
        "error.expected.jsstring" => "has to be a text",
        "error.expected.jsnumber" => "has to be a number",
        "error.expected.int" | "error.expected.long" => "has to be a whole number",
        "error.expected.jsboolean" => "has to be true or false",
        "error.expected.jsarray" => "has to be a list",
        "error.expected.jsobject" => "has to be an object",
        "error.unknown.enum.literal" => "is none of the permitted words",
        "error.min" => "is too small",
        "error.max" => "is too large",
        "error.minLength" => "is too short",
        "error.maxLength" => "is too long",
        "error.pattern" => "is not well formed",
        _ => "cannot be understood",
    };
    format!("{words} ({})", fault.error)
}

/// Returns advice, unless the rule is self-explanatory.
fn help(code: &str, violation: &Violation) -> Option<String> {
    let text = match code {
        codes::RESIDENT_ROLE => format!(
            "give it the role of its top-level group, or start Marathon with another default role: {ROLE}=NAME among the \
             flags"
        ),
        codes::ROLE => format!("apps that stand in no group have Marathon's own role, which {ROLE} sets"),
        codes::UNREACHABLE_STRATEGY if violation.message.contains("must be disabled") => {
            "write \"unreachableStrategy\": \"disabled\", or leave it out".to_owned()
        }
        codes::UPGRADE_STRATEGY if violation.message.contains("expected 0.0") => {
            "write \"maximumOverCapacity\": 0, or leave the upgrade strategy out".to_owned()
        }
        codes::COMMAND => {
            "write either 'cmd' or 'args', or leave both to a container with an image".to_owned()
        }
        codes::CYCLE => "take one of the dependencies out that lead back to where they began".to_owned(),
        codes::NOT_A_CHILD => "write the id relative to its group, or below the group's own id".to_owned(),
        codes::FEATURE => {
            "start Marathon with the feature: MARATHON_ENABLE_FEATURES=NAME among the flags".to_owned()
        }
        codes::NOT_ALONE => "send a body with only this field".to_owned(),
        _ => return None,
    };
    Some(text)
}

/// The definition that a path leads into, and the rest of the path.
fn piece_of<'p, 'w>(pieces: &'p [Piece], what: What, whole: &'w str) -> Option<(&'p Piece, &'w str)> {
    match place::index(whole).filter(|_| what == What::Apps) {
        Some((index, rest)) => Some((pieces.get(index).or_else(|| pieces.first())?, rest)),
        None => Some((pieces.first()?, whole)),
    }
}

/// The app that a path of a group names by its whole id, and the rest of the path: `/apps//shop/db/upgradeStrategy`.
fn app_of<'p, 'w>(root: &'p Node, path: &'w str) -> Option<(&'p Node, &'w str)> {
    let whole = path.strip_prefix("/apps/").filter(|rest| rest.starts_with('/'))?;
    let ends = whole.match_indices('/').map(|(at, _)| at).skip(1).chain([whole.len()]);
    // *Order*: the longest id first.
    ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
        let (id, rest) = whole.split_at_checked(end)?;
        Some((rewrite::find(root, &PathId::root(), &PathId::absolute(id))?, rest))
    })
}

/// Returns the position of a path.
fn place_of(pieces: &[Piece], what: What, within: &str, path: &str) -> Span {
    let whole = format!("{within}{path}");
    let found = piece_of(pieces, what, &whole);
    found.map_or(Span::default(), |(piece, rest)| {
        let (node, rest) = app_of(piece.node(), rest).unwrap_or((piece.node(), rest));
        place::find(node, rest)
    })
}

/// The value at a path, with the definition that it is in.
fn value_of<'p>(pieces: &'p [Piece], what: What, within: &str, path: &str) -> Option<(&'p Piece, &'p Node)> {
    let whole = format!("{within}{path}");
    let (piece, rest) = piece_of(pieces, what, &whole)?;
    let (node, rest) = app_of(piece.node(), rest).unwrap_or((piece.node(), rest));
    Some((piece, place::value(node, rest)?))
}
