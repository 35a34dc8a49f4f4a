//! Plans made from a model and what runs: their text, and that they lead where the model says.

#![expect(clippy::format_push_string, reason = "helpers of tests")]

use super::support::{Bench, findings, request};
use crate::commands::Command;
use crate::definition::load;
use crate::run::Mode;

/// A model and an environment.
fn files(model: &str, env: &str) -> String {
    format!(
        "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\n{model}\n# file: env.yaml\ncore_plugin: docker\n{env}\n"
    )
}

const THREE: &str = "components:
  back: { image: acme/back:2.0, replicas: 2 }
  front: { image: acme/front:2.0, replicas: 2, uses: { back: {} } }
  db: { image: acme/db:2.0, singleton: true }
gateways:
  web: { type: load_balancer, target: [front] }
";

/// The generated plan as one line a step: indentation, id, class or call, selector, exits.
fn outline(bench: &Bench) -> String {
    let plan = &bench.app.run.plan;
    let mut out = String::new();
    for (_, step) in plan.steps() {
        let mut depth = 0;
        let mut chain = plan.chain(step.chain);
        while let Some(owner) = chain.and_then(|chain| chain.owner).and_then(|owner| plan.step(owner)) {
            depth += 1;
            chain = plan.chain(owner.chain);
        }
        let what = match &step.class {
            crate::plan::Class::Action(action) => {
                let selector =
                    action.effective_selector().map(|own| format!(" {}", own.written)).unwrap_or_default();
                format!("{}{selector}", action.line())
            }
            crate::plan::Class::Loop { iterate, .. } => {
                let from = if iterate.start_index > 0 {
                    format!(" from {}", iterate.start_index)
                } else {
                    String::new()
                };
                format!("loop {}{from}", iterate.selector.map_or("", crate::plan::Selector::word))
            }
            crate::plan::Class::Component { old_vers, new_ver, .. } => {
                format!("component {old_vers:?} -> {}", new_ver.as_deref().unwrap_or("-"))
            }
            class => class.word().to_owned(),
        };
        let exit = |exit: &crate::plan::Exit, word: &str| {
            let to = match exit.label {
                crate::plan::Label::Next => return String::new(),
                crate::plan::Label::Pass => "pass".to_owned(),
                crate::plan::Label::Fail => "fail".to_owned(),
                crate::plan::Label::Step(id) => {
                    plan.step(id).map_or_else(String::new, |step| step.id.to_string())
                }
            };
            format!(" {word}:{to}")
        };
        out.push_str(&format!(
            "{:indent$}{} {what}{}{}{}\n",
            "",
            step.id,
            if step.cleanup { " cleanup" } else { "" },
            exit(&step.on_pass, "pass"),
            exit(&step.on_fail, "fail"),
            indent = 2 * depth,
        ));
    }
    out
}

#[test]
fn plans_by_kind_of_work() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "an initial deployment",
            THREE,
            "load_balancer_plugin: elb",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
  pre-20 docker image_check fail:fail
  pre-30 docker image_check fail:fail
back component [] -> 2.0 fail:fail
  back-10 loop target pass:pass fail:back-900
    back-10-10 docker inst_create new fail:fail
  back-900 loop new cleanup
    back-900-10 docker inst_destroy new
front component [] -> 2.0 fail:fail
  front-10 loop target pass:pass fail:front-900
    front-10-10 docker inst_create new fail:fail
    front-10-20 elb lb_attach new fail:fail
    front-10-30 elb lb_wait new fail:fail
  front-900 loop new cleanup
    front-900-10 elb lb_detach new
  front-910 loop new cleanup
    front-910-10 docker inst_destroy new
db component [] -> 2.0 fail:fail
  db-10 loop target pass:pass fail:db-900
    db-10-10 docker inst_create new fail:fail
  db-900 loop new cleanup
    db-900-10 docker inst_destroy new
