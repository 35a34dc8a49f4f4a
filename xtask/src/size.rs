//! `cargo xtask size`: compressed sizes against the budgets.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::loader;
use crate::out;
use crate::page;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain};
use crate::test::clients;

/// Compresses each file named in the list on standard input and prints the sizes, one per line.
const BROTLI: &str = "\
const { brotliCompressSync, constants: c } = require('node:zlib');
const { readFileSync } = require('node:fs');
for (const file of JSON.parse(readFileSync(0, 'utf8'))) {
  const text = readFileSync(file);
  const params = { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24, [c.BROTLI_PARAM_SIZE_HINT]: text.length };
  console.log(brotliCompressSync(text, { params }).length);
}";

/// One line of the table: files whose compressed sizes are summed, with their budget.
struct Item {
    name: String,
    budget: u64,
    paths: Vec<PathBuf>,
    /// The files may be absent.
    may_lack: bool,
}

/// A measured item.
#[derive(Clone)]
struct Measured {
    name: String,
    budget: u64,
    bytes: u64,
    /// Set if the file exists.
    is_there: bool,
}

impl Measured {
    fn fits(&self) -> bool {
        self.bytes <= self.budget
    }

    fn row(&self) -> String {
        let verdict = match (self.is_there, self.fits()) {
            (false, _) => "not built",
            (true, true) => "ok",
            (true, false) => "TOO BIG",
        };
        format!("{:<52} {:>9} {:>9}  {verdict}", self.name, self.bytes, self.budget)
    }
}

/// Measures every item that this repository ships.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let build = match args {
        [] => true,
        [only] if only == "--no-build" => false,
        _ => anyhow::bail!("size knows only --no-build; see cargo xtask size --help"),
    };
    let root = files::root()?;
    if build {
        let toolchain = setup::page(&root)?;
        page::build_release(&root, &toolchain)?;
        for variant in VARIANTS {
            build_headless(&root, &toolchain, variant)?;
        }
    }
    let items = items(&root)?;
    let paths: Vec<PathBuf> = items.iter().flat_map(|item| item.paths.iter().cloned()).collect();
    let mut sizes = compressed(&paths)?.into_iter();
    let measured: Vec<Measured> = items
        .into_iter()
        .map(|item| Measured {
            bytes: sizes.by_ref().take(item.paths.len()).sum(),
            is_there: item.may_lack || !item.paths.is_empty(),
            name: item.name,
            budget: item.budget,
        })
        .collect();
    let measured = [measured, demos(&root, build)?].concat();
    out::say(format!("{:<52} {:>9} {:>9}", "item (bytes, brotli 11)", "size", "budget"));
    for item in &measured {
        out::say(item.row());
    }
    let above: Vec<&str> =
        measured.iter().filter(|item| !item.fits()).map(|item| item.name.as_str()).collect();
    let requests = foreign_requests(&files::dist(&root))?;
    out::say(format!("{:<52} {:>9} {:>9}  {}", "requests elsewhere", requests.len(), 0, requests.join(" ")));
    if !above.is_empty() {
        out::say(format!("above the budget: {}", above.join(", ")));
    }
    Ok(above.is_empty() && requests.is_empty())
}

/// Returns the addresses on other hosts that the page and its styles would load.
fn foreign_requests(dist: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for path in ["html", "css"].into_iter().flat_map(|extension| files::with_extension(dist, extension)) {
        found.extend(foreign_in(&files::read(&path)?));
    }
    Ok(found)
}

/// Addresses on other hosts that a text loads automatically.
fn foreign_in(text: &str) -> Vec<String> {
    let parts = ["src=\"http", "src=\"//", "<link", "url(http", "url(\"http", "url(//", "@import \"http"];
    let mut found = Vec::new();
    for part in parts {
        for (at, _) in text.match_indices(part) {
            let tag = text.get(at..).unwrap_or_default().split(['>', ')', ';']).next().unwrap_or_default();
            if part != "<link" || tag.contains("href=\"http") || tag.contains("href=\"//") {
                found.push(tag.to_owned());
            }
        }
    }
    found
}

/// The brotli-11 size of each file, in order.
pub(crate) fn compressed(paths: &[PathBuf]) -> Result<Vec<u64>> {
    let list: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let answer = Cmd::new("node").args(["-e", BROTLI]).pipe(serde_json::to_string(&list)?.as_bytes())?;
    let sizes: Vec<u64> = answer.lines().map(str::parse).collect::<Result<_, _>>()?;
    anyhow::ensure!(sizes.len() == paths.len(), "node measured {} of {} files", sizes.len(), paths.len());
    Ok(sizes)
}

