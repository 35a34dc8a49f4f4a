//! Texts, requests and sequences of commands that no one would write on purpose.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

use super::stage::Stage;
use super::support::request;
use planarium_kernel::draw;
use planarium_kudo::Daemon;
use planarium_kudo::definition::Loaded;
use planarium_part::{Definition, Request, System};
use planarium_protocol::input::{LoadService, PlanOp};
use serde_json::Value;

const GOOD: &str = "# file: operator.yaml\nname: shop\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
\x20 - name: web\n    kind: Apply\n    spec:\n      resources: [web.yaml]\n\
\x20 - name: job\n    kind: Apply\n    spec:\n      resources: [job.yaml]\n\
\x20 - name: no-job\n    kind: Delete\n    spec:\n      resources: [job.yaml]\n\
\x20 - name: extra\n    kind: Toggle\n    spec:\n      parameter: EXTRA\n      resources: [web.yaml]\n\
\x20 - { name: soft, kind: Dummy, spec: { wantErr: true } }\n\
plans:\n  deploy:\n    strategy: parallel\n    phases:\n      - name: a\n        strategy: serial\n        steps:\n\
\x20         - { name: web, tasks: [web] }\n          - { name: job, tasks: [no-job] }\n          - { name: again, tasks: [job] }\n\
\x20     - name: b\n        strategy: parallel\n        steps:\n          - { name: extra, tasks: [extra] }\n\
\x20 soft:\n    strategy: serial\n    phases:\n      - name: a\n        strategy: serial\n        steps: [{ name: soft, tasks: [soft] }]\n\
\x20 cleanup:\n    strategy: serial\n    phases:\n      - name: a\n        strategy: serial\n        steps: [{ name: job, tasks: [no-job] }]\n\
# file: params.yaml\nparameters:\n  - name: EXTRA\n    default: \"true\"\n  - name: COUNT\n    type: integer\n    default: 2\n\
\x20 - name: COLOR\n    default: red\n    trigger: soft\n  - name: LIST\n    type: array\n    default: [a, b]\n\
# file: templates/web.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Name }}-web\nspec:\n  replicas: {{ .Params.COUNT }}\n\
\x20 selector:\n    matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n    spec:\n      containers:\n\
\x20       - name: web\n          image: web:1\n          args:\n            {{- range .Params.LIST }}\n            - {{ . | quote }}\n            {{- end }}\n\
# file: templates/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Name }}-job\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n\
\x20     containers: [{ name: job, image: busybox, command: [sleep, '1'], env: [{ name: C, value: {{ .Params.COLOR | quote }} }] }]\n";

fn draw_below(seed: u64, at: u64, below: usize) -> usize {
    let below = u64::try_from(below).expect("small");
    usize::try_from(draw::draw(seed, 1, 2, at) % below).expect("small")
}

/// A package with something cut out, doubled or put in.
fn spoiled(seed: u64) -> LoadService {
    let odd = [
        "{{",
        "}}",
        "{{ range",
        "{{ end }}",
        "- ",
        ": ",
        "\n",
        "\t",
        "&a",
        "*a",
        "!!int",
        "\"",
        "'",
        "[",
        "{",
        "\u{0}",
        "ß",
        "%",
        "---\n",
        "null",
        "{{ template \"x\" }}",
        "{{ define \"x\" }}",
        "1e999",
        "-1",
        "kind: Job",
        "99999999999999999999",
        "{{ .Params.COUNT | repeat 99999999 }}",
        "{{ range until 1000000 }}x{{ end }}",
        "{{ define \"r\" }}{{ template \"r\" }}{{ end }}{{ template \"r\" }}",
        "~",
        "? ",
        "|",
        ">",
    ];
    let mut text: Vec<char> = GOOD.chars().collect();
    for round in 0..=draw_below(seed, 0, 4) {
        let round = u64::try_from(round).expect("small") * 10;
        let at = draw_below(seed, round + 1, text.len());
        match draw_below(seed, round + 2, 3) {
            0 => {
                let end = (at + draw_below(seed, round + 3, 40)).min(text.len());
                text.drain(at..end);
            }
            1 => {
                let word = odd[draw_below(seed, round + 3, odd.len())];
                text.splice(at..at, word.chars());
            }
            _ => {
                let end = (at + draw_below(seed, round + 3, 80)).min(text.len());
                let part: Vec<char> = text[at..end].to_vec();
                text.splice(at..at, part);
            }
        }
    }
    request(&text.into_iter().collect::<String>())
}

#[test]
fn corrupted_packages_are_handled() {
    let mut used = 0;
    for seed in 0..400 {
        let load = spoiled(seed);
        let loaded = Loaded::read(&load);
        for finding in Definition::diagnostics(&loaded) {
            let file = loaded.sources().get(finding.span.file);
            assert!(
                file.is_none_or(|file| finding.span.start as usize <= file.text().len()),
                "{seed}: {finding:?}"
            );
        }
        if !Definition::is_usable(&loaded) {
            let errors = Definition::diagnostics(&loaded).iter().any(planarium_source::Diagnostic::is_error);
            assert!(errors, "{seed}: it cannot be used, and nothing says why");
            continue;
        }
        assert!(Daemon::preview(&loaded).is_some_and(|view| view.is_ok()), "{seed}");
        used += 1;
        let mut stage = Stage::new(2);
        // A refusal is fine; everything admitted runs.
        if stage.load(load).is_ok() {
            stage.run_for(30_000);
            explained(&stage, seed);
        }
    }
    assert!(used > 40, "{used} of them could be used");
}