",
        ),
        (
            "an upgrade, a singleton, nothing for what is there",
            THREE,
            "load_balancer_plugin: elb\nsimulation: { instances: { back: { image: 'acme/back:2.0', count: 2 }, front: { image: 'acme/front:1.0', count: 3 }, db: { image: 'acme/db:1.0' } } }",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
  pre-20 docker image_check fail:fail
front component [\"1.0\"] -> 2.0 fail:fail
  front-10 loop target fail:front-900
    front-10-10 docker inst_create new fail:fail
    front-10-20 elb lb_attach new fail:fail
    front-10-30 elb lb_wait new fail:fail
  front-20 loop old fail:front-900
    front-20-10 elb lb_detach old fail:fail
  front-30 loop old pass:pass fail:fail
    front-30-10 docker inst_destroy old fail:fail
  front-900 loop old cleanup
    front-900-10 elb lb_attach old
  front-910 loop new cleanup
    front-910-10 elb lb_detach new
  front-920 loop new cleanup
    front-920-10 docker inst_destroy new
db component [\"1.0\"] -> 2.0 fail:fail
  db-10 docker inst_stop old fail:db-910
  db-20 docker inst_create new fail:db-910
  db-30 docker inst_destroy old pass:pass fail:fail
  db-900 docker inst_destroy new cleanup
  db-910 docker inst_start old cleanup
",
        ),
        (
            "fewer, none, and what the model does not know",
            "components:\n  a: { image: 'x/a:1', replicas: 1 }\n  b: { image: 'x/b:1', replicas: 0 }\ngateways:\n  web: { type: load_balancer, target: [a, b] }\n",
            "load_balancer_plugin: elb\nsimulation: { instances: { a: { image: 'x/a:1', count: 3 }, b: { image: 'x/b:1', count: 2 }, c: [ 'x/c:1', 'x/c:2' ] } }",
            "a component [\"1\"] -> 1 fail:fail
  a-10 loop new from 1 fail:fail
    a-10-10 elb lb_detach new fail:fail
  a-20 loop new from 1 fail:fail
    a-20-10 docker inst_destroy new fail:fail
b component [\"1\"] -> - fail:fail
  b-10 loop old fail:fail
    b-10-10 elb lb_detach old fail:fail
  b-20 loop old fail:fail
    b-20-10 docker inst_destroy old fail:fail
c component [\"1\", \"2\"] -> - fail:fail
  c-10 loop old fail:fail
    c-10-10 docker inst_destroy old fail:fail
",
        ),
        (
            "more of what is there",
            "components:\n  a: { image: 'x/a:1', replicas: 5 }\n",
            "simulation: { instances: { a: { image: 'x/a:1', count: 3 } } }",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
a component [] -> 1 fail:fail
  a-10 loop target from 3 pass:pass fail:a-900
    a-10-10 docker inst_create new fail:fail
  a-900 loop new from 3 cleanup
    a-900-10 docker inst_destroy new
",
        ),
        (
            "half upgraded",
            "components:\n  a: { image: 'x/a:2', replicas: 2 }\n",
            "simulation: { instances: { a: [ 'x/a:1', 'x/a:2' ] } }",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
a component [\"1\"] -> 2 fail:fail
  a-10 loop target from 1 fail:a-900
    a-10-10 docker inst_create new fail:fail
  a-20 loop old pass:pass fail:fail
    a-20-10 docker inst_destroy old fail:fail
  a-900 loop new from 1 cleanup
    a-900-10 docker inst_destroy new
",
        ),
        (
            "a singleton behind a balancer, registered by a plugin",
            "components:\n  a: { image: 'x/a:2', singleton: true }\ngateways:\n  web: { type: load_balancer, target: [a] }\n  port: { type: host_port, target: [a] }\n",
            "load_balancer_plugin: elb\nservice_discovery_plugin: consul\nsimulation: { instances: { a: 'x/a:1' } }",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
a component [\"1\"] -> 2 fail:fail
  a-10 elb lb_detach old fail:a-930
  a-20 consul sd_detach old fail:a-920
  a-30 docker inst_stop old fail:a-910
  a-40 docker inst_create new fail:a-910
  a-50 consul sd_wait_join new fail:a-900
  a-60 elb lb_attach new fail:a-900
  a-70 elb lb_wait new fail:a-900
  a-80 docker inst_destroy old pass:pass fail:fail
  a-900 docker inst_destroy new cleanup
  a-910 docker inst_start old cleanup
  a-920 consul sd_attach old cleanup
  a-930 elb lb_attach old cleanup
",
        ),
        (
            "lifecycle steps and quality gates",
            "components:
  a:
    image: 'x/a:2'
    lifecycle:
      quality_probe:
        steps:
        - exec: { label: Works, arguments: [ gate-ok, '{{.id}}' ] }
        - probe: opsani/probe-http
        - gate: Sure?
      post_component: { steps: [ delay: 5 ] }
lifecycle:
  pre_flight: { steps: [ call: { plugin: docker, action: network_create, label: Network } ] }
  post_flight: { steps: [ exec: tell everybody ] }
",
            "quality_gates: { any: { images: [ 'x/*' ], steps: [ exec: 'gate-any {{.id}}' ] }, other: { images: [ 'y/*' ], steps: [ exec: no ] } }\nsimulation: { scripts: { gate-ok: , gate-any: , tell: } }",
            "preflight group fail:fail
  pre-10 docker image_check fail:fail
  pre-20 docker network_create fail:fail
a component [] -> 2 fail:fail
  a-10 loop target fail:a-900
    a-10-10 docker inst_create new fail:fail
    a-10-20 gate-ok {{.id}} new fail:fail
    a-10-30 probe check new fail:fail
    a-10-40 manual-gate fail:fail
    a-10-50 gate-any {{.id}} new fail:fail
  a-20 delay pass:pass fail:a-900
  a-900 loop new cleanup
    a-900-10 docker inst_destroy new
postflight group fail:fail
  post-10 tell everybody fail:fail
",
        ),
        (
            "ids that are in use",
            "components:\n  a: { image: 'x/a:2' }\n  a-10: { image: 'x/a:2' }\n  preflight: { image: 'x/p:1' }\n",
            "",
            "s-preflight group fail:fail
  pre-10 docker image_check fail:fail
  pre-20 docker image_check fail:fail
a component [] -> 2 fail:fail
  s-a-10 loop target pass:pass fail:a-900
    s-a-10-10 docker inst_create new fail:fail
  a-900 loop new cleanup
    a-900-10 docker inst_destroy new
a-10 component [] -> 2 fail:fail
  a-10-10 loop target pass:pass fail:a-10-900
    a-10-10-10 docker inst_create new fail:fail
  a-10-900 loop new cleanup
    a-10-900-10 docker inst_destroy new
preflight component [] -> 1 fail:fail
  preflight-10 loop target pass:pass fail:preflight-900
    preflight-10-10 docker inst_create new fail:fail
  preflight-900 loop new cleanup
    preflight-900-10 docker inst_destroy new
",
        ),
    ];
    for (name, model, env, wanted) in cases {
        let bench = Bench::new(&files(model, env));
        assert_eq!(outline(&bench), *wanted, "{name}\n{}", bench.app.prepared.text);
    }
}

#[test]
fn teardown_removes_everything_in_reverse() {
    let env = "simulation: { instances: { back: { image: 'acme/back:2.0', count: 2 }, front: { image: 'acme/front:2.0', count: 1 } } }";
    let text = format!("# options: {{\"mode\": \"teardown\"}}\n{}", files(THREE, env));
    let mut bench = Bench::new(&text);
    assert_eq!(
        outline(&bench),
        "front component [\"2.0\"] -> - fail:fail
  front-10 loop old fail:fail
    front-10-10 docker inst_destroy old fail:fail
back component [\"2.0\"] -> - fail:fail
  back-10 loop old fail:fail
    back-10-10 docker inst_destroy old fail:fail
"
    );
    bench.start();
    bench.finish();
    assert_eq!((bench.app.run.mode, bench.instances().as_str()), (Mode::Completed, ""));
}

#[test]
fn order_follows_dependencies() {
    let model = "components:\n  z: { image: a, uses: [y, x] }\n  y: { image: a, uses: { w: } }\n  x: { image: a }\n  w: { image: a, uses: x }\n  v: { image: a, uses: nowhere }\n";
    let bench = Bench::new(&files(model, ""));
    let tops: Vec<String> = outline(&bench)
        .lines()
        .filter(|line| line.contains(" component "))
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect();
    assert_eq!(tops, ["x", "w", "y", "z", "v"]);
}

/// The text as a person reads it.
#[test]
fn the_text_is_an_ordinary_plan() {
    let bench = Bench::new(&files("components:\n  a: { image: 'x/a:1.0' }\n", ""));
    assert_eq!(
        &*bench.app.prepared.text,
        "doctype: 'com.datagridsys.doctype/skopos/deploy-plan'
version: 'alpha/1'

steps:
  -
    id: preflight
    class: group
    steps:
      -
        id: pre-10
        label: \"Check image x/a:1.0 exists\"
        class: action
        plugin: docker
        action: image_check
        arguments: { arg: \"x/a:1.0\" }
        on_fail: fail
    on_fail: fail

  -
    id: a
    class: component
    new_ver: \"1.0\"
    steps:
      -
        id: a-10
        label: \"Create new as\"
        class: instance-loop
        selector: target
        steps:
          -
            id: a-10-10
            label: \"Create new a\"
            class: action
            plugin: docker
            action: inst_create
            arguments: { selector: new }
            on_fail: fail
        on_pass: pass
        on_fail: a-900
      -
        id: a-900
        label: \"Destroy failed new a\"
        class: instance-loop
        selector: new
        steps:
          -
            id: a-900-10
            label: \"Destroy failed new a\"
            class: action
            plugin: docker
            action: inst_destroy
            arguments: { selector: new }
        cleanup: true
    on_fail: fail
"
    );
    // Brought as a plan, it is without errors and warnings.
    let text = format!(
        "{}# file: plan.yaml\n{}",
        files("components:\n  a: { image: 'x/a:1.0' }\n", ""),
        bench.app.prepared.text
    );
    let loaded = load(&request(&text));
    let worse: Vec<String> = findings(&loaded).into_iter().filter(|line| !line.contains(" info[")).collect();
    assert_eq!(worse, Vec::<String>::new());
}

/// Returns whether the instances after a generated plan are those of the model: as many of each component, with its image.
fn as_the_model_says(bench: &Bench) -> bool {
    let model = bench.app.blueprint.definition.model.as_deref().expect("a model");
    let right = |name: &str, image: &str, replicas: u64| {
        let own = bench
            .app
            .instances
            .iter()
            .filter(|(slot, _)| bench.app.blueprint.component_name(slot.component) == name);
        let own: Vec<_> = own.collect();
        own.len() as u64 == replicas
            && own.iter().all(|(_, one)| &*one.image == image && one.state.word() == "running")
    };
    let known = model
        .components
        .iter()
        .all(|own| right(&own.name, own.image.as_deref().unwrap_or_default(), own.replicas));
    known
        && bench
            .app
            .instances
            .iter()
            .all(|(slot, _)| model.component(bench.app.blueprint.component_name(slot.component)).is_some())
}

#[test]
fn instances_are_replaced_in_pairs() {
    const MODEL: &str =
        "components:\n  a: { image: 'x/a:2', replicas: 3 }\ngateways: { web: { target: [a] } }\n";
    for (old, loops, trace) in [
        (
            2,
            "target_num: 2|target from 2|old|old|new|new",
            "new0 lb0 in0 out0 new1 lb1 in1 out1 new2 lb2 in2 gone0 gone1",
        ),
        (
            4,
            "target_num: 3|old from 3|old|old|new|new",
            "new0 lb0 in0 out0 new1 lb1 in1 out1 new2 lb2 in2 out2 out3 gone0 gone1 gone2 gone3",
        ),
    ] {
        let env = format!(
            "# options: {{\"strategy\": \"pairwise\"}}\nload_balancer_plugin: elb\nsimulation: {{ instances: {{ a: {{ image: 'x/a:1', count: {old} }} }} }}"
        );
        let mut bench = Bench::new(&files(MODEL, &env));
        let written = bench.app.prepared.text.to_string();
        let over = written.split("class: instance-loop\n").skip(1).map(|rest| {
            let mut lines = rest.lines().map(str::trim);
            let first = lines.next().unwrap_or_default();
            let first = first.strip_prefix("selector: ").unwrap_or(first);
            let from = lines.next().and_then(|line| line.strip_prefix("start_index: "));
            from.map_or_else(|| first.to_owned(), |from| format!("{first} from {from}"))
        });
        let over: Vec<String> = over.collect();
        assert_eq!(over.join("|"), loops, "{written}");
        bench.start();
        bench.finish();
        assert!(as_the_model_says(&bench), "{}", bench.instances());
        let named = |trace: &crate::run::Trace| {
            let step = bench.app.run.plan.step(trace.step)?;
            let crate::plan::Class::Action(action) = &step.class else { return None };
            let old = action.argument("selector").is_some_and(|it| format!("{it:?}").contains("\"old\""));
            let word = match action.line().split(' ').nth(1)? {
                "inst_create" => "new",
                "lb_attach" => "lb",
                "lb_wait" => "in",
                "lb_detach" if old => "out",
                "inst_destroy" if old => "gone",
                _ => return None,
            };
            Some(format!("{word}{}", trace.index?))
        };
        let done: Vec<String> = bench.app.run.trace.iter().filter_map(named).collect();
        assert_eq!(done.join(" "), trace);
    }
}

#[test]
fn a_failed_pair_restores_the_old_instances() {
    const MODEL: &str =
        "components:\n  a: { image: 'x/a:2', replicas: 2 }\ngateways: { web: { target: [a] } }\n";
    let env = "# options: {\"strategy\": \"pairwise\"}\nload_balancer_plugin: elb\nsimulation: { instances: { a: { image: 'x/a:1', count: 2 } }, \
               faults: [ { action: inst_create, index: 1 } ] }";
    let mut bench = Bench::new(&files(MODEL, env));
    bench.start();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Failed);
    assert_eq!(bench.instances(), "a-o0:old0=running a-o1:old1=running");
    assert!(bench.app.instances.iter().all(|(_, one)| one.balancers.len() == 1), "both are in service again");
}

#[test]
fn generated_plans_lead_to_the_model() {
    let envs = [
        "",
        "simulation: { instances: { back: { image: 'acme/back:1.0', count: 3 } } }",
        "simulation: { instances: { back: { image: 'acme/back:2.0', count: 4 }, front: [ 'acme/front:1.0', 'acme/front:2.0', { image: 'acme/front:2.0', index: 7 } ] } }",
        "simulation: { instances: { db: 'acme/db:1.0', gone: { image: 'x', count: 2 } } }",
        "simulation: { instances: { db: [ 'acme/db:1.0', 'acme/db:1.0' ], back: [ 'acme/back:1', 'acme/back:2.0', 'acme/back:2.0', 'acme/back:2.0' ] } }",
    ];
    for env in envs {
        for plugins in [
            "",
            "load_balancer_plugin: elb\n",
            "load_balancer_plugin: elb\nservice_discovery_plugin: consul\n",
            "# options: {\"strategy\": \"pairwise\"}\nload_balancer_plugin: elb\n",
        ] {
            for machines in [0, 3] {
                let mut bench = Bench::with_machines(&files(THREE, &format!("{plugins}{env}")), machines);
                bench.start();
                bench.finish();
                assert_eq!(bench.app.run.mode, Mode::Completed, "{env} {plugins}\n{:#?}", bench.log_from(0));
                assert!(as_the_model_says(&bench), "{env} {plugins}: {}", bench.instances());
                // After a reset, nothing is left to do.
                assert_eq!(bench.command(&Command::Reset), None);
                assert_eq!(bench.app.run.mode, Mode::NotReady, "{env} {plugins}: {}", bench.instances());
                assert_eq!(
                    bench.command(&Command::Start { paused: false, interactive: None }),
                    Some("there is no plan: nothing is to be done".to_owned())
                );
            }
        }
    }
}

#[test]
fn a_failed_upgrade_restores_the_previous_state() {
    let env = |fault: &str| {
        format!(
            "load_balancer_plugin: elb\nsimulation: {{ instances: {{ back: {{ image: 'acme/back:1.0', count: 2 }}, front: {{ image: 'acme/front:1.0', count: 2 }}, db: {{ image: 'acme/db:1.0' }} }}, faults: [ {fault} ] }}"
        )
    };
    let before = "back-o0:old0=running back-o1:old1=running front-o0:old0=running front-o1:old1=running db-o0:old0=running";
    for (fault, after) in [
        ("{ step: pre-20 }", before),
        ("{ action: inst_create, component: back, index: 1 }", before),
        (
            "{ action: lb_wait, component: front, index: 1 }",
            &before.replace(
                "back-o0:old0=running back-o1:old1=running",
                "back-n0:new0=running back-n1:new1=running",
            ),
        ),
        (
            "{ action: inst_create, component: db }",
            "back-n0:new0=running back-n1:new1=running front-n0:new0=running front-n1:new1=running db-o0:old0=running",
        ),
    ] {
        let mut bench = Bench::with_machines(&files(THREE, &env(fault)), 2);
        bench.start();
        bench.finish();
        assert_eq!(bench.app.run.mode, Mode::Failed, "{fault}");
        assert_eq!(bench.instances(), after, "{fault}\n{:#?}", bench.log_from(0));
        // The next plan continues from there.
        assert_eq!(bench.command(&Command::Reset), None);
        assert_eq!(bench.app.run.mode, Mode::Ready, "{fault}");
    }
}

#[test]
fn a_model_with_errors_has_no_plan() {
    let loaded =
        load(&request(&files("components:\n  a: { image: x, uses: b }\n  b: { image: x, uses: a }\n", "")));
    assert!(loaded.definition.is_none());
    assert_eq!(findings(&loaded), ["4 error[SKO084] Components use each other in a circle: a, b, a"]);
}
