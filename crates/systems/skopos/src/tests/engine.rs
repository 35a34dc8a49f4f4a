//! The engine as tables: plans in, the steps that came to an end and what each shows out.

#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::items_after_statements,
    reason = "helpers of tests"
)]

use super::support::{Bench, HEAD};
use crate::commands::Command;
use crate::run::Mode;

/// Scripts: `ok` passes, `bad` fails, `third` passes at its third run. All take a second.
const ENV: &str = "# file: env.yaml
simulation: { scripts: { ok: { exit: 0, duration: 1 }, bad: { exit: 1, duration: 1 }, third: { exit: [1, 1, 0], duration: 1 } } }
";

/// Builds a plan from short lines. A line is `ID CLASS REST`, indented by two for each level; CLASS is `group`, `comp`, `loop` (REST
/// begins with its attributes), `gate`, `delay` or the script that an action runs. REST contains flow attributes: `fail:x`, `pass:y`,
/// `cleanup`, and other text unchanged.
fn plan(lines: &str) -> String {
    let mut text = format!("{HEAD}steps:\n");
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let mut words = line.split_whitespace();
        let (id, class) = (words.next().expect("an id"), words.next().expect("a class"));
        let pad = " ".repeat(indent);
        let mut own = vec![format!("id: {id}")];
        match class {
            "group" => own.push("class: group".into()),
            "comp" => own.push("class: component".into()),
            "loop" => own.push("class: instance-loop".into()),
            "gate" => own.push("class: manual-gate".into()),
            "delay" => own.push("class: delay".into()),
            script => own.extend(["class: action".to_owned(), format!("exec: {script}")]),
        }
        for word in words {
            let attribute = match word.split_once(':') {
                Some(("fail", to)) => format!("on_fail: \"{to}\""),
                Some(("pass", to)) => format!("on_pass: \"{to}\""),
                Some((key, value)) => format!("{key}: {value}"),
                None => format!("{word}: true"),
            };
            own.push(attribute);
        }
        if matches!(class, "group" | "comp" | "loop") {
            own.push("steps:".into());
        }
        for (at, attribute) in own.iter().enumerate() {
            text.push_str(&format!("{pad}{} {attribute}\n", if at == 0 { "-" } else { " " }));
        }
    }
    text + ENV
}

/// Runs a plan to its end: returns the trace and the result.
fn run(lines: &str) -> (String, &'static str, String) {
    let mut bench = Bench::new(&plan(lines));
    bench.start();
    bench.finish();
    (bench.trace(), bench.app.run.mode.word(), bench.steps())
}

#[test]
fn a_plan_runs() {
    let mut bench =
        Bench::new(&plan("g group fail:fail\n  a delay duration:2 fail:fail\n  b ok fail:fail\n"));
    bench.start();
    bench.finish();
    assert_eq!(bench.steps(), "g=passed a=passed b=passed");
    assert_eq!(
        bench.log_from(0),
        [
            "0 info plan-start plan started",
            "0 info step-start g started",
            "0 info step-start a started",
            "2000 info step-pass a passed",
            "2000 info step-start b started",
            "3000 info step-pass b passed",
            "3000 info step-pass g passed",
            "3000 info plan-pass plan completed",
        ]
    );
}

