//! Models and environments as read, and findings in generated plans.

use super::support::{Bench, HEAD, findings, request};
use crate::definition::{load, load_beside};
use crate::views::drawing;

const DOC: &str = "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\n";

/// Findings above information level, as `line severity[CODE] message`.
fn found(text: &str) -> Vec<String> {
    let shown = findings(&load(&request(text)));
    shown.into_iter().filter(|line| !line.contains(" info[")).collect()
}

/// Checks that each finding begins as given.
fn check(text: &str, wanted: &[&str]) {
    let shown = found(text);
    let same = shown.len() == wanted.len()
        && shown.iter().zip(wanted).all(|(shown, wanted)| shown.starts_with(*wanted));
    assert!(same, "{text}\n{shown:#?}\n{wanted:#?}");
}

#[test]
fn variables_of_environment_files_are_replaced() {
    let model = format!("{DOC}components:\n  back: {{ image: acme/back:2.0 }}\n");
    let env = "# file: env.yaml\ncore_plugin: ${plugin-docker}\nvars: { code: 7 }\n";
    let simulation = "simulation: { scripts: { look: { exit: ${code}, stderr: '${said}' } } }\n";
    check(&format!("{model}{env}{simulation}# env: said=no\n"), &[]);
    check(
        &format!("{model}{env}{simulation}"),
        &["3 error[SKO094] The variable 'said' of the environment has no value"],
    );
    let loaded = load(&request(&format!("{model}{env}{simulation}")));
    assert_eq!(loaded.missing, ["said"]);
    // One file gives another's, the load command goes before both.
    let layers = "# file: env-base.yaml\nvars: { who: docker, other: x }\n# file: env-live.yaml\ncore_plugin: ${who}\n";
    let bench = Bench::new(&format!("{model}{layers}"));
    assert_eq!(bench.app.blueprint.definition.env.core_plugin.as_deref(), Some("docker"));
    let bench = Bench::new(&format!("{model}{layers}# env: who=k8s\n"));
    assert_eq!(bench.app.blueprint.definition.env.core_plugin.as_deref(), Some("k8s"));
}

#[test]
fn generated_plans_are_checked_like_given_ones() {
    let model = format!(
        "{DOC}components:
  back:
    image: acme/back:2.0
    lifecycle:
      quality_probe:
        steps:
        - exec: chekc {{{{.id}}}}
        - call: {{ plugin: docker, action: comp_signal, arguments: {{ component: back }} }}
        - exec: 'check {{{{.vars.nowhere}}}}'
  bare: {{ replicas: 2 }}
lifecycle:
  pre_flight:
    steps:
    - call: {{ plugin: dokcer, action: network_create }}
# file: env.yaml
simulation: {{ scripts: {{ check: }} }}
"
    );
    check(
        &model,
        &[
            "9 warning[SKO057] The script 'chekc'",
            "10 warning[SKO059] 'docker comp_signal'",
            "11 warning[SKO061] .vars.nowhere",
            "12 warning[SKO087] The component 'bare' has no image",
            "16 warning[SKO055] The plugin 'dokcer'",
        ],
    );
    let brought = format!(
        "{HEAD}steps:\n- id: bare\n  class: component\n  on_fail: fail\n  steps:\n  - {{ id: a, class: action, plugin: docker, action: inst_create, \
         arguments: {{ selector: new }}, on_fail: fail }}\n{DOC}components: {{ bare: }}\n"
    );
    check(&brought, &["4 warning[SKO087] The component 'bare' has no image"]);
}