/// Every unfinished element has an explanation, and the view matches the state.
fn explained(stage: &Stage, seed: u64) {
    for (_, view) in System::views(&stage.daemon) {
        for plan in &view.plans {
            let mut elements = vec![(format!("{}/{}", view.name, plan.name), plan.status.clone())];
            for phase in &plan.phases {
                let path = format!("{}/{}/{}", view.name, plan.name, phase.name);
                elements.extend(
                    phase
                        .steps
                        .iter()
                        .filter(|step| !step.namesake)
                        .map(|step| (format!("{path}/{}", step.name), step.status.clone())),
                );
                elements.push((path, phase.status.clone()));
            }
            for (element, status) in
                elements.into_iter().filter(|(element, _)| element.matches('/').count() < 4)
            {
                let why = stage.why(&element);
                assert_eq!(why.status, status, "{seed}: {element}");
                assert!(!why.reasons.is_empty() && !why.sentence.is_empty(), "{seed}: {element}");
                let complete = why
                    .reasons
                    .iter()
                    .any(|reason| reason.kind == planarium_protocol::why::ReasonKind::Complete);
                assert_eq!(complete, &*status == "COMPLETE", "{seed}: {element} {why:?}");
            }
        }
    }
}

#[test]
fn random_commands_keep_invariants() {
    for seed in 0..24 {
        let mut stage = Stage::new(3);
        for at in 1..25 {
            let pick = |what: u64, below: usize| draw_below(seed + 1000, at * 10 + what, below);
            let values = ["true", "false", "3", "0", "-1", "x", "", "[]", "[c]", "{"];
            let value = Value::from(values[pick(1, values.len())]);
            let name = ["EXTRA", "COUNT", "COLOR", "LIST", "NOPE"][pick(2, 5)];
            // A refused command leaves the world unchanged.
            let _ = match pick(0, 9) {
                0 | 1 => stage.load(request(GOOD)).map(drop),
                2 => stage.remove("shop", pick(3, 4) == 0).map(drop),
                3 => stage
                    .plan("shop", ["deploy", "soft", "cleanup", "nope"][pick(3, 4)], PlanOp::Start)
                    .map(drop),
                4 => stage.plan("shop", ["deploy", "soft"][pick(3, 2)], PlanOp::Restart).map(drop),
                5 | 6 => {
                    let mut load =
                        LoadService { dialect: "kudo".into(), name: "shop".into(), ..LoadService::default() };
                    load.params.insert(name.into(), value);
                    stage.update(load).map(drop)
                }
                7 => {
                    let text = GOOD.replace("\"1.0.0\"", &format!("\"1.{at}.0\""));
                    stage.update(request(&text)).map(drop)
                }
                _ => {
                    let objects = ["jobs/shop-job", "deployments/shop-web"];
                    let path = format!(
                        "/kube/apis/{}/v1/namespaces/default/{}",
                        ["batch", "apps"][pick(3, 2)],
                        objects[pick(3, 2)]
                    );
                    stage.send(&Request::new("DELETE", &path, ""));
                    Ok(())
                }
            };
            stage.run_for(u64::try_from(pick(4, 8)).expect("small") * 700);
            explained(&stage, seed);
        }
        // A copy behaves like the original.
        let mut copy = stage.clone();
        stage.run_for(20_000);
        copy.run_for(20_000);
        assert_eq!(stage.shown(), copy.shown());
    }
}

#[test]
fn requests_of_any_shape_are_answered() {
    let bodies = [
        "",
        "{}",
        "null",
        "[]",
        "1",
        "\"x\"",
        "{\"kind\":\"Instance\"}",
        "{\"metadata\":1}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":1}",
        "{\"apiVersion\":\"kudo.dev/v1beta1\",\"kind\":\"Instance\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"operatorVersion\":7,\"parameters\":[]}}",
        "{\"spec\":{\"planExecution\":[]}}",
        "{\"spec\":{\"parameters\":{\"COUNT\":3}}}",
        "{\"spec\":null}",
        "{\"metadata\":{\"finalizers\":7}}",
        "{\"spec\":{\"operatorVersion\":{\"name\":\"nope\"}}}",
        "not json",
    ];
    let paths = [
        "",
        "/",
        "/api",
        "/api/v1",
        "/api/v1/pods",
        "/apis/kudo.dev/v1beta1/instances",
        "/apis/kudo.dev/v1beta1/namespaces/default/instances",
        "/apis/kudo.dev/v1beta1/namespaces/default/instances/shop",
        "/apis/kudo.dev/v1beta1/namespaces/default/instances/shop/status",
        "/apis/kudo.dev/v1beta1/namespaces/default/operatorversions/shop-1.0.0",
        "/apis/kudo.dev/v1beta1/namespaces/x/instances",
        "/apis/nope/v1/things",
        "/api/v1/namespaces/default",
        "/api/v1/namespaces",
        "/a/b/c/d/e/f/g",
    ];
    let kinds = [
        "",
        "application/json",
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/strategic-merge-patch+json",
    ];
    let mut stage = Stage::new(2);
    stage.load(request(GOOD)).expect("installed");
    stage.run_for(5000);
    for path in paths {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
            for (at, body) in bodies.iter().enumerate() {
                let mut request = Request::new(method, &format!("/kube{path}?labelSelector=a=="), *body);
                request.headers.push(("content-type".into(), kinds[at % kinds.len()].into()));
                let mut world = stage.clone();
                let response = world.send(&request);
                assert!((200..600).contains(&response.status), "{method} {path} {body}: {}", response.status);
                if at % 5 == 0 {
                    world.run_for(3000);
                }
            }
        }
    }
}