/// Exits lead to their targets, in one component whose failure fails the plan.
#[test]
fn exits_lead_to_their_target() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("all pass", "a ok\nb ok", "a b c", "completed"),
        ("a failure without on_fail is ignored", "a bad\nb ok", "a! b c", "completed"),
        ("also that of the last step", "a ok\nb bad", "a b! c", "completed"),
        ("a failure that fails", "a bad fail:fail\nb ok", "a! c!", "failed"),
        ("pass ends the chain", "a ok pass:pass\nb bad fail:fail", "a c", "completed"),
        ("fail on pass", "a ok pass:fail\nb ok", "a c!", "failed"),
        ("a failure turned into success", "a bad fail:pass\nb bad fail:fail", "a! c", "completed"),
        ("next written", "a bad fail:next\nb ok", "a! b c", "completed"),
        ("to a step", "a ok pass:d\nb bad fail:fail\nd ok", "a d c", "completed"),
        ("back, and on", "a third fail:a\nb ok", "a! a! a b c", "completed"),
        ("back to an earlier step", "a ok\nb third fail:a\nd ok", "a b! a b! a b d c", "completed"),
        // The boundary of cleanup.
        ("cleanup is not fallen into", "a ok\nx ok cleanup", "a c", "completed"),
        ("nor by an ignored failure", "a bad\nx ok cleanup", "a! c", "completed"),
        (
            "cleanup that passes fails the chain",
            "a bad fail:x\nx ok cleanup\ny ok cleanup",
            "a! x y c!",
            "failed",
        ),
        (
            "cleanup goes on when it fails",
            "a bad fail:x\nx bad cleanup\ny ok cleanup",
            "a! x! y c!",
            "failed",
        ),
        ("cleanup that stops", "a bad fail:x\nx bad cleanup fail:fail\ny ok cleanup", "a! x! c!", "failed"),
        ("cleanup that recovers", "a bad fail:x\nx ok cleanup pass:pass", "a! x c", "completed"),
        ("into the middle of cleanup", "a bad fail:y\nx ok cleanup\ny ok cleanup", "a! y c!", "failed"),
        ("into cleanup by passing", "a ok pass:x\nb ok\nx ok cleanup", "a x c!", "failed"),
        ("repair and retry", "a third fail:x\nb ok\nx ok cleanup pass:a", "a! x a! x a b c", "completed"),
        ("forward again behind cleanup", "a bad fail:z\nx ok cleanup\nz ok", "a! z c", "completed"),
        ("out of cleanup by next", "a bad fail:x\nx ok cleanup\nz ok", "a! x c!", "failed"),
        ("a chain that begins with cleanup", "x ok cleanup\ny bad cleanup", "x y! c!", "failed"),
        ("one cleanup step alone", "x ok cleanup", "x c!", "failed"),
        ("a delay passes", "a delay fail:fail\nb ok", "a b c", "completed"),
    ];
    for (name, chain, trace, mode) in cases {
        let inside: String = chain.lines().map(|line| format!("  {line}\n")).collect();
        let (got, ended, steps) = run(&format!("c comp fail:fail\n{inside}"));
        assert_eq!((got.as_str(), ended), (*trace, *mode), "{name}: {steps}");
    }
}

/// Results travel up.
#[test]
fn results_travel_up() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "ignored at the top",
            "g group\n  a bad fail:fail\nh group fail:fail\n  b ok",
            "a! g! b h",
            "completed",
        ),
        ("the last group's failure is ignored as well", "g group\n  a bad fail:fail", "a! g!", "completed"),
        (
            "pass at the top completes the plan",
            "g group pass:pass\n  a ok\nh group\n  b bad",
            "a g",
            "completed",
        ),
        ("fail at the top", "g group pass:fail\n  a ok\nh group\n  b ok", "a g", "failed"),
        (
            "a failure that jumps",
            "g group fail:k\n  a bad fail:fail\nh group\n  b ok\nk group\n  d ok",
            "a! g! d k",
            "completed",
        ),
        (
            "a loop that fails, ignored by its step",
            "c comp fail:fail\n  l loop target_num:2\n    a bad fail:fail\n  b ok",
            "a[0]! l! b c",
            "completed",
        ),
        (
            "a loop that fails and says so",
            "c comp fail:fail\n  l loop target_num:2 fail:fail\n    a bad fail:fail\n  b ok",
            "a[0]! l! c!",
            "failed",
        ),
        (
            "components before stay",
            "c comp fail:fail\n  a ok\nd comp fail:fail\n  b bad fail:x\n  x ok cleanup\ne comp fail:fail\n  f ok",
            "a c b! x d!",
            "failed",
        ),
        (
            "empty chains pass",
            "g group\nc comp\n  l loop target_num:3\nh group\n  a ok",
            "g l c a h",
            "completed",
        ),
    ];
    for (name, lines, trace, mode) in cases {
        let (got, ended, steps) = run(lines);
        assert_eq!((got.as_str(), ended), (*trace, *mode), "{name}: {steps}");
    }
}

