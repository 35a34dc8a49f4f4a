//! The texts of `cargo xtask help`.

/// Text of `cargo xtask` without a task.
pub(crate) const OVERVIEW: &str = "\
Tasks of this repository: cargo xtask TASK [OPTIONS]

  play    set up what is missing, build the playground, serve it, open it
  test    set up what is missing, run every test: native, clients, wasm, browser
  ci      format, lints, tidy, then test: what has to pass before a merge
  lint    format check and clippy, natively and for wasm
  tidy    rules of this repository that no compiler checks
  bless   run the golden suites and accept their new output
  dist    build the release page into dist/ and print its sizes
  piece   build one part of the page, for trunk
  site    build the documentation as a book, every demo checked
  size    measure compressed sizes against their budgets
  npm     build the npm package `planarium` as a tarball
  loader  minify the loader of pictures (embed/loader/) after a change
  bench   run the benchmarks (rebuilds itself with optimisation)
  soak    send randomly changed definitions and inputs to the HTTP API, in search of faults
  setup   only the set-up: cargo xtask setup [wasm|page|browser|clients|hosts]

`cargo xtask TASK --help` says more about one task.";

/// The text about one task.
pub(crate) fn of(task: &str) -> &'static str {
    match task {
        "play" => {
            "\
cargo xtask play [--port N] [--no-open] [--release]

Checks for the wasm target and the front-end packages, installs what is missing and says why, builds the page with its
editor, serves it on 127.0.0.1:8080 and opens it. When a source changes, the page is built again and open pages load it.

  --port N     another port
  --no-open    do not open a browser
  --release    serve the small, optimised build (slower to build)

Example: cargo xtask play --port 9000 --no-open"
        }
        "test" => {
            "\
cargo xtask test [--only native|clients|wasm|browser | --system NAME] [--filter TEXT]

Sets up what is missing, then runs every suite. The last line is `N passed, N failed, N skipped`; the exit code is 1 when
anything failed or could not run. A test that needs what is not at hand (real definitions, kubectl, Firefox) is skipped and
counted so; the lines before the last say why.

  --only SUITE    one suite: native, clients, wasm or browser (may be given more than once)
  --system NAME   what belongs to one system, in a build without the others: the tests of its crate, its API, its
                  examples with transcripts and digests; nothing is set up and nothing runs in a browser
  --filter TEXT   only tests whose name contains TEXT

Example: cargo xtask test --only native --filter rollup
         cargo xtask test --system skopos"
        }
        "npm" => {
            "\
cargo xtask npm [--dev]

Builds the npm package `planarium` (engine, element, server-side pictures, React, remark) from `npm/` and packs it into a
tarball in target-web/npm, with the loader minified anew. The last line says where it is.

  --dev    with an engine that is quick to build and large, as the tests take it

Example: cargo xtask npm && npm install target-web/npm/planarium-0.1.0.tgz"
        }
        "loader" => {
            "\
cargo xtask loader

Minifies embed/loader/ with its styles into embed/planarium-embed.js, which is checked in: the command line has it in
itself, and the npm package ships it. Run it after a change of either source; tests fail when the file is stale.

Example: cargo xtask loader"
        }
        "ci" => "cargo xtask ci\n\nFormat check, clippy with warnings denied, tidy, then every test.\n\nExample: cargo xtask ci",
        "lint" => {
            "cargo xtask lint\n\nFormat check and clippy with warnings denied, natively and for wasm.\n\nExample: cargo xtask lint"
        }
        "tidy" => {
            "\
cargo xtask tidy [CHECK...]

Checks layering, file length, diagnostics pages, goldens, style sheets, examples, machine paths, unfinished code,
silenced lints, one habit for modules, methods per type and circles of files, floats and usize
in state, and the documents that must exist. With names, runs only these checks.

Example: cargo xtask tidy layers codes"
        }
        "bless" => {
            "\
cargo xtask bless [FILTER]

Runs the golden suites with PLANARIUM_BLESS=1, which rewrites every golden file from what the engine says now, then
lists what changed. Read the difference before you commit it.

Example: cargo xtask bless canary"
        }
        "dist" => {
            "\
cargo xtask dist

Builds the release page into dist/, with a compressed copy (.br, .gz) beside each file, and prints its sizes. The
files work from any folder of any server; one that sends compressed copies makes the page start sooner.

Example: cargo xtask dist"
        }
        "piece" => {
            "\
cargo xtask piece NAME FOLDER [--release]

Builds one piece of the page into FOLDER: a WebAssembly file with its glue (engine, worker), the first picture (picture),
or the texts of examples and lessons (texts). Trunk's hook calls it; the other tasks build all pieces by themselves.

Example: cargo xtask piece worker target-web/worker --release"
        }
        "site" => {
            "\
cargo xtask site

Puts the chapters of docs/site, the ledger, the diagnostics and the examples' READMEs together, runs every demo in the
engine, and builds the book into target/site with mdBook. Exit code 1 when a claim is false or a link is dead.

Example: cargo xtask site"
        }
        "size" => {
            "\
cargo xtask size [--no-build]

Builds the page and the headless engine, compresses each item with brotli at its highest setting and compares it
with its budget. Exit code 1 when an item is above it.

  --no-build   measure what lies in dist/ already

Example: cargo xtask size"
        }
        "soak" => {
            "\
cargo xtask soak [--minutes N] [--seed S] [--threads N] [--definitions N] [--inputs N]

Builds with optimisation and sends randomly changed definitions and inputs of all systems to the HTTP API. Looks for 5xx answers,
answers that take more than 2 s of the processor or have more than 16 MB, findings outside of their text, and panics. Prints the
seed of each case that fails, makes the case small and keeps it in tests/data/soak/; the suite `soak` plays it from then on.

  --minutes N       the longest time (1 unless given)
  --seed S          the first seed; the following cases have the next ones
  --threads N       cases that are played at the same time (1 unless given)
  --definitions N   ends before that time, with N changed definitions and the inputs of --inputs
  --inputs N        ends before that time, with N changed inputs and the definitions of --definitions

Example: cargo xtask soak --minutes 90 --threads 2 --definitions 300000 --inputs 100000"
        }
        "bench" => {
            "\
cargo xtask bench [--real] [--only PART] [--peers] [--instructions] [--wasm [LEVEL]] [--page [SECONDS]]

Rebuilds this tool with optimisation and the engine linked in, then runs the workloads and prints each figure beside
its budget. Checksums must agree before a time counts. The exit code is 1 when one does not, or when an event costs
over three times as much among 10,000 steps as among 100; a missed budget is only reported.

  --real            only the full engine: growth with the number of steps, R1 to R10
  --only PART       only this part of it: growth, R1, R2, ... or R10
  --peers           the same workloads on SimPy and XState, as far as they are installed
  --instructions    count instructions with valgrind
  --wasm [LEVEL]    WebAssembly against native code, for levels of optimisation (z, s, 2, 3, `s, hot crates 3`) and
                    allocators: time, memory, size. Builds each, which takes some minutes a level
  --page [SECONDS]  only the page in dist/ under crash loops and with 10,000 steps, each case for so long (180): frames a
                    second, intervals, nodes of lanes, memory

Example: cargo xtask bench --peers"
        }
        "setup" => {
            "\
cargo xtask setup [wasm|page|browser|clients|hosts]

Only the set-up of the other tasks: the wasm target; wasm-bindgen's test runner; the front-end packages; chromium, firefox-esr
and the packages of the browser tests; the client libraries from PyPI; mdBook 0.4 and 0.5, MkDocs, Sphinx, remark
and Docusaurus. Without a name, all of it.

Example: cargo xtask setup page"
        }
        _ => OVERVIEW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_of_the_overview_has_its_own_text_with_an_example() {
        let tasks: Vec<&str> = OVERVIEW
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(tasks.len(), 15);
        for task in tasks {
            assert_ne!(of(task), OVERVIEW, "{task}");
            assert!(of(task).contains("Example: cargo xtask "), "{task}");
        }
    }
}
