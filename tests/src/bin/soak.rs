//! Runs mutated definitions and inputs of all systems against the router: `soak MINUTES [SEED] [THREADS] [DEFINITIONS] [INPUTS]`.
//!
//! It ends after the minutes, or as soon as it has played as many definitions and inputs as it was told. Each case is printed by its
//! seed when it fails, made small, and kept in `tests/data/soak/`, where the suite `soak` plays it from then on.

#![expect(clippy::print_stdout, reason = "a program says what it found")]
#![expect(clippy::disallowed_types, reason = "whoever drives a simulation reads a clock")]
#![expect(
    clippy::disallowed_methods,
    reason = "a guard beside the threads waits by the clock of the machine"
)]

use planarium_tests::soak::{Case, Changed, Supply, play, shrink};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Half the time would go to the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The longest time that a case may take before it counts as one that never ends.
const NEVER_ENDS: Duration = Duration::from_mins(5);

/// Cases between two reports.
const REPORT: u64 = 10_000;

/// The size of a soak.
struct Size {
    minutes: f64,
    threads: usize,
    /// Changed definitions and changed inputs after which it ends; 0 is without such an end.
    definitions: u64,
    inputs: u64,
}

/// The results so far.
#[derive(Default)]
struct Results {
    cases: u64,
    failed: u64,
    slowest_ms: u64,
    changed: Changed,
}

/// State that the threads share.
struct Shared {
    supply: Supply,
    size: Size,
    begun: Instant,
    next: AtomicU64,
    is_over: AtomicBool,
    results: Mutex<Results>,
    /// The case that each thread plays, since when.
    playing: Vec<Mutex<Option<(u64, Instant)>>>,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let minutes = args.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let mut number = || args.next().and_then(|text| text.parse::<u64>().ok());
    let seed = number().filter(|seed| *seed > 0).unwrap_or_else(a_seed);
    let threads = number().and_then(|count| usize::try_from(count).ok()).unwrap_or(1).clamp(1, 64);
    let size = Size {
        minutes,
        threads,
        definitions: number().unwrap_or_default(),
        inputs: number().unwrap_or_default(),
    };
    println!("soak from seed {seed} for {minutes} minutes in {threads} threads");
    let shared = Shared {
        supply: Supply::of_the_gallery(),
        begun: Instant::now(),
        next: AtomicU64::new(seed),
        is_over: AtomicBool::new(false),
        results: Mutex::new(Results::default()),
        playing: (0..size.threads).map(|_| Mutex::new(None)).collect(),
        size,
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            shared.playing.iter().map(|playing| scope.spawn(|| work(&shared, playing))).collect();
        while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(200));
            guard(&shared);
        }
    });
    let next = shared.next.load(Ordering::Relaxed);
    let Ok(results) = shared.results.into_inner() else { return ExitCode::FAILURE };
    report(&results, shared.begun);
    println!("the next seed is {next}");
    if results.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays one case after the other.
fn work(shared: &Shared, playing: &Mutex<Option<(u64, Instant)>>) {
    let clock = Clock::new();
    let now_ms = || clock.now_ms();
    while !shared.is_over.load(Ordering::Relaxed)
        && shared.begun.elapsed().as_secs_f64() < shared.size.minutes * 60.0
    {
        let seed = shared.next.fetch_add(1, Ordering::Relaxed);
        let (case, counts) = shared.supply.case(seed);
        set(playing, Some((seed, Instant::now())));
        let case_begun = now_ms();
        let found = play(&case, &now_ms);
        let took = now_ms().saturating_sub(case_begun);
        set(playing, None);
        if let Some(found) = &found {
            println!("seed {seed}: {} gave {:?}", found.asked, found.fault);
            keep(seed, &shrink(&case, found, &now_ms));
        }
        let Ok(mut results) = shared.results.lock() else { return };
        results.failed += u64::from(found.is_some());
        results.cases += 1;
        results.changed.add(&counts);
        if took > results.slowest_ms {
            results.slowest_ms = took;
            println!("seed {seed}: the slowest case so far, {took} ms");
        }
        if results.cases % REPORT == 0 {
            report(&results, shared.begun);
        }
        let Size { definitions, inputs, .. } = shared.size;
        let is_full = results.changed.definitions() >= definitions && results.changed.inputs >= inputs;
        if is_full && definitions + inputs > 0 {
            shared.is_over.store(true, Ordering::Relaxed);
        }
    }
}

/// Ends the program if a case takes for ever; the case is kept as it is.
fn guard(shared: &Shared) {
    for playing in &shared.playing {
        let now = playing.lock().ok().and_then(|playing| *playing);
        if let Some((seed, _)) = now.filter(|(_, since)| since.elapsed() > NEVER_ENDS) {
            println!("seed {seed}: has not ended after {} s", NEVER_ENDS.as_secs());
            keep(seed, &shared.supply.case(seed).0);
            std::process::exit(1);
        }
    }
}

fn set(playing: &Mutex<Option<(u64, Instant)>>, to: Option<(u64, Instant)>) {
    if let Ok(mut playing) = playing.lock() {
        *playing = to;
    }
}

/// Writes a case to the folder of the suite.
fn keep(seed: u64, case: &Case) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/soak/seed-{seed}.json"));
    let text = serde_json::to_string_pretty(case).unwrap_or_default();
    match std::fs::write(&file, text + "\n") {
        Ok(()) => println!("  kept, with {} steps, as seed-{seed}.json", case.steps.len()),
        Err(error) => println!("  not kept: {error}"),
    }
}

/// Prints the counts.
fn report(results: &Results, begun: Instant) {
    let Results { cases, failed, slowest_ms, changed } = results;
    let by_system: Vec<String> =
        changed.by_system.iter().map(|(system, count)| format!("{count} {system}")).collect();
    println!(
        "{cases} cases in {} s: {} changed definitions ({}), {} changed inputs; {failed} failed, the slowest took {slowest_ms} ms",
        begun.elapsed().as_secs(),
        changed.definitions(),
        by_system.join(", "),
        changed.inputs
    );
}

/// The time that the processor gave to this thread, where Linux tells it: other programs on the machine then make no answer slow.
/// Elsewhere the time that has passed.
struct Clock {
    begun: Instant,
    given: Option<File>,
}

impl Clock {
    fn new() -> Self {
        Self { begun: Instant::now(), given: File::open("/proc/thread-self/schedstat").ok() }
    }

    fn now_ms(&self) -> u64 {
        self.given_ms().unwrap_or_else(|| u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn given_ms(&self) -> Option<u64> {
        let mut text = [0; 64];
        let length = self.given.as_ref()?.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        let nanoseconds: u64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds / 1_000_000)
    }
}

/// A seed that is another one each time.
fn a_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs().wrapping_mul(1_000_000))
}