#[test]
fn loops_visit_their_slots() {
    let cases: &[(&str, &str, &str)] = &[
        ("so many times", "target_num:3", "a[0] a[1] a[2] l c"),
        ("from an index on", "target_num:3 start_index:2", "a[2] a[3] a[4] l c"),
        ("no times", "target_num:0", "l c"),
        ("both", "target_num:2 selector:target", "a[0] a[1] l c"),
        ("target", "selector:target", "a[0] a[1] a[2] a[3] l c"),
        ("target from", "selector:target start_index:3", "a[3] l c"),
        ("target beyond", "selector:target start_index:4", "l c"),
        ("old", "selector:old", "a[0] a[1] a[5] l c"),
        ("old from", "selector:old start_index:1", "a[1] a[5] l c"),
        ("new", "selector:new", "a[2] l c"),
        ("new beyond", "selector:new start_index:3", "l c"),
    ];
    const MORE: &str = "# file: model.yaml
doctype: com.datagridsys.doctype/skopos/model
version: 1
components: { c: { image: acme/c:2, replicas: 4 } }
# file: zz-env.yaml
simulation:
  instances:
    c: [ { image: acme/c:1 }, { image: acme/c:1 }, { image: acme/c:1, index: 5 }, { image: acme/c:2, index: 2 } ]
";
    for (name, attributes, trace) in cases {
        let mut bench = Bench::new(&(plan(&format!("c comp\n  l loop {attributes}\n    a ok\n")) + MORE));
        bench.start();
        bench.finish();
        assert_eq!(bench.trace(), *trace, "{name}");
    }
    // Without a model nothing is asked for.
    assert_eq!(run("c comp\n  l loop selector:target\n    a ok\n").0, "l c");
}

#[test]
fn iterations_end_like_chains() {
    let cases: &[(&str, &str, &str)] = &[
        ("pass goes on with the next one", "a ok pass:pass\nb bad fail:fail", "a[0] a[1] l c"),
        ("a failure stops the loop", "a third fail:fail", "a[0]! l! c"),
        ("an ignored failure does not", "a third", "a[0]! a[1]! l c"),
        ("the second one fails", "a ok\nb third pass:fail", "a[0] b[0]! a[1] b[1]! l c"),
        ("cleanup inside", "x ok cleanup", "x[0] l! c"),
    ];
    for (name, chain, trace) in cases {
        let inside: String = chain.lines().map(|line| format!("    {line}\n")).collect();
        let (got, ..) = run(&format!("c comp\n  l loop target_num:2\n{inside}"));
        assert_eq!(got, *trace, "{name}");
    }
    // A loop as a cleanup step: its steps have a boundary of their own.
    let (got, mode, _) =
        run("c comp fail:fail\n  a bad fail:l\n  l loop target_num:2 cleanup\n    x bad\n  y ok cleanup\n");
    assert_eq!((got.as_str(), mode), ("a! x[0]! x[1]! l y c!", "failed"));
}

#[test]
fn every_step_shows_its_result() {
    let lines = "c comp fail:fail\n  a bad fail:x\n  b ok\n  x ok cleanup\nd comp fail:fail\n  l loop target_num:2\n    e ok\n";
    let (_, _, steps) = run(lines);
    assert_eq!(steps, "c=failed a=failed b=skipped x=passed d=skipped l=skipped e=skipped");
    let mut bench = Bench::new(&plan(
        "c comp fail:fail\n  a ok fail:x\n  b ok\n  x ok cleanup\nd comp\n  l loop target_num:2\n    e ok\n  f gate\n",
    ));
    assert_eq!(
        bench.steps(),
        "c=pending a=pending b=pending x=pending d=pending l=pending e=pending f=pending"
    );
    bench.start();
    assert_eq!(
        bench.steps(),
        "c=running a=running b=pending x=pending d=pending l=pending e=pending f=pending"
    );
    bench.advance_to(2_500);
    assert_eq!(bench.steps(), "c=passed a=passed b=passed x=skipped d=running l=running e=running f=pending");
    bench.finish();
    assert_eq!(bench.steps(), "c=passed a=passed b=passed x=skipped d=running l=passed e=passedx2 f=waiting");
    assert_eq!(bench.app.run.mode, Mode::GateWait);
}