#[test]
fn other_documents_with_components_are_not_models() {
    let plan = format!("{HEAD}steps: []\n");
    let api = "# file: api.yaml\nopenapi: 3.0.0\ncomponents: { schemas: { Pet: { type: object } } }\n";
    let shown = findings(&load(&request(&format!("{plan}{api}"))));
    assert!(shown.iter().any(|line| line.contains("[SKO005] 'api.yaml'")), "{shown:#?}");
    check(&format!("{plan}{api}"), &[]);
    // A model without its doctype is one all the same.
    let shown =
        found(&format!("{plan}# file: shop.yaml\ncomponents: {{ back: {{ image: acme/back:2.0 }} }}\n"));
    assert!(shown.iter().any(|line| line.contains("[SKO080]")), "{shown:#?}");
}

#[test]
fn a_missing_value_is_reported_once() {
    for value in
        ["image: ${a}:${b}", "image: '${a}:${b}'", "image: x, replicas: ${a}, uses: ${b}", "${a}: ${b}"]
    {
        check(
            &format!("{DOC}components:\n  back: {{ {value} }}\n"),
            &["4 error[SKO082] The variable 'a'", "4 error[SKO082] The variable 'b'"],
        );
    }
}

#[test]
fn calls_are_shown_with_their_arguments() {
    let text = format!(
        "{HEAD}steps:\n- id: g\n  class: group\n  on_fail: fail\n  steps:\n  - {{ id: a, class: action, plugin: docker, action: image_check, \
         arguments: {{ arg: 'acme/{{{{.project}}}}:2.0' }}, on_fail: fail }}\n  - {{ id: b, class: action, exec: look, arguments: [1, 'two words'], on_fail: fail }}\n"
    );
    let bench = Bench::new(&text);
    let drawn = drawing(&bench.app);
    let calls: Vec<String> = drawn
        .chains
        .iter()
        .flat_map(|chain| &chain.nodes)
        .filter_map(|node| node.call.as_deref().map(str::to_owned))
        .collect();
    assert_eq!(calls, ["docker image_check arg=acme/{{.project}}:2.0", "look 1 'two words'"]);
}

#[test]
fn mistyped_hooks_are_reported() {
    let back =
        |hooks: &str| format!("{DOC}components:\n  back:\n    image: acme/back:2.0\n    lifecycle:\n{hooks}");
    let gate = "        steps:\n        - gate: Is it well?\n";
    for (hooks, wanted) in [
        (
            format!("      quality_prob:\n{gate}"),
            "7 warning[SKO085] The lifecycle of 'back' has no event 'quality_prob'",
        ),
        (
            format!("      pre_flight:\n{gate}"),
            "7 warning[SKO085] The lifecycle of 'back' has no event 'pre_flight'",
        ),
        (
            "      steps:\n      - gate: Is it well?\n".to_owned(),
            "7 warning[SKO085] The lifecycle of 'back' has no event 'steps'",
        ),
        (
            "      quality_probe:\n        setps:\n        - gate: Is it well?\n".to_owned(),
            "8 warning[SKO085] 'quality_probe' has no attribute 'setps'",
        ),
        (
            "      quality_probe:\n      - gate: Is it well?\n".to_owned(),
            "8 warning[SKO086] 'quality_probe' must be a mapping",
        ),
        (
            "      quality_probe:\n        steps:\n        - exce: look\n".to_owned(),
            "9 warning[SKO086] This lifecycle step",
        ),
    ] {
        check(&back(&hooks), &[wanted]);
        let told =
            load(&request(&back(&hooks))).findings().into_iter().next().and_then(|finding| finding.help);
        assert!(told.is_some_and(|help| !help.is_empty()), "{hooks}");
    }
    let app = format!(
        "{DOC}components: {{ back: {{ image: a }} }}\nlifecycle:\n  preflight:\n    steps:\n    - gate: Now?\n"
    );
    check(&app, &["5 warning[SKO085] The lifecycle of the application has no event 'preflight'"]);
    let env = format!(
        "{DOC}components: {{ back: {{ image: a }} }}\n# file: env.yaml\nquality_gates:\n  all:\n    image: ['*']\n    steps:\n    - gate: Now?\n"
    );
    check(&env, &["3 warning[SKO092] The quality gate 'all' has no attribute 'image'"]);
}

