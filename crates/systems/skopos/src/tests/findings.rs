//! Every finding with its line.

#![expect(clippy::useless_format, reason = "helpers of tests")]

use super::support::{HEAD, findings, request};
use crate::definition::load;

/// Findings of a request as `line CODE`, those of the given severities.
fn codes(text: &str, severities: &[&str]) -> Vec<String> {
    let loaded = load(&request(text));
    let shown = findings(&loaded);
    let coded = shown.iter().filter(|line| severities.iter().any(|word| line.contains(&format!(" {word}["))));
    coded
        .map(|line| {
            let (at, rest) = line.split_once(' ').expect("a line");
            let code = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect("a code").0;
            format!("{at} {code}")
        })
        .collect()
}

fn check(name: &str, text: &str, severities: &[&str], wanted: &[&str]) {
    let loaded = load(&request(text));
    assert_eq!(codes(text, severities), wanted, "{name}\n{text}\n{:#?}", findings(&loaded));
}

const ERRORS: &[&str] = &["error"];
const WARNINGS: &[&str] = &["warning"];

/// Documents that are refused, whole.
#[test]
fn headers_and_documents() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("nothing", "\n", &["1 SKO014"]),
        ("a list", "- a\n- b\n", &["1 SKO014"]),
        ("a text", "hello\n", &["1 SKO014"]),
        ("no header at all", "steps: []\n", &["1 SKO010", "1 SKO011"]),
        ("only a name", "name: x\n", &["1 SKO010", "1 SKO011", "1 SKO012"]),
        ("no steps", HEAD, &["1 SKO012"]),
        (
            "a model whose variables are no YAML",
            "# by hand\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  a: { image: x, replicas: ${n-2} }\n",
            &["2 SKO010"],
        ),
        (
            "a plan that breaks off",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nsteps: [\n",
            &["2 YAML001"],
        ),
        (
            "steps are nothing",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n",
            &[],
        ),
        (
            "steps are empty",
            "doctype: 'com.datagridsys.doctype/skopos/deploy-plan'\nversion: \"alpha/1\"\nsteps: []\n",
            &[],
        ),
        (
            "steps are a mapping",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n  a: 1\n",
            &["4 SKO012"],
        ),
        (
            "another doctype",
            "version: alpha/1\ndoctype: com.datagridsys.doctype/skopos/plan\nsteps: []\n",
            &["2 SKO010"],
        ),
        (
            "doctype in capitals",
            "version: alpha/1\ndoctype: COM.datagridsys.doctype/skopos/deploy-plan\nsteps: []\n",
            &["2 SKO010"],
        ),
        (
            "another version",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/2\nsteps: []\n",
            &["2 SKO011"],
        ),
        (
            "version as a number",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: 1\nsteps: []\n",
            &["2 SKO011"],
        ),
        (
            "empty version",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion:\nsteps: []\n",
            &["1 SKO011"],
        ),
        (
            "everything wrong, steps not looked at",
            "doctype: x\nversion: y\nsteps: [1]\n",
            &["1 SKO010", "2 SKO011"],
        ),
        ("not YAML", "doctype: x\n  version: [\nsteps: {\n", &["2 YAML001"]),
        (
            "a key twice",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps: []\nversion: alpha/1\n",
            &["4 YAML006"],
        ),
        (
            "a model",
            "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents: {}\n",
            &["1 SKO010"],
        ),
        ("a model without doctype", "components:\n  a: {image: b}\n", &["1 SKO010"]),
        ("a compose file", "version: '3'\nservices:\n  a: {image: b}\n", &["1 SKO010"]),
        ("an environment file", "core_plugin: docker\nvars: {a: 1}\n", &["1 SKO010"]),
        ("a Kubernetes object", "apiVersion: v1\nkind: Pod\n", &["1 SKO010"]),
        ("a service of another system", "name: x\npods: {}\n", &["1 SKO010"]),
    ];
    for (name, text, wanted) in cases {
        check(name, text, ERRORS, wanted);
    }
}