#[test]
fn reentered_steps_show_a_fresh_state() {
    // The group is run twice; the second time it does not skip the steps skipped before.
    let lines = "g group\n  a third fail:fail\n  b ok\nh group fail:g\n  d third fail:fail\n";
    let (trace, mode, steps) = run(lines);
    assert_eq!((trace.as_str(), mode), ("a! g! d! h! a b g d h", "completed"));
    assert_eq!(steps, "g=passedx2 a=passedx2 b=passed h=passedx2 d=passedx2");
}

#[test]
fn an_endless_plan_is_stopped() {
    let (trace, mode, steps) = run("c comp\n  a bad fail:a\n  b ok\n");
    assert_eq!((trace.split(' ').count(), mode), (101, "failed"));
    assert_eq!(steps, "c=failed a=failedx100 b=skipped");
    // Each activation of a chain has its own count.
    let (trace, mode, _) = run("c comp\n  l loop target_num:150\n    a ok\n");
    assert_eq!((trace.split(' ').count(), mode), (152, "completed"));
    // Calls that fail immediately take no time.
    let mut bench = Bench::new(&plan("c comp\n  l loop target_num:999999999\n    a nowhere\n"));
    bench.start();
    assert_eq!(bench.app.run.mode, Mode::Failed);
    let log = bench.log_from(0);
    assert_eq!(
        log.iter().filter(|line| line.contains(" guard ")).collect::<Vec<_>>(),
        ["0 error guard more than 100000 steps were executed: the plan is stopped"]
    );
    assert_eq!(bench.app.run.reason.as_ref().map(crate::run::Reason::word), Some("run-guard"));
    // A loop with nothing in it is nothing, however often.
    assert_eq!(run("c comp\n  l loop target_num:999999999999\n").0, "l c");
}

#[test]
fn the_plan_is_held_at_the_requested_step() {
    // An exit that pauses.
    let mut bench = Bench::new(&plan(
        "c comp fail:fail\n  a bad fail:x,pause,warn\n  b ok\n  x ok cleanup pass:next,info\n",
    ));
    bench.start();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Paused);
    assert_eq!(bench.steps(), "c=running a=failed b=pending x=paused");
    assert_eq!(crate::views::line(&bench.app.run), "paused before x");
    assert_eq!(
        bench.log_from(2),
        [
            "0 info step-start a started",
            "1000 error step-fail a failed: bad exited with code 1",
            "1000 warning flow-warn a failed, continuing with x",
            "1000 info hold paused at the exit of a",
        ]
    );
    assert_eq!(bench.command(&Command::Resume), None);
    bench.finish();
    assert_eq!(
        bench.log_from(6),
        [
            "1000 info resume resumed",
            "1000 info step-start x started",
            "2000 info step-pass x passed",
            "2000 info flow-info x passed, ending the chain with fail",
            "2000 error step-fail c failed",
            "2000 error plan-fail plan failed",
        ]
    );
    // At the exits at the end of a chain, of its parent, and of the plan.
    let mut bench = Bench::new(&plan("g group pass:pass,pause\n  a ok pass:pass,pause\n"));
    bench.start();
    bench.finish();
    assert_eq!((bench.steps().as_str(), bench.app.run.mode), ("g=running a=passed", Mode::Paused));
    assert_eq!(crate::views::line(&bench.app.run), "paused before the end of the plan");
    bench.command(&Command::Resume);
    assert_eq!((bench.steps().as_str(), bench.app.run.mode), ("g=passed a=passed", Mode::Paused));
    bench.command(&Command::Resume);
    assert_eq!(bench.app.run.mode, Mode::Completed);
}

#[test]
fn a_pause_lets_running_work_finish() {
    let mut bench = Bench::new(&plan("g group fail:fail\n  a delay duration:10\n  b ok\n"));
    assert_eq!(bench.command(&Command::Pause), Some("the plan has not been started".into()));
    bench.start();
    bench.advance_to(2_000);
    assert_eq!(bench.command(&Command::Pause), None);
    assert_eq!(bench.app.run.mode, Mode::Running);
    assert_eq!(
        bench.command(&Command::Pause),
        Some("a pause has been asked for: it comes at the next exit".into())
    );
    bench.advance_to(60_000);
    assert_eq!((bench.steps().as_str(), bench.app.run.mode), ("g=running a=passed b=paused", Mode::Paused));
    assert_eq!(
        bench.app.run.trace.iter().last().map(|trace| trace.at.ms()),
        Some(10_000),
        "the delay went on"
    );
    assert_eq!(bench.command(&Command::Resume), None);
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed);
    // A pause can be taken back.
    let mut bench = Bench::new(&plan("g group fail:fail\n  a delay duration:10\n  b ok\n"));
    bench.start();
    bench.command(&Command::Pause);
    assert_eq!(bench.command(&Command::Resume), None);
    assert_eq!(bench.command(&Command::Resume), Some("the plan is running".into()));
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed);
}

