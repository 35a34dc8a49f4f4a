//! The command line: words, options and their help.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Rollouts of real service definitions on a simulated cluster.
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
        after_help = "Example:\n  planarium run svc.yml --env FRAMEWORK_NAME=hello --cluster 3\n  planarium run dist/svc.yml --package universe --until deploy=COMPLETE\n\nExit status: 0 when everything expected came true, 1 when it did not, 2 for bad input."
    )]
    Run(RunArgs),
    /// Read definitions and scenarios and report every finding.
    #[command(
        after_help = "Example:\n  planarium check svc.yml --env-file scheduler.env\n  planarium check dist/*.yml --package universe\n\nExit status: 0 without errors, 2 with errors."
    )]
    Check(CheckArgs),
    /// Play scenarios and compare their transcripts with the golden ones beside them.
    #[command(
        after_help = "Example:\n  planarium test examples\n  planarium test examples/canary --bless\n\nExit status: 0 when all are as expected, 1 when one is not, 2 for bad input."
    )]
    Test(TestArgs),
    /// Serve the simulated HTTP APIs (and the page, when built in).
    #[command(
        after_help = "Example:\n  planarium serve svc.yml --clock manual\n  curl http://127.0.0.1:8080/v1/plans/deploy\n  curl -X POST http://127.0.0.1:8080/sim/advance -d '{\"for_ms\":10000}'"
    )]
    Serve(ServeArgs),
    /// Print the plans as they stand at an instant.
    #[command(
        after_help = "Example:\n  planarium render svc.yml --at 30s\n  planarium render examples/canary --at end\n  planarium render examples/canary --html --page > canary.html\n  planarium render examples/canary --svg --animate > canary.svg"
    )]
    Render(RenderArgs),
    /// Check and draw the demos in documents, or write the script and the styles that play them.
    #[command(
        after_help = "Example:\n  planarium embed --markdown docs/canary.md > built/canary.md\n  planarium embed --fence --file canary.md --line 12 --info 'planarium plan=\"deploy\"' < svc.yml\n  planarium embed --assets docs/static\n\nA document needs both files of --assets once, and then any number of demos:\n  <link rel=\"stylesheet\" href=\"planarium-embed.css\">\n  <script src=\"planarium-embed.js\" defer></script>\n\nExit status: 0 when every claim holds, 1 when one is false, 2 for bad input."
    )]
    Embed(EmbedArgs),
    /// Print the share string of a scenario or definition, or what a share string holds.
    #[command(
        after_help = "Example:\n  planarium share examples/canary\n  planarium share --decode '#p1:...'"
    )]
    Share(ShareArgs),
    /// Run a command of the real service command line: `plan status deploy`, `pod replace hello-0`, ...
    #[command(
        after_help = "Example:\n  planarium exec hello-world -- plan status deploy\n  planarium exec hello-world --url http://127.0.0.1:8080 -- pod restart hello-0\n  planarium exec hello-world --on examples/hello-world --at 20s -- plan show deploy --json\n  planarium exec hello-world -- help\n\nExit status: 0 when the service did it, 1 when it did not or is out of reach, 2 for words that cannot be understood."
    )]
    Exec(ExecArgs),
    /// Check lessons, play one here, or begin a new one.
    #[command(
        after_help = "Example:\n  planarium lesson list\n  planarium lesson play canary\n  planarium lesson new my-lesson\n  planarium lesson check lessons my-lesson.planarium.yaml\n\nExit status: 0 when all is as it should be, 1 when it is not, 2 for bad input."
    )]
    Lesson(LessonArgs),
    /// Print the JSON Schema of a file.
    #[command(after_help = "Example:\n  planarium schema lesson > lesson.schema.json")]
    Schema(SchemaArgs),
}

/// The sources of a definition's environment and cluster.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InputArgs {
    /// A value of the scheduler's environment; may be repeated.
    #[arg(long = "env", value_name = "K=V")]
    pub(crate) env: Vec<String>,
    /// A file of K=V lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) env_file: Vec<PathBuf>,
    /// Package folder with config.json, marathon.json.mustache and resource.json.
    #[arg(long, value_name = "DIR")]
    pub(crate) package: Option<PathBuf>,
    /// Package options (JSON), merged over the package's defaults.
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// Cluster preset by name, or a file with machines (YAML or JSON).
    #[arg(long, value_name = "PRESET|FILE")]
    pub(crate) cluster: Option<String>,
    /// A value of an operator's parameter (KUDO); may be repeated, beats --parameter-file.
    #[arg(short = 'p', long = "parameter", value_name = "NAME=VALUE")]
    pub(crate) parameter: Vec<String>,
    /// A YAML file of parameters (KUDO); may be repeated.
    #[arg(short = 'P', long, value_name = "FILE")]
    pub(crate) parameter_file: Vec<PathBuf>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Dialect of the definition.
    #[arg(long, value_name = "DIALECT", default_value = "auto")]
    pub(crate) dialect: String,
}

