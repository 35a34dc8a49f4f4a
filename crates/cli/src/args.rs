//! The command line: words, options and their help.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Simulate rollouts of real service definitions on a cluster in memory.
#[derive(Debug, Parser)]
#[command(name = "planarium", version, about, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a scenario, a definition or a package folder to its end.
    #[command(
        after_help = "Example:\n  planarium run svc.yml --env FRAMEWORK_NAME=hello --cluster 3\n  planarium run dist/svc.yml --package universe --until deploy=COMPLETE\n\nExit status: 0 if every expectation holds, 1 if one does not, 2 for bad input."
    )]
    Run(RunArgs),
    /// Check definitions and scenarios, and print every finding.
    #[command(
        after_help = "Example:\n  planarium check svc.yml --env-file scheduler.env\n  planarium check dist/*.yml --package universe\n\nExit status: 0 without errors, 2 with errors. Every code of a finding has a page in docs/diagnostics."
    )]
    Check(CheckArgs),
    /// Print what an update of running Kubernetes workloads would change: fields, and pods that are replaced.
    #[command(
        after_help = "Example:\n  planarium diff examples/kubernetes-first-rollout new.yaml\n  planarium diff old.yaml new.yaml --at 30s --format json\n\nOLD is played first, to its end or to --at; NEW is applied to a copy of that cluster.\n\nExit status: 0 if nothing changes, 1 if something does, 2 for bad input."
    )]
    Diff(DiffArgs),
    /// Play scenarios and compare each transcript with the saved one beside it (`NAME.transcript.txt`).
    #[command(
        after_help = "Example:\n  planarium test examples\n  planarium test examples/canary --bless\n\nExit status: 0 if every transcript is as expected, 1 if one is not, 2 for bad input."
    )]
    Test(TestArgs),
    /// Serve the HTTP APIs of the real systems, the simulator's own API, and the page if it is built in.
    #[command(
        after_help = "Example:\n  planarium serve svc.yml --clock manual\n  curl http://127.0.0.1:8080/v1/plans/deploy\n  curl -X POST http://127.0.0.1:8080/sim/advance -d '{\"for_ms\":10000}'"
    )]
    Serve(ServeArgs),
    /// Print the plans at one instant of a run, as text or as a picture.
    #[command(
        after_help = "Example:\n  planarium render svc.yml --at 30s\n  planarium render examples/canary --at end\n  planarium render examples/canary --html --page > canary.html\n  planarium render examples/canary --svg --animate > canary.svg"
    )]
    Render(RenderArgs),
    /// Check and draw the demos of a document, or write the script and styles that play them.
    #[command(
        after_help = "Example:\n  planarium embed --markdown docs/canary.md > built/canary.md\n  planarium embed --fence --file canary.md --line 12 --info 'planarium plan=\"deploy\"' < svc.yml\n  planarium embed --assets docs/static\n\nA page needs both files of --assets once, for any number of demos:\n  <link rel=\"stylesheet\" href=\"planarium-embed.css\">\n  <script src=\"planarium-embed.js\" defer></script>\n\nExit status: 0 if every claim holds, 1 if one is false, 2 for bad input."
    )]
    Embed(EmbedArgs),
    /// Print a run as the text of a link (`#p1:...`), which is appended to the page's address; or the inputs in such a link.
    #[command(
        after_help = "Example:\n  planarium share examples/canary\n  planarium share --decode '#p1:...'"
    )]
    Share(ShareArgs),
    /// Run one command of a real command line, such as `plan status deploy` or `app list`.
    #[command(
        after_help = "Example:\n  planarium exec hello-world -- plan status deploy\n  planarium exec hello-world --url http://127.0.0.1:8080 -- pod restart hello-0\n  planarium exec hello-world --on examples/hello-world --at 20s -- plan show deploy --json\n  planarium exec hello-world -- help\n  planarium exec marathon -- app list\n\nThe commands of each system are in docs/console.md.\n\nExit status: 0 if the service did it, 1 if it refused or cannot be reached, 2 for words that are not understood."
    )]
    Exec(ExecArgs),
    /// List, play and check lessons, or begin a new one.
    #[command(
        after_help = "Example:\n  planarium lesson list\n  planarium lesson play canary\n  planarium lesson new my-lesson\n  planarium lesson check lessons my-lesson.planarium.yaml\n\nExit status: 0 if every lesson holds, 1 if one does not, 2 for bad input."
    )]
    Lesson(LessonArgs),
    /// Print the JSON Schema of a file format, for editors.
    #[command(after_help = "Example:\n  planarium schema lesson > lesson.schema.json")]
    Schema(SchemaArgs),
}