#[test]
fn gates_wait_for_a_verdict() {
    let lines = "g group fail:fail\n  a gate message:sure fail:b\n  b ok\n";
    let mut bench = Bench::new(&plan(lines));
    assert_eq!(bench.command(&Command::Gate { step: None, passed: true }), Some("no gate is open".into()));
    bench.start();
    assert_eq!(bench.app.run.mode, Mode::GateWait);
    let other = Command::Gate { step: Some("b".into()), passed: true };
    assert_eq!(bench.command(&other), Some("the open gate is a, not b".into()));
    assert_eq!(bench.command(&Command::Gate { step: Some("a".into()), passed: false }), None);
    bench.finish();
    assert_eq!((bench.trace().as_str(), bench.app.run.mode), ("a! b g", Mode::Completed));
    assert!(bench.log_from(0).contains(&"0 info gate-answer a was answered with fail".to_owned()));
    // A pause that is asked for while it is open comes at its exit.
    let mut bench = Bench::new(&plan(lines));
    bench.start();
    assert_eq!(bench.command(&Command::Pause), None);
    assert_eq!(bench.app.run.mode, Mode::GateWait, "it stays open");
    assert_eq!(bench.command(&Command::Gate { step: None, passed: true }), None);
    assert_eq!((bench.steps().as_str(), bench.app.run.mode), ("g=running a=passed b=paused", Mode::Paused));
}

#[test]
fn one_step_at_a_time() {
    let mut bench =
        Bench::new(&plan("g group fail:fail\nc comp\n  l loop target_num:2\n    a ok\n    b ok\n  d ok\n"));
    let mut seen = Vec::new();
    while bench.command(&Command::Step).is_none() {
        bench.finish();
        seen.push(format!("{} {}", bench.app.run.mode.word(), bench.trace()));
    }
    assert_eq!(
        seen,
        [
            "paused g a[0]",
            "paused g a[0] b[0]",
            "paused g a[0] b[0] a[1]",
            "paused g a[0] b[0] a[1] b[1]",
            "paused g a[0] b[0] a[1] b[1] l d",
            "completed g a[0] b[0] a[1] b[1] l d c",
        ]
    );
}

#[test]
fn interactive_runs_wait_at_errors() {
    let mut bench = Bench::new(&plan("g group fail:fail\n  a bad fail:fail\n"));
    assert_eq!(bench.command(&Command::Start { paused: false, interactive: Some(true) }), None);
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::ErrorWait);
    assert_eq!(crate::views::line(&bench.app.run), "a failed; paused before the end of the plan");
    bench.command(&Command::Resume);
    assert_eq!(bench.app.run.mode, Mode::Failed, "composites that fail do not hold it");
    // One hold, however many reasons there are; the exit's own comes first.
    let mut bench = Bench::new(&plan("g group fail:fail\n  a bad fail:fail,pause\n"));
    bench.command(&Command::Start { paused: false, interactive: Some(true) });
    bench.command(&Command::Pause);
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Paused);
    bench.command(&Command::Resume);
    assert_eq!(bench.app.run.mode, Mode::Failed);
}

#[test]
fn a_start_can_be_held() {
    let mut bench = Bench::new(&plan("g group fail:fail\n  a ok\n"));
    bench.command(&Command::Start { paused: true, interactive: None });
    assert_eq!((bench.steps().as_str(), bench.app.run.mode), ("g=paused a=pending", Mode::Paused));
    bench.command(&Command::Resume);
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed);
}