/// Steps after the header's two lines and `steps:`, so that the first one is in line 4.
#[test]
fn refused_steps() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("a step is a text", "- hello\n", &["4 SKO013"]),
        ("a step is nothing", "-\n- {id: a, class: group, steps: []}\n", &["4 SKO013"]),
        ("no id", "- class: group\n  steps: []\n", &["4 SKO020"]),
        ("an empty id", "- label: x\n  id: ''\n  class: group\n", &["4 SKO020"]),
        ("an id that is a list", "- id: [a]\n  class: group\n", &["4 SKO020"]),
        ("no class", "- id: a\n  label: b\n", &["4 SKO022"]),
        ("an empty class", "- id: a\n  class:\n", &["4 SKO022"]),
        ("no id and no class", "- label: a\n", &["4 SKO020", "4 SKO022"]),
        ("an id twice at the top", "- {id: a, class: group}\n- {id: a, class: group}\n", &["5 SKO021"]),
        (
            "an id twice across chains",
            "- id: a\n  class: group\n  steps:\n  - {id: x, class: delay}\n- id: b\n  class: group\n  steps:\n  - id: x\n    class: delay\n",
            &["11 SKO021"],
        ),
        ("ids differ in case", "- {id: a, class: group}\n- {id: A, class: group}\n", &[]),
        ("unknown class", "- id: a\n  class: stage\n", &["5 SKO023"]),
        ("class in capitals", "- id: a\n  class: Group\n", &["5 SKO023"]),
        (
            "children of an unknown class are not looked at",
            "- id: a\n  class: stage\n  steps:\n  - {class: delay}\n  - {id: a, class: x}\n",
            &["5 SKO023"],
        ),
        ("an action at the top", "- id: a\n  class: action\n  exec: x\n", &["5 SKO024"]),
        ("a delay at the top", "- id: a\n  class: delay\n", &["5 SKO024"]),
        ("a gate at the top", "- id: a\n  class: manual-gate\n", &["5 SKO024"]),
        ("a loop at the top", "- id: a\n  class: instance-loop\n  target_num: 1\n", &["5 SKO024"]),
        (
            "a group in a group",
            "- id: a\n  class: group\n  steps:\n  - id: b\n    class: group\n",
            &["8 SKO024"],
        ),
        (
            "a component in a component",
            "- id: a\n  class: component\n  steps:\n  - id: b\n    class: component\n",
            &["8 SKO024"],
        ),
        (
            "a loop in a group",
            "- id: a\n  class: group\n  steps:\n  - id: b\n    class: instance-loop\n    target_num: 1\n",
            &["8 SKO024"],
        ),
        (
            "a loop in a loop",
            "- id: a\n  class: component\n  steps:\n  - id: b\n    class: instance-loop\n    target_num: 1\n    steps:\n    - id: c\n      class: instance-loop\n      target_num: 1\n",
            &["12 SKO025"],
        ),
        (
            "a group in a loop",
            "- id: a\n  class: component\n  steps:\n  - id: b\n    class: instance-loop\n    target_num: 1\n    steps:\n    - id: c\n      class: group\n",
            &["12 SKO024"],
        ),
        (
            "children of a misplaced step are looked at",
            "- id: a\n  class: group\n  steps:\n  - id: b\n    class: group\n    steps:\n    - {id: a, class: delay}\n",
            &["8 SKO024", "10 SKO021"],
        ),
        ("cleanup at the top", "- id: a\n  class: group\n  cleanup: true\n", &["6 SKO026"]),
        ("cleanup as YAML 1.1 writes it", "- id: a\n  class: group\n  cleanup: Yes\n", &["6 SKO026"]),
        ("no cleanup at the top", "- id: a\n  class: group\n  cleanup: off\n", &[]),
        ("cleanup in quotes", "- id: a\n  class: group\n  cleanup: \"true\"\n", &["6 SKO029"]),
        ("cleanup as a number", "- id: a\n  class: group\n  cleanup: 1\n", &["6 SKO029"]),
        ("cleanup as y", "- id: a\n  class: group\n  cleanup: y\n", &["6 SKO029"]),
        ("steps of a group are a mapping", "- id: a\n  class: group\n  steps: {b: 1}\n", &["6 SKO012"]),
    ];
    for (name, body, wanted) in cases {
        check(name, &format!("{HEAD}steps:\n{body}"), ERRORS, wanted);
    }
}