fn items(root: &Path) -> Result<Vec<Item>> {
    let dist = files::dist(root);
    let on_page = |extension: &str| -> Vec<PathBuf> {
        files::with_extension(&dist, extension)
            .into_iter()
            .filter(|path| !path.starts_with(dist.join("editor")))
            .collect()
    };
    let item = |name: &str, kilobytes: u64, paths: Vec<PathBuf>| Item {
        name: name.to_owned(),
        budget: kilobytes * 1000,
        paths,
        may_lack: false,
    };
    let wasm = on_page("wasm");
    anyhow::ensure!(!wasm.is_empty(), "dist/ holds no page: run `cargo xtask size` without --no-build");
    let [page, beside] = ["planarium-web", "planarium-worker"]
        .map(|start| wasm.iter().filter(|path| starts(path, start)).cloned().collect::<Vec<_>>());
    // Without a worker, the engine of all systems is in the page.
    let page = if beside.is_empty() {
        item("page with the engine of all systems", 320 + 1000, page)
    } else {
        item("page without its engine and its pieces", 320, page)
    };
    let scripts = [on_page("js"), on_page("css")].concat();
    let first = |path: &&PathBuf| ["styles-", "early-", "boot-"].iter().any(|start| starts(path, start));
    let mut picture: Vec<PathBuf> = scripts.iter().filter(first).cloned().collect();
    picture.push(dist.join("index.html"));
    let fonts = ["woff2", "woff", "ttf", "otf"].into_iter().flat_map(on_page).collect();
    let mut items = vec![
        item("embed: loader with its styles", 8, vec![loader::file(root)]),
        item("page until its first picture", 20, picture),
        page,
        Item { may_lack: true, ..item("engine without any system", 420, beside) },
        item("everything, all pieces together", 1500, wasm.clone()),
        item("glue scripts and styles", 24, scripts),
        item("editor chunk", 115, files::with_extension(&dist.join("editor"), "js")),
    ];
    items.push(Item { may_lack: true, ..item("fonts", 0, fonts) });
    for (name, parts) in splits(root, "planarium-web")? {
        let files = parts.iter().filter_map(|part| file_of("web", part, &wasm)).collect();
        items.push(Item { may_lack: true, ..item(&format!("piece of the page: {name}"), PIECE, files) });
    }
    let splits = splits(root, "planarium-worker")?;
    for (name, kilobytes, files) in worlds(&splits, &wasm) {
        items.push(Item { may_lack: splits.is_empty(), ..item(&name, kilobytes, files) });
    }
    for variant in VARIANTS {
        let wasm = Some(headless_wasm(root, variant)).filter(|path| path.is_file());
        items.push(item(&format!("engine: {}", variant.name), variant.budget, wasm.into_iter().collect()));
    }
    items.extend(texts(&files::with_extension(&dist.join("texts"), "json")).into_iter().map(
        |(name, file)| {
            let kilobytes = if name.starts_with("texts of all") { 120 } else { 4 };
            item(&name, kilobytes, vec![file])
        },
    ));
    Ok(items)
}

/// The files of texts as rows: `example-canary-0123456789abcdef.json` is the example `canary`.
fn texts(files: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let row = |file: &PathBuf| {
        let stem = file.file_stem()?.to_string_lossy().into_owned();
        let (name, _) = stem.rsplit_once('-')?;
        let name = match name.split_once('-') {
            Some((kind, rest)) => format!("{kind} {rest}"),
            None => "texts of all examples and lessons".to_owned(),
        };
        Some((name, file.clone()))
    };
    files.iter().filter_map(row).collect()
}

/// The engine that a world of one system loads in the page.
struct World {
    title: &'static str,
    /// The word of its dialect.
    word: &'static str,
    /// Its system, and what that runs on, as the splits of the worker are named.
    splits: &'static [&'static str],
    /// Budget of joining a world of the first one. *Units*: kilobytes.
    joining: u64,
}

const WORLDS: [World; 5] = [
    World { title: "DC/OS SDK", word: "sdk", splits: &["mesos", "sdk"], joining: 0 },
    World { title: "Marathon", word: "marathon", splits: &["mesos", "marathon"], joining: 110 },
    World { title: "Skopos", word: "skopos", splits: &["skopos"], joining: 110 },
    World { title: "KUDO", word: "kudo", splits: &["kube", "kudo"], joining: 220 },
    World { title: "Kubernetes", word: "kubernetes", splits: &["kube", "kubernetes"], joining: 220 },
];

/// The words of systems, and of the cluster alone, with the splits of the worker that each needs.
pub(crate) fn pieces() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let alone: &[&str] = &["mesos"];
    WORLDS.iter().map(|world| (world.word, world.splits)).chain([("mesos", alone)])
}

/// Budget of a piece of the page, which is fetched when it is opened or when the page has nothing else to do. *Units*: kilobytes.
const PIECE: u64 = 90;

/// Budget of the engine that a world of one system loads. *Units*: kilobytes.
const ONE_WORLD: u64 = 560;