#[test]
fn cleanup_steps_count_once_entered() {
    let text = format!(
        "{HEAD}steps:\n- id: c\n  class: component\n  steps:\n  - {{id: a, class: action, exec: no, on_fail: x}}\n  - {{id: b, \
         class: delay}}\n  - {{id: x, class: instance-loop, target_num: 3, cleanup: true, steps: [{{id: y, class: delay}}]}}\n"
    );
    let mut bench = Bench::new(&text);
    let counts = |bench: &Bench| {
        let progress = crate::views::view(&bench.app, &|_| None).plans.first().expect("a plan").progress;
        (progress.done, progress.total)
    };
    assert_eq!(counts(&bench), (0, 2));
    bench.start();
    assert_eq!(counts(&bench), (1, 5), "the loop has been entered");
    bench.finish();
    assert_eq!(counts(&bench), (4, 4));
}

#[test]
fn steps_not_entered_in_an_iteration_are_skipped() {
    let text = format!(
        "{HEAD}steps:\n- id: c\n  class: component\n  steps:\n  - id: l\n    class: instance-loop\n    target_num: 2\n    steps:\n    \
         - {{id: a, class: delay, on_pass: pass}}\n    - {{id: b, class: delay}}\n"
    );
    let mut bench = Bench::new(&text);
    bench.start();
    bench.advance_to(1_500);
    let run = bench.app.run.loops.iter().next().expect("a loop").1;
    let cells: Vec<Vec<&str>> =
        run.iterations.iter().map(|one| one.cells.iter().map(|cell| cell.word()).collect()).collect();
    assert_eq!(cells, [["passed", "skipped"], ["running", "pending"]]);
}

#[test]
fn an_abandoned_plan_has_failed() {
    let mut bench = Bench::new(&plan(
        "g group fail:fail\n  a ok\nc comp fail:fail\n  l loop target_num:3 fail:x\n    b ok\n  x ok cleanup\n",
    ));
    bench.start();
    bench.advance_to(2_500);
    assert_eq!(bench.command(&Command::Abandon), None);
    assert_eq!(bench.app.run.mode, Mode::Failed);
    assert_eq!(bench.steps(), "g=passed a=passed c=failed l=failed b=failedx2 x=skipped");
    assert_eq!(bench.trace(), "a g b[0] b[1]! l! c!");
    let log = bench.log_from(0);
    assert_eq!(
        log.get(log.len() - 2..).expect("two lines"),
        ["2500 warning plan-abandon plan abandoned by the operator", "2500 error plan-fail plan failed"]
    );
    assert_eq!(bench.command(&Command::Abandon), Some("the plan is failed: reset it first".into()));
    assert_eq!(
        bench.command(&Command::Start { paused: false, interactive: None }),
        Some("the plan is failed: reset it first".into())
    );
    assert_eq!(bench.command(&Command::Reset), None);
    assert_eq!(bench.steps(), "g=pending a=pending c=pending l=pending b=pending x=pending");
    bench.start();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed);
    // While a leaf runs there is nothing to reset.
    let mut bench = Bench::new(&plan("g group\n  a delay duration:5\n"));
    bench.start();
    assert_eq!(bench.command(&Command::Reset), Some("the plan is running: pause or abandon it first".into()));
}

#[test]
fn ignored_failures_are_reported() {
    let mut bench =
        Bench::new(&plan("c comp\n  a bad\n  b bad fail:next\n  d bad fail:x\n  x bad cleanup\n"));
    bench.start();
    bench.finish();
    let log = bench.log_from(0);
    let told: Vec<&String> = log.iter().filter(|line| line.contains("ignored-failure")).collect();
    assert_eq!(
        told,
        [
            "1000 warning ignored-failure a failed and has no on_fail: the failure is ignored, continuing with b",
            "4000 warning ignored-failure c failed and has no on_fail: the failure is ignored, ending the chain with pass",
        ],
        "neither where next is written nor in a cleanup step"
    );
}

#[test]
fn a_plan_without_steps_passes_immediately() {
    let mut bench = Bench::new(&format!("{HEAD}steps: []\n"));
    assert_eq!(bench.app.run.mode, Mode::Ready);
    bench.start();
    assert_eq!(bench.app.run.mode, Mode::Completed);
    assert_eq!(bench.log_from(0), ["0 info plan-start plan started", "0 info plan-pass plan completed"]);
}