/// The sources of a definition's environment and cluster.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InputArgs {
    /// Environment variable of the service, or flag of Marathon; may be repeated.
    #[arg(long = "env", value_name = "K=V")]
    pub(crate) env: Vec<String>,
    /// File with one K=V per line; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) env_file: Vec<PathBuf>,
    /// Package folder of a DC/OS service: config.json, marathon.json.mustache, resource.json.
    #[arg(long, value_name = "DIR")]
    pub(crate) package: Option<PathBuf>,
    /// JSON file of package options, merged over the package's defaults.
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// Machines: a preset (default, 1, 3, 10, 100, 250, 500, 1000, small, tight, zones, gpu, mount, full), or a YAML or JSON file.
    #[arg(long, value_name = "PRESET|FILE")]
    pub(crate) cluster: Option<String>,
    /// Parameter of a KUDO operator; may be repeated, wins over --parameter-file.
    #[arg(short = 'p', long = "parameter", value_name = "NAME=VALUE")]
    pub(crate) parameter: Vec<String>,
    /// YAML file of parameters of a KUDO operator; may be repeated.
    #[arg(short = 'P', long, value_name = "FILE")]
    pub(crate) parameter_file: Vec<PathBuf>,
    /// Number that decides all random choices; the same seed gives the same run.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// System of the definition: sdk, marathon, kudo, skopos or kubernetes; `auto` recognises it.
    #[arg(long, value_name = "DIALECT", default_value = "auto")]
    pub(crate) dialect: String,
}

/// Output formats of `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// A paragraph for each object.
    Text,
    /// One JSON document for each service.
    Json,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The run to update: scenario, definition file, folder or link (`#p1:...`).
    pub(crate) old: PathBuf,
    /// The definition to update it to.
    pub(crate) new: PathBuf,
    /// Instant of the run of OLD: `0s`, `1m30s` or `end`.
    #[arg(long, default_value = "end", value_name = "TIME|end")]
    pub(crate) at: String,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: DiffFormat,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Output formats of `run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The plan trees; updated live on a terminal.
    Tree,
    /// One JSON document when the run ends.
    Json,
    /// Every event as text.
    Transcript,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Scenario, definition file, package folder, link (`#p1:...`), or `-` for standard input.
    pub(crate) path: PathBuf,
    /// Stop at this condition: `deploy=COMPLETE`, `SERVICE/PLAN/PHASE/STEP=STATUS`, `idle`, `t=90s`.
    #[arg(long, value_name = "COND")]
    pub(crate) until: Option<String>,
    /// Give up after this much simulated time.
    #[arg(long, value_name = "TIME", default_value = "2h")]
    pub(crate) limit: String,
    /// The output format.
    #[arg(long, value_enum, default_value = "tree")]
    pub(crate) format: Format,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Output formats of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// `file:line:col: severity[CODE]: message` with an excerpt.
    Text,
    /// A JSON array.
    Json,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Definitions, scenarios or package folders; `-` for standard input.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Scenario files, or folders that contain some.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Save the transcripts as the expected ones instead of comparing them.
    #[arg(long)]
    pub(crate) bless: bool,
}

/// Clock modes of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// Time moves only on request: by `POST /sim/advance`, Play in a page, or a command that waits.
    Manual,
    /// Time moves with the wall clock, multiplied by --speed.
    Real,
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Scenario, definition, package folder or link to start with.
    pub(crate) path: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDR:PORT")]
    pub(crate) listen: String,
    /// Another host name that requests may use; may be repeated.
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,
    /// Origin of a page from elsewhere that may show and command this world; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Open the playground page on this world in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Folder of a built page to serve in place of the one built in.
    #[arg(long, value_name = "DIR")]
    pub(crate) page: Option<PathBuf>,
    /// How simulated time passes.
    #[arg(long, value_enum, default_value = "real")]
    pub(crate) clock: Clock,
    /// With `--clock real`: simulated seconds per second.
    #[arg(long, default_value_t = 1.0)]
    pub(crate) speed: f64,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Scenario, definition file, package folder, link (`#p1:...`), or `-` for standard input.
    pub(crate) path: PathBuf,
    /// Instant of the run: `0s`, `1m30s` or `end`.
    #[arg(long, default_value = "end", value_name = "TIME|end")]
    pub(crate) at: String,
    /// Also print the machines.
    #[arg(long)]
    pub(crate) cluster_map: bool,
    /// Explain instead why this element is not finished: `deploy/PHASE/STEP`.
    #[arg(long, value_name = "PATH")]
    pub(crate) why: Option<String>,
    /// Print instead a rendered config file of a task: `hello-0-server/CONFIG`.
    #[arg(long, value_name = "TASK/CONFIG", conflicts_with = "why")]
    pub(crate) file: Option<String>,
    /// Print instead an HTML table that contains the recorded run, for a document.
    #[arg(long, conflicts_with_all = ["why", "file", "cluster_map", "svg"])]
    pub(crate) html: bool,
    /// With --html: print a complete page that plays without a server.
    #[arg(long, requires = "html")]
    pub(crate) page: bool,
    /// With --html: address of the run in a playground, shown as a link.
    #[arg(long, value_name = "URL", requires = "html")]
    pub(crate) link: Option<String>,
    /// With --html: address of the page `embed.html` of a playground, which takes over when a reader commands or breaks something.
    #[arg(long, value_name = "URL", requires = "html")]
    pub(crate) engine: Option<String>,
    /// Print instead an SVG image.
    #[arg(long, conflicts_with_all = ["why", "file", "cluster_map"])]
    pub(crate) svg: bool,
    /// With --svg: animate the whole run, without a script.
    #[arg(long, requires = "svg")]
    pub(crate) animate: bool,
    /// With --html or --svg: show only this plan, `PLAN` or `SERVICE/PLAN`. Default: every plan that does something.
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<String>,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Output formats of `embed` for a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmbedFormat {
    /// The picture with the recorded run in it.
    Html,
    /// The plans as text, for documents without HTML.
    Text,
    /// Both, with the findings, for programs.
    Json,
}