/// Steps of a component step; the first of them begins in line 7.
#[test]
fn loops_and_numbers() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("neither count nor selector", "  - id: l\n    class: instance-loop\n", &["8 SKO027"]),
        ("start_index alone", "  - id: l\n    class: instance-loop\n    start_index: 1\n", &["8 SKO027"]),
        ("empty selector", "  - id: l\n    class: instance-loop\n    selector:\n", &["8 SKO027"]),
        ("unknown selector", "  - id: l\n    class: instance-loop\n    selector: all\n", &["9 SKO028"]),
        ("selector in capitals", "  - id: l\n    class: instance-loop\n    selector: Old\n", &["9 SKO028"]),
        ("selector is a list", "  - id: l\n    class: instance-loop\n    selector: [old]\n", &["9 SKO028"]),
        ("count in quotes", "  - id: l\n    class: instance-loop\n    target_num: \"2\"\n", &["9 SKO029"]),
        (
            "count with a fraction",
            "  - id: l\n    class: instance-loop\n    target_num: 2.5\n",
            &["9 SKO029"],
        ),
        ("count as a word", "  - id: l\n    class: instance-loop\n    target_num: two\n", &["9 SKO029"]),
        (
            "count as a template",
            "  - id: l\n    class: instance-loop\n    target_num: {{n}}\n",
            &["9 SKO029"],
        ),
        ("count below zero", "  - id: l\n    class: instance-loop\n    target_num: -1\n", &["9 SKO030"]),
        (
            "count far below zero",
            "  - id: l\n    class: instance-loop\n    target_num: -99999999999999999999\n",
            &["9 SKO030"],
        ),
        (
            "count too large",
            "  - id: l\n    class: instance-loop\n    target_num: 99999999999999999999\n",
            &["9 SKO030"],
        ),
        ("count zero", "  - id: l\n    class: instance-loop\n    target_num: 0\n", &[]),
        (
            "start_index below zero",
            "  - id: l\n    class: instance-loop\n    selector: old\n    start_index: -2\n",
            &["10 SKO030"],
        ),
        (
            "start_index in quotes",
            "  - id: l\n    class: instance-loop\n    selector: old\n    start_index: '2'\n",
            &["10 SKO029"],
        ),
        ("duration below zero", "  - id: d\n    class: delay\n    duration: -0.5\n", &["9 SKO030"]),
        ("duration in quotes", "  - id: d\n    class: delay\n    duration: '2'\n", &["9 SKO029"]),
        ("duration as a word", "  - id: d\n    class: delay\n    duration: 2s\n", &["9 SKO029"]),
        ("duration is infinite", "  - id: d\n    class: delay\n    duration: .inf\n", &["9 SKO029"]),
        (
            "duration too large",
            "  - id: d\n    class: delay\n    duration: 99999999999999999999\n",
            &["9 SKO030"],
        ),
        ("duration with a fraction", "  - {id: d, class: delay, duration: 0.25}\n", &[]),
        ("duration in base 16", "  - {id: d, class: delay, duration: 0x1E}\n", &[]),
        (
            "duration in base 16, too large",
            "  - id: d\n    class: delay\n    duration: 0x7fffffffffffffff\n",
            &["9 SKO030"],
        ),
        (
            "duration in base 16, in quotes",
            "  - id: d\n    class: delay\n    duration: '0x1E'\n",
            &["9 SKO029"],
        ),
        ("duration left out", "  - {id: d, class: delay, duration: }\n", &[]),
    ];
    for (name, body, wanted) in cases {
        check(name, &format!("{HEAD}steps:\n- id: c\n  class: component\n  steps:\n{body}"), ERRORS, wanted);
    }
}

/// Exits of the first step of a group, which begins in line 7; the exit is in line 9.
#[test]
fn refused_exits() {
    const AROUND: &str = "- id: g\n  class: group\n  steps:\n";
    const OTHER: &str = "  - {id: b, class: delay}\n- id: h\n  class: component\n  steps:\n  - {id: x, class: delay}\n  - id: l\n    class: instance-loop\n    target_num: 1\n    steps:\n    - {id: y, class: delay}\n";
    let cases: &[(&str, &str, &[&str])] = &[
        ("next", "next", &[]),
        ("blanks everywhere", "' b ,\tpause ,, warn, '", &[]),
        ("null", "~", &[]),
        ("unknown", "nowhere", &["9 SKO032"]),
        ("special label in capitals", "FAIL", &["9 SKO032"]),
        ("a parent", "g", &["9 SKO033"]),
        ("another chain", "x", &["9 SKO033"]),
        ("into a loop", "y", &["9 SKO033"]),
        ("a top-level step", "h", &["9 SKO033"]),
        ("no label", "', pause'", &["9 SKO031"]),
        ("empty text", "''", &["9 SKO031"]),
        ("a list", "[b, pause]", &["9 SKO031"]),
        ("a mapping", "{b: pause}", &["9 SKO031"]),
        ("a number as an id", "10", &["9 SKO032"]),
        ("a sibling with flags", "b,pause", &[]),
    ];
    for (name, exit, wanted) in cases {
        let body = format!("{AROUND}  - id: a\n    class: delay\n    on_fail: {exit}\n{OTHER}");
        check(name, &format!("{HEAD}steps:\n{body}"), ERRORS, wanted);
        let body = format!("{AROUND}  - id: a\n    class: delay\n    on_pass: {exit}\n{OTHER}");
        check(name, &format!("{HEAD}steps:\n{body}"), ERRORS, wanted);
    }
    let both = "- id: c\n  class: component\n  steps:\n  - id: l\n    class: instance-loop\n    target_num: 1\n    steps:\n    - {id: p, class: delay, on_pass: q}\n    - {id: q, class: delay, on_fail: c}\n    - {id: r, class: delay, on_fail: zz}\n    - {id: s, class: delay, on_pass: s}\n";
    let wanted = &["11 SKO034", "12 SKO033", "13 SKO032", "14 SKO034"];
    check("exits in a loop", &format!("{HEAD}steps:\n{both}"), ERRORS, wanted);
    let top = "- {id: a, class: group, on_fail: b}\n- {id: b, class: group, on_pass: zz, on_fail: [x]}\n";
    check("exits at the top", &format!("{HEAD}steps:\n{top}"), ERRORS, &["5 SKO031", "5 SKO032"]);
}