#[test]
fn running_components_are_known() {
    let text = format!(
        "{HEAD}steps:\n- id: gone\n  class: component\n  on_fail: fail\n  steps:\n  - {{ id: a, class: delay }}\n{DOC}components: {{ back: {{ image: a }} }}\n"
    );
    check(&text, &["4 warning[SKO053]"]);
    let beside = load_beside(&request(&text), &|name| name == "gone");
    assert!(!findings(&beside).iter().any(|line| line.contains("SKO053")), "{:#?}", findings(&beside));
}

/// The reference of the block `simulation` loads as printed, and contains every key.
#[test]
fn the_simulation_reference_is_complete() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/simulation.md"))
        .expect("a page");
    let example =
        page.split("```yaml\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("an example");
    let model = "components: { back: { image: acme/back:2.0 } }\ngateways: { web: { type: load_balancer, target: [back] } }\n";
    check(&format!("{DOC}{model}# file: env.yaml\n{example}\n"), &[]);
    for keys in crate::definition::env::SIMULATION_KEYS {
        for key in *keys {
            assert!(page.contains(&format!("`{key}`")), "{key} is not on the page");
        }
    }
}

/// Returns the first column of the table below a heading.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<&'p str> {
    let section = page.split("\n## ").find(|section| section.lines().next() == Some(heading));
    let lines = section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("| `"));
    lines.filter_map(|line| line.split('`').next()).collect()
}

#[test]
fn the_reference_lists_exactly_the_known_options_and_attributes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/reference/skopos.md");
    let page = std::fs::read_to_string(path).expect("a page");
    assert_eq!(rows(&page, "Options of a load"), crate::definition::OPTIONS);
    assert_eq!(rows(&page, "Attributes of an environment file"), crate::definition::files::ENV_KEYS);
}

#[test]
fn an_options_file_is_not_part_of_the_application() {
    let text = format!(
        "{DOC}components: {{ back: {{ image: a }} }}\n# file: env.yaml\ncore_plugin: docker\n# file: options.json\n{{\"replace_all\": true}}\n# options: {{\"replace_all\": true}}\n"
    );
    let loaded = load(&request(&text));
    assert_eq!(findings(&loaded), [""; 0]);
    assert!(loaded.definition.expect("a definition").options.replace_all);
}

#[test]
fn an_application_is_named_after_its_folder() {
    for (path, name) in [
        ("shop/model.yaml", "shop"),
        ("a/my-shop/model.yaml", "my-shop"),
        ("model.yaml", "app"),
        ("../model.yaml", "app"),
    ] {
        let mut request = request(&format!(
            "# file: {path}\n{}components: {{ back: {{ image: a }} }}\n",
            DOC.split_once('\n').expect("a line").1
        ));
        request.name.clear();
        let loaded = load(&request);
        assert_eq!((&*loaded.name, loaded.nameless), (name, true), "{path}");
    }
}

#[test]
fn usual_companion_files_are_named() {
    let plan = format!("{HEAD}steps: []\n");
    let called = format!(
        "{HEAD}steps:\n- id: g\n  class: group\n  on_fail: fail\n  steps:\n  - {{ id: a, class: action, exec: look, on_fail: fail }}\n"
    );
    let model = format!("{DOC}components: {{ back: {{ image: 'a:${{v}}' }} }}\n");
    for (text, wanted) in [
        (plan.as_str(), &["model.yaml", "model.yml", "env.yaml", "env.yml"][..]),
        (&called, &["model.yaml", "model.yml", "env.yaml", "env.yml", "scripts/", "bin/"]),
        (&model, &["env.yaml", "env.yml"]),
        (&format!("{plan}{DOC}components: {{}}\n# file: env.yaml\ncore_plugin: docker\n"), &[]),
    ] {
        assert_eq!(load(&request(text)).beside, wanted, "{text}");
    }
}