/// Arguments of `embed`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("task").required(true).args(["assets", "fence", "markdown"]))]
pub(crate) struct EmbedArgs {
    /// Write `planarium-embed.js` and `planarium-embed.css` into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) assets: Option<PathBuf>,
    /// Read one fence from standard input: all of it, or only its body with --info.
    #[arg(long)]
    pub(crate) fence: bool,
    /// Read a Markdown document (`-` for standard input) and replace its fences by pictures.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// With --fence: the fence's first line, from the word `planarium` on.
    #[arg(long, value_name = "INFO", requires = "fence")]
    pub(crate) info: Option<String>,
    /// Name of the document, for findings.
    #[arg(long, value_name = "NAME")]
    pub(crate) file: Option<String>,
    /// With --fence: line of the document on which the fence begins.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "fence")]
    pub(crate) line: u32,
    /// Folder of the files that fences name. Default: the document's folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Address of the page `embed.html` of a playground, which takes over when a reader commands or breaks something; for fences that
    /// name none.
    #[arg(long, value_name = "URL")]
    pub(crate) engine: Option<String>,
    /// The output format.
    #[arg(long, value_enum, default_value = "html")]
    pub(crate) format: EmbedFormat,
}

/// Arguments of `share`.
#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    /// Scenario, definition file, package folder, or `-`.
    #[arg(required_unless_present = "decode")]
    pub(crate) path: Option<PathBuf>,
    /// Decode this link and print its journal.
    #[arg(long, value_name = "STRING", conflicts_with = "path")]
    pub(crate) decode: Option<String>,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `exec`.
#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// Name of the service. If there is only one service, any name means it.
    pub(crate) service: String,
    /// Address of `planarium serve`.
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL")]
    pub(crate) url: String,
    /// Run in a fresh world instead: a scenario, definition file, package folder or link.
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    pub(crate) on: Option<PathBuf>,
    /// With --on: instant at which the command runs: `0s`, `1m30s` or `end`.
    #[arg(long, default_value = "end", value_name = "TIME|end", requires = "on")]
    pub(crate) at: String,
    /// The command, as words or as one quoted text; `help` lists the commands.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) words: Vec<String>,
    /// Environment and cluster of the fresh world.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `lesson`.
#[derive(Debug, Args)]
pub(crate) struct LessonArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub(crate) command: LessonCommand,
}

/// The commands of `lesson`.
#[derive(Debug, Subcommand)]
pub(crate) enum LessonCommand {
    /// List the lessons of the course.
    List,
    /// Prove lessons: play their routes and random players, and print what does not hold.
    Check(LessonCheckArgs),
    /// Play a lesson in the terminal.
    Play(LessonPlayArgs),
    /// Write the files of a new lesson.
    New(LessonNewArgs),
}

/// Arguments of `lesson check`.
#[derive(Debug, Args)]
pub(crate) struct LessonCheckArgs {
    /// Lesson files, or folders that contain some.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Number of random players for each lesson.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) players: u64,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormat,
}

/// Arguments of `lesson play`.
#[derive(Debug, Args)]
pub(crate) struct LessonPlayArgs {
    /// Id of a lesson of the course, or a lesson file.
    pub(crate) lesson: String,
    /// Language of the texts; English if the lesson has none in it.
    #[arg(long, value_name = "LANG", default_value = "en")]
    pub(crate) lang: String,
    /// Number that decides all random choices; the same seed gives the same run.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Arguments of `lesson new`.
#[derive(Debug, Args)]
pub(crate) struct LessonNewArgs {
    /// Id of the lesson: lower case letters, digits and hyphens. It never changes.
    pub(crate) id: String,
    /// Folder to write into.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

/// A file that has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The `lesson:` block of a scenario, and its texts.
    Lesson,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The file format.
    #[arg(value_enum)]
    pub(crate) of: SchemaOf,
}