/// All errors of a document at once, by line and code.
#[test]
fn all_errors_at_once() {
    let body = "- id: a\n  class: group\n  cleanup: true\n  on_fail: nowhere\n  steps:\n  - {id: a, class: delay, duration: -1}\n  - {class: action}\n  - {id: c, class: loop}\n- 7\n";
    let wanted = &["6 SKO026", "7 SKO032", "9 SKO021", "9 SKO030", "10 SKO020", "11 SKO023", "12 SKO013"];
    check("all", &format!("{HEAD}steps:\n{body}"), ERRORS, wanted);
}

/// Warnings of a group's steps; the first begins in line 7.
#[test]
fn warnings_in_steps() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("a typo", "  - id: a\n    class: delay\n    on_fial: fail\n", &["9 SKO040"]),
        ("an attribute of another class", "  - id: a\n    class: delay\n    message: hello\n", &["9 SKO040"]),
        ("steps of an action", "  - id: a\n    class: delay\n    steps: []\n", &["9 SKO040"]),
        ("a cut exit", "  - {id: a, class: delay, on_fail: fail, pause}\n", &["7 SKO041"]),
        ("warn as a key", "  - id: a\n    class: delay\n    warn: true\n", &["9 SKO041"]),
        ("unknown sub-attribute", "  - id: a\n    class: delay\n    on_pass: next, puase\n", &["9 SKO043"]),
        (
            "sub-attribute in capitals",
            "  - id: a\n    class: delay\n    on_pass: next, Pause\n",
            &["9 SKO043"],
        ),
        ("warn and info", "  - id: a\n    class: delay\n    on_pass: next, warn, info\n", &["9 SKO044"]),
        ("back to itself", "  - id: a\n    class: delay\n    on_pass: a\n", &["9 SKO045"]),
        (
            "never reached",
            "  - {id: a, class: delay, on_pass: fail}\n  - id: b\n    class: delay\n",
            &["8 SKO047"],
        ),
        (
            "a delay never fails",
            "  - {id: a, class: delay, on_pass: fail, on_fail: b}\n  - id: b\n    class: delay\n",
            &["8 SKO047"],
        ),
        (
            "a cleanup step that nobody names",
            "  - {id: a, class: delay}\n  - id: b\n    class: delay\n    cleanup: true\n",
            &["8 SKO047"],
        ),
        (
            "reached by a failure",
            "  - {id: a, class: manual-gate, on_pass: pass, on_fail: b}\n  - {id: b, class: delay}\n",
            &[],
        ),
        ("unusual id", "  - {id: g.preflight, class: delay}\n", &["7 SKO050"]),
        ("id with a blank", "  - {id: a b, class: delay}\n", &["7 SKO050"]),
        ("reserved id", "  - {id: next, class: delay}\n", &["7 SKO051"]),
        ("scalars of YAML as ids", "  - {id: 10, class: delay}\n  - {id: yes, class: delay}\n", &[]),
        ("no call", "  - id: a\n    class: action\n", &["7 SKO054"]),
        ("a plugin without action", "  - id: a\n    class: action\n    plugin: docker\n", &["7 SKO054"]),
        ("an action without plugin", "  - id: a\n    class: action\n    action: x\n", &["7 SKO054"]),
        ("an empty exec", "  - id: a\n    class: action\n    exec: ''\n", &["7 SKO054"]),
        (
            "plugin and exec",
            "  - id: a\n    class: action\n    plugin: docker\n    action: network_create\n    exec: x\n",
            &["11 SKO040"],
        ),
        (
            "a plugin that does not exist",
            "  - id: a\n    class: action\n    plugin: dokcer\n    action: x\n",
            &["9 SKO055"],
        ),
        (
            "an action that does not exist",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_chekc\n    arguments: {arg: x}\n",
            &["10 SKO056"],
        ),
        (
            "an action of platforms that know services",
            "  - id: a\n    class: action\n    plugin: docker\n    action: inst_deploy_all_async\n",
            &["10 SKO056"],
        ),
        (
            "a script that does not exist",
            "  - id: a\n    class: action\n    exec: nowhere --fast\n",
            &["9 SKO057"],
        ),
        (
            "a script with arguments in a list",
            "  - id: a\n    class: action\n    exec: [nowhere, 1]\n",
            &["9 SKO057"],
        ),
        (
            "an unknown argument",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n    arguments:\n      arg: x\n      imgae: y\n",
            &["13 SKO058"],
        ),
        (
            "a missing argument",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n",
            &["10 SKO059"],
        ),
        (
            "arguments as a text",
            "  - id: a\n    class: action\n    plugin: docker\n    action: network_create\n    arguments: x\n",
            &["11 SKO060"],
        ),
        ("a label as a list", "  - id: a\n    class: delay\n    label: [x]\n", &["9 SKO060"]),
        (
            "an unknown variable",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n    arguments:\n      arg: '{{.vars.x}}'\n",
            &["12 SKO061"],
        ),
        (
            "a variable of components",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n    arguments: {arg: '{{.image}}'}\n",
            &["11 SKO062"],
        ),
        (
            "a pipeline",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n    arguments: {arg: '{{.project | upper}}'}\n",
            &["11 SKO065"],
        ),
        (
            "a template without quotes",
            "  - id: a\n    class: action\n    plugin: docker\n    action: image_check\n    arguments: {arg: {{.x}}}\n",
            &["11 SKO065"],
        ),
    ];
    for (name, body, wanted) in cases {
        check(name, &format!("{HEAD}steps:\n- id: g\n  class: group\n  steps:\n{body}"), WARNINGS, wanted);
    }
}