/// The files of each split of a package, without their endings.
type Splits = BTreeMap<String, Vec<String>>;

/// The engine's files for a world of each system, and what a further system adds to the first: names, budgets, files.
fn worlds(splits: &Splits, wasm: &[PathBuf]) -> Vec<(String, u64, Vec<PathBuf>)> {
    let parts = |world: &World| -> BTreeSet<&String> {
        world.splits.iter().filter_map(|split| splits.get(*split)).flatten().collect()
    };
    let file = |part: &&String| file_of("worker", part, wasm);
    let main = || wasm.iter().filter(|path| starts(path, "planarium-worker")).cloned();
    let [first, further @ ..] = &WORLDS;
    let mut rows = Vec::new();
    for world in &WORLDS {
        let files = main().chain(parts(world).iter().filter_map(file)).collect();
        rows.push((format!("engine of a world of {}", world.title), ONE_WORLD, files));
    }
    let there = parts(first);
    for world in further {
        let files = parts(world).difference(&there).filter_map(file).collect();
        rows.push((format!("{} joining {}", world.title, first.title), world.joining, files));
    }
    rows
}

/// The file of a part of a split.
fn file_of(package: &str, part: &str, wasm: &[PathBuf]) -> Option<PathBuf> {
    let name = format!("{package}-{}-", part.trim_start_matches("split_").replace('_', "-"));
    wasm.iter().find(|path| starts(path, &name)).cloned()
}

/// The splits of the last build of a package; none if it is whole.
fn splits(root: &Path, package: &str) -> Result<Splits> {
    let list = page::splits(root, package);
    if !list.is_file() {
        return Ok(Splits::new());
    }
    serde_json::from_str(&files::read(&list)?).with_context(|| format!("{} is no list", list.display()))
}

/// What documents hold of the examples: the largest recording, and the largest image that moves. *Units* of the budgets: bytes.
fn demos(root: &Path, build: bool) -> Result<Vec<Measured>> {
    if build {
        Cmd::new("cargo").dir(root).args(["build", "--locked", "--package", "planarium-cli"]).run()?;
    }
    let target = files::web_target(root).join("demos");
    fs::create_dir_all(&target).with_context(|| format!("cannot make {}", target.display()))?;
    let program = clients::program(root);
    let mut kinds = [("recording", "json", 800, Vec::new()), ("moving image", "svg", 12_000, Vec::new())];
    for folder in files::subfolders(&root.join("examples")).iter().filter(|_| program.is_file()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let render = |how: &[&str]| {
            Cmd::new(&program.to_string_lossy()).dir(root).arg("render").arg(folder).args(how).answer()
        };
        // Some examples have machines alone, and nothing to draw.
        let Some(page) = render(&["--html"]) else { continue };
        let recording = page.split("class=\"pl-recording\">").nth(1).and_then(|rest| rest.split("</").next());
        let texts = [recording.map(str::to_owned), render(&["--svg", "--animate"])];
        for ((_, ending, _, paths), text) in kinds.iter_mut().zip(texts) {
            let path = target.join(format!("{name}.{ending}"));
            let text = text.with_context(|| format!("example {name} has no {ending}"))?;
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            paths.push(path);
        }
    }
    kinds.into_iter().map(|(what, _, budget, paths)| largest(what, budget, &paths)).collect()
}

/// The largest of these files, with the size of the one in the middle.
fn largest(what: &str, budget: u64, paths: &[PathBuf]) -> Result<Measured> {
    let mut sizes: Vec<(u64, String)> = compressed(paths)?
        .into_iter()
        .zip(paths)
        .map(|(bytes, path)| (bytes, path.file_stem().unwrap_or_default().to_string_lossy().into_owned()))
        .collect();
    sizes.sort();
    let median = sizes.get(sizes.len() / 2).map_or(0, |(bytes, _)| *bytes);
    let (bytes, name) = sizes.pop().unwrap_or_default();
    let name = format!("largest {what}, {name} (median {median})");
    Ok(Measured { name, budget, bytes, is_there: !paths.is_empty() })
}

/// Returns whether the name of a file begins so.
fn starts(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

/// The features that each build the engine with one system alone.
pub(crate) fn systems_alone() -> impl Iterator<Item = &'static str> {
    VARIANTS.iter().map(|variant| variant.features).filter(|features| *features != "all")
}

/// The engine with some of the systems. *Units* of the budget: kilobytes.
struct Variant {
    name: &'static str,
    features: &'static str,
    budget: u64,
}