/// Output formats of `run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The plan trees; live on a terminal.
    Tree,
    /// One JSON document at the end.
    Json,
    /// The whole story as text.
    Transcript,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Scenario, definition file, package folder, share link (`#p1:...`), or `-` for standard input.
    pub(crate) path: PathBuf,
    /// Stop when this holds: `deploy=COMPLETE`, `SERVICE/PLAN/PHASE/STEP=STATUS`, `idle`, `t=90s`.
    #[arg(long, value_name = "COND")]
    pub(crate) until: Option<String>,
    /// Give up after this much virtual time.
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
    /// Scenario files or folders with some below.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write the transcripts instead of comparing them.
    #[arg(long)]
    pub(crate) bless: bool,
}

/// Clock modes of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// Only by `POST /sim/advance`.
    Manual,
    /// With the wall clock, times `--speed`.
    Real,
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Scenario, definition, package folder or share link to start with.
    pub(crate) path: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDR:PORT")]
    pub(crate) listen: String,
    /// A further host name that requests may be addressed to; may be repeated.
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,
    /// The clock mode.
    #[arg(long, value_enum, default_value = "real")]
    pub(crate) clock: Clock,
    /// Virtual seconds per second with `--clock real`.
    #[arg(long, default_value_t = 1.0)]
    pub(crate) speed: f64,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Scenario, definition file, package folder, share link, or `-`.
    pub(crate) path: PathBuf,
    /// Instant (`0s`, `1m30s`) or `end`.
    #[arg(long, default_value = "end", value_name = "TIME|end")]
    pub(crate) at: String,
    /// Show the machines too.
    #[arg(long)]
    pub(crate) cluster_map: bool,
    /// Explain this element instead: `deploy/PHASE/STEP`.
    #[arg(long, value_name = "PATH")]
    pub(crate) why: Option<String>,
    /// Print a config file as it lies in a task's sandbox instead: `hello-0-server/CONFIG`.
    #[arg(long, value_name = "TASK/CONFIG", conflicts_with = "why")]
    pub(crate) file: Option<String>,
    /// Write a picture for documents instead: a table in HTML with the recorded run in it.
    #[arg(long, conflicts_with_all = ["why", "file", "cluster_map", "svg"])]
    pub(crate) html: bool,
    /// With --html: write a whole page with styles and script in it, which plays from a disk.
    #[arg(long, requires = "html")]
    pub(crate) page: bool,
    /// With --html: an address of the run in a playground, for readers who want more.
    #[arg(long, value_name = "URL", requires = "html")]
    pub(crate) link: Option<String>,
    /// With --html: address of the page `embed.html` of a playground, which takes over when a reader commands or breaks something.
    #[arg(long, value_name = "URL", requires = "html")]
    pub(crate) engine: Option<String>,
    /// Write a picture as an SVG image instead.
    #[arg(long, conflicts_with_all = ["why", "file", "cluster_map"])]
    pub(crate) svg: bool,
    /// With --svg: show the whole run, moving by styles alone.
    #[arg(long, requires = "svg")]
    pub(crate) animate: bool,
    /// With --html or --svg: only this plan, `PLAN` or `SERVICE/PLAN`; without it, the plans that do something.
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
    /// Read one fence from standard input: whole, or its body alone with --info.
    #[arg(long)]
    pub(crate) fence: bool,
    /// Read a Markdown document (`-` for standard input) and put pictures in the places of its fences.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// With --fence: the fence's first line, from the word `planarium` on.
    #[arg(long, value_name = "INFO", requires = "fence")]
    pub(crate) info: Option<String>,
    /// Name of the document in findings.
    #[arg(long, value_name = "NAME")]
    pub(crate) file: Option<String>,
    /// With --fence: the line of the document at which the fence begins.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "fence")]
    pub(crate) line: u32,
    /// Folder in which the files are that fences name; without it, the document's.
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
    /// Decode this share string and print its journal.
    #[arg(long, value_name = "STRING", conflicts_with = "path")]
    pub(crate) decode: Option<String>,
    /// Environment and cluster.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Arguments of `exec`.
#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// Service name; where only one service is there, any name means it.
    pub(crate) service: String,
    /// Address of the served world.
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL")]
    pub(crate) url: String,
    /// Run on a fresh world instead: scenario, definition file, package folder or share link.
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    pub(crate) on: Option<PathBuf>,
    /// Instant to which the fresh world is played: `0s`, `1m30s` or `end`.
    #[arg(long, default_value = "end", value_name = "TIME|end", requires = "on")]
    pub(crate) at: String,
    /// The command, in words or whole in quotes: `help` lists them.
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
    /// Play a lesson's routes and random players, and report what does not hold.
    Check(LessonCheckArgs),
    /// Play a lesson: the task, commands, checks.
    Play(LessonPlayArgs),
    /// Write the files of a new lesson.
    New(LessonNewArgs),
}

/// Arguments of `lesson check`.
#[derive(Debug, Args)]
pub(crate) struct LessonCheckArgs {
    /// Lessons, or folders with some below.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Random players for each lesson.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) players: u64,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormat,
}

/// Arguments of `lesson play`.
#[derive(Debug, Args)]
pub(crate) struct LessonPlayArgs {
    /// Id of a lesson of the course, or a file.
    pub(crate) lesson: String,
    /// Language of the texts; English where there are none in it.
    #[arg(long, value_name = "LANG", default_value = "en")]
    pub(crate) lang: String,
    /// Seed of all randomness.
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
    /// Which file.
    #[arg(value_enum)]
    pub(crate) of: SchemaOf,
}