/// Warnings of a component's steps; the first begins in line 7. The model has the component `back`, the environment a
/// script and some variables.
#[test]
fn warnings_in_components() {
    const MORE: &str = "# file: model.yaml
doctype: com.datagridsys.doctype/skopos/model
version: 1
components: { back: { image: acme/back:2.0, replicas: 2 } }
# file: env.yaml
vars: { timeout: 30, my-var: 1 }
simulation: { scripts: { ok: }, plugins: { mine: { actions: { do_it: } } } }
";
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "a loop with both",
            "  - id: l\n    class: instance-loop\n    target_num: 2\n    selector: target\n    steps: [{id: x, class: delay}]\n",
            &["10 SKO049"],
        ),
        (
            "an empty loop",
            "  - id: l\n    class: instance-loop\n    target_num: 2\n    steps: []\n",
            &["10 SKO048"],
        ),
        ("a loop without steps", "  - id: l\n    class: instance-loop\n    target_num: 2\n", &["7 SKO048"]),
        (
            "no selector",
            "  - id: a\n    class: action\n    plugin: docker\n    action: inst_create\n",
            &["10 SKO059"],
        ),
        (
            "the selector of the step",
            "  - id: a\n    class: action\n    plugin: docker\n    action: inst_create\n    selector: new\n",
            &["11 SKO060"],
        ),
        (
            "an index outside loops",
            "  - id: a\n    class: action\n    exec: 'ok {{.index}}'\n",
            &["9 SKO062"],
        ),
        ("an id without selector", "  - id: a\n    class: action\n    exec: 'ok {{.id}}'\n", &["9 SKO062"]),
        (
            "an id with selector",
            "  - id: a\n    class: action\n    exec: 'ok {{.id}}'\n    selector: new\n",
            &[],
        ),
        (
            "an id with a selector among the arguments",
            "  - id: a\n    class: action\n    exec: 'ok {{.id}}'\n    arguments: {selector: new}\n",
            &[],
        ),
        (
            "deprecated",
            "  - id: a\n    class: action\n    exec: 'ok {{.new}} {{.old_ip}}'\n",
            &["9 SKO064", "9 SKO064"],
        ),
        ("bare", "  - id: a\n    class: action\n    exec: 'ok {{.timeout}}'\n", &["9 SKO063"]),
        ("a hyphen", "  - id: a\n    class: action\n    exec: 'ok {{.vars.my-var}}'\n", &["9 SKO066"]),
        (
            "attributes of the model",
            "  - id: a\n    class: action\n    exec: 'ok {{.Model.Components.back.Image}}'\n",
            &[],
        ),
        (
            "an attribute that the model has not",
            "  - id: a\n    class: action\n    exec: 'ok {{.Model.Components.front.Image}}'\n",
            &["9 SKO061"],
        ),
        (
            "a plugin of one's own",
            "  - id: a\n    class: action\n    plugin: mine\n    action: do_it\n    arguments: {any: thing}\n",
            &[],
        ),
        (
            "an action that it has not",
            "  - id: a\n    class: action\n    plugin: mine\n    action: do_that\n",
            &["10 SKO056"],
        ),
    ];
    for (name, body, wanted) in cases {
        let text = format!("{HEAD}steps:\n- id: back\n  class: component\n  steps:\n{body}{MORE}");
        check(name, &text, WARNINGS, wanted);
    }
    let text =
        format!("{HEAD}steps:\n- id: front\n  class: component\n  steps: [{{id: x, class: delay}}]\n{MORE}");
    check("an unknown component", &text, WARNINGS, &["4 SKO053"]);
    let text = format!(
        "{HEAD}steps:\n- id: b\n  class: component\n  component: back\n  steps: [{{id: x, class: delay}}]\n{MORE}"
    );
    check("another id", &text, WARNINGS, &["6 SKO052"]);
    let text = format!(
        "{HEAD}steps:\n- id: b\n  class: component\n  component: bakc\n  steps: [{{id: x, class: delay}}]\n{MORE}"
    );
    check("both", &text, WARNINGS, &["6 SKO052", "6 SKO053"]);
    let text = format!(
        "{HEAD}extra: 1\nsteps:\n- {{id: a, class: group, steps: [], on_fail: b}}\n- {{id: b, class: group, steps: []}}\n{MORE}"
    );
    check("at the top", &text, WARNINGS, &["3 SKO040", "5 SKO046", "5 SKO048", "6 SKO048"]);
}