/// One variant for each system alone, and the whole.
const VARIANTS: &[Variant; 6] = &[
    Variant { name: "all systems", features: "all", budget: 1000 },
    Variant { name: "DC/OS SDK alone", features: "sdk", budget: 560 },
    Variant { name: "Marathon alone", features: "marathon", budget: 560 },
    Variant { name: "KUDO alone", features: "kudo", budget: 560 },
    Variant { name: "Skopos alone", features: "skopos", budget: 560 },
    Variant { name: "Kubernetes alone", features: "kubernetes", budget: 560 },
];

fn headless_wasm(root: &Path, variant: &Variant) -> PathBuf {
    files::web_target(root).join("headless").join(variant.features).join("planarium_bg.wasm")
}

/// Builds the engine without a page, as the npm package ships it, with some of the systems.
fn build_headless(root: &Path, toolchain: &WasmToolchain, variant: &Variant) -> Result<()> {
    out::step(format!("building the headless engine: {}", variant.name));
    let target = files::web_target(root);
    Cmd::new("cargo")
        .dir(root)
        .envs(toolchain.env())
        .env("CARGO_TARGET_DIR", &target)
        .args(["build", "--locked", "--package", "planarium-wasm", "--lib", "--profile", "wasm-release"])
        .args(["--no-default-features", "--features", variant.features, "--target", "wasm32-unknown-unknown"])
        .run()?;
    let built = target.join("wasm32-unknown-unknown").join("wasm-release").join("planarium_wasm.wasm");
    let folder = target.join("headless").join(variant.features);
    page::bindgen::run(root, &built, &folder, "planarium", &["--types"])?;
    page::shrink(root, &headless_wasm(root, variant))
}

/// Builds the headless engine of all systems and copies it with its glue and declarations.
pub(crate) fn headless_engine(root: &Path, toolchain: &WasmToolchain, to: &Path) -> Result<()> {
    let [all, ..] = VARIANTS;
    build_headless(root, toolchain, all)?;
    let folder = headless_wasm(root, all);
    for path in files::walk(folder.parent().unwrap_or(root)) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_at_its_budget_fits_and_one_byte_more_does_not() {
        let at = |bytes| Measured { name: "x".to_owned(), budget: 4096, bytes, is_there: true };
        assert!(at(4096).fits());
        assert!(!at(4097).fits());
        assert!(at(4097).row().ends_with("TOO BIG"));
        assert!(at(4096).row().ends_with("ok"));
        let lacking = Measured { is_there: false, ..at(0) };
        assert!(lacking.fits() && lacking.row().ends_with("not built"));
    }

    #[test]
    fn a_world_counts_what_it_shares_and_a_further_system_what_it_adds() {
        let of = |files: &[&str]| files.iter().map(ToString::to_string).collect::<Vec<_>>();
        let splits = Splits::from([
            ("mesos".to_owned(), of(&["chunk_7", "split_mesos"])),
            ("sdk".to_owned(), of(&["chunk_7", "split_sdk"])),
            ("marathon".to_owned(), of(&["chunk_7", "split_marathon"])),
        ]);
        let names = ["planarium-worker_bg-0a", "worker-chunk-7-0b", "worker-chunk-71-0c", "worker-mesos-0d"];
        let names = names.into_iter().chain(["worker-sdk-0e", "worker-marathon-0f"]);
        let wasm: Vec<PathBuf> = names.map(|name| PathBuf::from(format!("dist/{name}.wasm"))).collect();
        let rows = worlds(&splits, &wasm);
        let counted = |name: &str| rows.iter().find(|(own, ..)| own == name).map(|(.., files)| files.len());
        assert_eq!(counted("engine of a world of DC/OS SDK"), Some(4));
        assert_eq!(counted("Marathon joining DC/OS SDK"), Some(1));
    }

    #[test]
    fn a_file_of_texts_is_named_after_what_it_is_of() {
        let named = |file: &str| texts(&[PathBuf::from(file)]).into_iter().map(|(name, _)| name).next();
        assert_eq!(named("texts/example-web-shop-0a.json").as_deref(), Some("example web-shop"));
        assert_eq!(named("texts/lesson-canary-en-0a.json").as_deref(), Some("lesson canary-en"));
        assert_eq!(named("texts/all-0a.json").as_deref(), Some("texts of all examples and lessons"));
    }

    #[test]
    fn only_resources_loaded_from_elsewhere_count() {
        let plain = r#"<a href="https://x.example/">x</a><link rel="icon" href="data:,x"><script src="./a.js"></script>
            b { background: url(data:,x) }"#;
        assert!(foreign_in(plain).is_empty());
        for text in [
            r#"<script src="https://x.example/a.js"></script>"#,
            r#"<img src="//x.example/a.png">"#,
            r#"<link rel="stylesheet" href="https://x.example/a.css">"#,
            "b { background: url(https://x.example/a.png) }",
            r#"@import "https://x.example/a.css";"#,
        ] {
            assert_eq!(foreign_in(text).len(), 1, "{text}");
        }
    }
}