/// Pieces of information: failures that would be ignored, and shapes that the original page cannot draw.
#[test]
fn information() {
    const INFO: &[&str] = &["info"];
    const MODEL: &str = "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents: { c: { image: x:1 } }\n";
    const F: &str = "on_fail: fail";
    let cases: &[(&str, &str, &[&str])] = &[
        ("every class but delay", "  - {id: a, class: manual-gate}\n  - {id: b, class: delay}\n", &["4 SKO042", "7 SKO042"]),
        ("cleanup steps may", &format!("  - {{id: a, class: manual-gate, on_fail: b, on_pass: pass}}\n  - {{id: b, class: manual-gate, cleanup: true}}\n  {F}\n").replace("  on_fail: fail\n", ""), &["4 SKO042"]),
        ("an id where the order says it", &format!("  - {{id: a, class: delay, on_pass: b}}\n  - {{id: b, class: manual-gate, {F}}}\n"), &["4 SKO042", "7 SKO070"]),
        ("a cleanup step that names one", &format!("  - {{id: a, class: manual-gate, on_fail: b}}\n  - {{id: b, class: delay, cleanup: true, on_pass: d}}\n  - {{id: d, class: delay, cleanup: true}}\n"), &["4 SKO042", "8 SKO070"]),
        ("cleanup in a loop", "  - id: l\n    class: instance-loop\n    target_num: 1\n    on_fail: fail\n    steps:\n    - id: x\n      class: delay\n      cleanup: true\n", &["4 SKO042", "14 SKO071"]),
        (
            "a second loop with two steps",
            "  - {id: l, class: instance-loop, target_num: 1, on_fail: fail, steps: [{id: x, class: delay}, {id: y, class: delay}]}\n  - {id: m, class: instance-loop, target_num: 1, on_fail: fail, steps: [{id: p, class: delay}, {id: q, class: delay}]}\n",
            &["4 SKO042", "8 SKO072"],
        ),
        (
            "a cleanup loop with two steps",
            "  - {id: a, class: manual-gate, on_fail: m}\n  - {id: m, class: instance-loop, cleanup: true, target_num: 1, steps: [{id: p, class: delay}, {id: q, class: delay}]}\n",
            &["4 SKO042", "8 SKO073"],
        ),
        (
            "two blocks",
            "  - {id: a, class: manual-gate, on_fail: m}\n  - {id: m, class: delay, cleanup: true}\n  - {id: b, class: manual-gate, on_fail: n}\n  - id: n\n    class: delay\n    cleanup: true\n",
            &["4 SKO042", "10 SKO074"],
        ),
    ];
    for (name, body, wanted) in cases {
        let text = format!("{HEAD}steps:\n- id: c\n  class: component\n  steps:\n{body}{MODEL}");
        check(name, &text, INFO, wanted);
    }
    let text = format!(
        "{HEAD}steps:\n- {{id: c, class: component, on_fail: fail, steps: [{{id: x, class: delay}}]}}\n"
    );
    check("no model", &text, INFO, &["1 SKO004"]);
    let text = format!(
        "{HEAD}steps:\n- {{id: c, class: group, on_fail: fail, steps: [{{id: x, class: action, plugin: docker, action: image_check, arguments: {{arg: '${{v}}'}}, on_fail: fail}}]}}\n"
    );
    check("the model's form of variables", &text, INFO, &["4 SKO067"]);
}

/// Models and environments.
#[test]
fn models_and_environments() {
    const DOC: &str = "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\n";
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "a plan as the model",
            "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps: []\n",
            &["1 SKO080"],
        ),
        ("a list as the model", "# file: model.yaml\n- a\n", &["1 SKO080"]),
        ("no doctype", "# file: model.yaml\ncomponents: {}\n", &["1 SKO080"]),
        (
            "another version",
            "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 2\ncomponents: {}\n",
            &["2 SKO080"],
        ),
        ("no components", DOC, &["1 SKO081"]),
        ("components as a list", &format!("{DOC}components: [a]\n"), &["3 SKO081"]),
        ("a component as a text", &format!("{DOC}components:\n  a: x\n"), &["4 SKO081"]),
        (
            "replicas as a word",
            &format!("{DOC}components:\n  a: {{image: x, replicas: two}}\n"),
            &["4 SKO081"],
        ),
        (
            "replicas below zero",
            &format!("{DOC}components:\n  a: {{image: x, replicas: -1}}\n"),
            &["4 SKO081"],
        ),
        (
            "too many replicas",
            &format!("{DOC}components:\n  a: {{image: x, replicas: 9999999}}\n"),
            &["4 SKO081"],
        ),
        (
            "names that no step can have",
            &format!("{DOC}components:\n  'a,b': {{image: x}}\n  '': {{image: x}}\n  ' c': {{image: x}}\n"),
            &["4 SKO081", "5 SKO081", "6 SKO081"],
        ),
        (
            "a component that does not exist",
            &format!("{DOC}components:\n  a: {{image: x, uses: {{bb: }}}}\n"),
            &["4 SKO083"],
        ),
        (
            "a gateway to nowhere",
            &format!("{DOC}components:\n  a: {{image: x}}\ngateways:\n  g: {{target: [b]}}\n"),
            &["6 SKO083"],
        ),
        (
            "a circle",
            &format!("{DOC}components:\n  a: {{image: x, uses: {{b: }}}}\n  b: {{image: x, uses: [a]}}\n"),
            &["4 SKO084"],
        ),
        ("a typo", &format!("{DOC}components:\n  a: {{imgae: x}}\n"), &["4 SKO085"]),
        (
            "a lifecycle step",
            &format!(
                "{DOC}components:\n  a: {{image: x}}\nlifecycle:\n  pre_flight:\n    steps:\n    - call: {{plugin: x}}\n"
            ),
            &["8 SKO086"],
        ),
        (
            "replicas without a value",
            &format!("{DOC}components:\n  a: {{image: x, replicas: \"${{n}}\"}}\n"),
            &["4 SKO082"],
        ),
        (
            "variables without a value",
            &format!(
                "{DOC}components:\n  a: {{image: '${{reg}}/a:${{ver}}', replicas: ${{n-2}}}}\n  b: {{image: ${{reg}}/b}}\n"
            ),
            &["4 SKO082", "4 SKO082"],
        ),
        ("in a comment", &format!("{DOC}components:\n  a: {{image: x}} # ${{reg}}\n"), &[]),
        (
            "the model's own variables",
            &format!("{DOC}vars: {{reg: acme}}\ncomponents:\n  a: {{image: '${{reg}}/a'}}\n"),
            &[],
        ),
        (
            "a fault without outcome",
            "# file: env.yaml\nsimulation:\n  faults:\n  - {outcome: explode}\n",
            &["1 SKO001", "3 SKO090"],
        ),
        (
            "a name twice",
            &format!(
                "{DOC}components: {{}}\n# file: env.yaml\nsimulation:\n  scripts: {{x: }}\n  plugins:\n    x: {{actions: {{}}}}\n"
            ),
            &["4 SKO091"],
        ),
        (
            "a typo of the environment",
            &format!("{DOC}components: {{}}\n# file: env.yaml\ncore_plugn: docker\n"),
            &["1 SKO092"],
        ),
        (
            "a typo of the simulation",
            &format!("{DOC}components: {{}}\n# file: env.yaml\nsimulation: {{regsitry: []}}\n"),
            &["1 SKO092"],
        ),
        (
            "an instance without image",
            &format!(
                "{DOC}components: {{}}\n# file: env.yaml\nsimulation:\n  instances:\n    a: [{{index: 0}}]\n"
            ),
            &["3 SKO090"],
        ),
        ("an unknown option", &format!("# options: {{\"mod\": 1}}\n{DOC}components: {{}}\n"), &["1 SKO006"]),
        (
            "an unknown mode",
            &format!("# options: {{\"mode\": \"up\"}}\n{DOC}components: {{}}\n"),
            &["1 SKO006"],
        ),
        (
            "a model as the environment",
            &format!("{DOC}components: {{}}\n# file: env.yaml\ncomponents: {{a: }}\n"),
            &["1 SKO090"],
        ),
    ];
    for (name, text, wanted) in cases {
        check(name, text, &["error", "warning"], wanted);
    }
}

/// The words of a few findings, with their help.
#[test]
fn findings_suggest_a_fix() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "- {id: a, class: group, on_fial: fail}\n",
            "Step 'a' of class group has no attribute 'on_fial': it is ignored",
            "did you mean 'on_fail'?",
        ),
        ("- {id: a, class: Grup}\n", "The class 'Grup' of step 'a' does not exist", "did you mean 'group'?"),
        (
            "- {id: a, class: group, on_fail: FAIL}\n",
            "'on_fail' of step 'a' leads to 'FAIL', which does not exist",
            "write 'fail' in lower case",
        ),
        (
            "- {id: a, class: group, on_fail: fail, pause}\n",
            "The comma before 'pause' ends the exit of step 'a': pause is lost",
            "put the exit in quotes, such as \"fail, pause\"",
        ),
        (
            "- {id: a, class: group, steps: [{id: b, class: delay, duration: '2'}]}\n",
            "'duration' of step 'b' must be a number of seconds, but is the text '2'",
            "write a number of seconds without quotes",
        ),
    ];
    for (body, message, help) in cases {
        let loaded = load(&request(&format!("{HEAD}steps:\n{body}")));
        let found = (*loaded.diagnostics).clone().into_sorted();
        let one = found.iter().find(|finding| finding.message == *message);
        let one = one.unwrap_or_else(|| panic!("{message}\n{:#?}", findings(&loaded)));
        assert_eq!(one.help.as_deref(), Some(*help), "{message}");
    }
    let model = "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents: {a: {image: x:1}}\n";
    let loaded = load(&request(model));
    assert_eq!(findings(&loaded), ["1 error[SKO010] This is a Skopos model, not a deployment plan"]);
    let named = load(&request(&format!("# file: model.yaml\n{model}")));
    assert!(findings(&named).is_empty() && named.definition.is_some(), "under its own name its plan is made");
}

/// Texts as people really have them.
#[test]
fn common_real_world_forms_are_read() {
    let text = "doctype: 'com.datagridsys.doctype/skopos/deploy-plan'\nversion: 'alpha/1'\n\nsteps:\n  -\n    id: preflight\n    class: group\n    steps:\n      -\n        id: pre-10\n        label: \"Check\"\n        class: action\t\t# a tab before the comment\n        plugin: ec2-docker\n        action: image_check\n        arguments: { arg: \"yourrepo/front:2.0\" }\n        on_fail: fail\n    on_fail: fail\n...\n";
    check("the reference's fragment", text, &["error", "warning", "info"], &[]);
    let model = "# file: model.yaml
doctype: \"com.datagridsys.doctype/skopos/model\"
version: 1
components:
    nginx:
        image    : acme/lb:1.0
        replicas : ${lb_count:-1} \t\t# tabs
        singleton: true
        uses:
            vote : {}
        visual:
            x: 300
            y: 80
    vote:
        image: acme/vote:${vote_ver-2.0}
        replicas: ${vote_count}
        lifecycle:
            quality_probe:
                steps:
                    - exec:
                        label: \"Verify\"
                        arguments: [ \"gate-vote-ok\", \"{{.id}}\" ]
                    - probe: opsani/probe-http
        visual: { x: 600, \"y\": 80 }
    no: { image: x:1, replicas: \"0\" }
gateways:
    in:
        type: load_balancer
        target: [nginx]
        exposes:
            - port: \"${port-80}/tcp\"
# file: bin/gate-vote-ok
#!/bin/sh
# file: env-all.yaml
vars: { vote_count: 3 }
# file: env-common.yaml
core_plugin              : docker
vars: { vote_count: 0 }
";
    check("a model", model, &["error", "warning"], &[]);
    let loaded = load(&request(model));
    let model = loaded.definition.expect("a definition").model.clone().expect("a model");
    let counts: Vec<(&str, u64)> = model.components.iter().map(|own| (&*own.name, own.replicas)).collect();
    assert_eq!(counts, [("nginx", 1), ("vote", 3), ("no", 0)], "common files go first");
}
