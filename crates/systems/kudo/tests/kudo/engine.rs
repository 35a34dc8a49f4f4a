//! Plans: tasks, statuses, order, failures.

#![expect(clippy::format_collect, reason = "helpers of tests")]

use super::script::Play;

/// A package: tasks and plans as they stand in operator.yaml, parameters, and templates after `# file:` lines.
fn package(tasks: &str, plans: &str, params: &str, templates: &str) -> String {
    format!(
        "# file: operator.yaml\napiVersion: kudo.dev/v1beta1\nname: shop\noperatorVersion: \"1.0.0\"\n\
         kubernetesVersion: 1.16.0\ntasks:\n{tasks}plans:\n{plans}\
         # file: params.yaml\napiVersion: kudo.dev/v1beta1\nparameters:\n{params}{templates}"
    )
}

/// A plan with one phase of steps, each with one task of the same name unless others are given.
fn plan(name: &str, strategy: &str, steps: &[&str]) -> String {
    let steps: String = steps
        .iter()
        .map(|step| {
            let (step, tasks) = step.split_once('=').unwrap_or((step, step));
            format!("          - {{ name: {step}, tasks: [{tasks}] }}\n")
        })
        .collect();
    format!(
        "  {name}:\n    strategy: serial\n    phases:\n      - name: main\n        strategy: {strategy}\n        steps:\n{steps}"
    )
}

const CONFIG: &str = "# file: templates/config.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}-config\n\
                      data:\n  plan: {{ .PlanName }}\n  phase: {{ .PhaseName }}\n  step: {{ .StepName }}\n  name: {{ .OperatorName }}\n\
                      \x20 color: {{ .Params.COLOR | quote }}\n";

const WEB: &str = "# file: templates/web.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Name }}-web\nspec:\n\
                   \x20 replicas: 2\n  selector:\n    matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n\
                   \x20   spec:\n      containers:\n        - name: web\n          image: web:1\n          env:\n\
                   \x20           - name: COLOR\n              value: {{ .Params.COLOR | quote }}\n";

const COLOR: &str = "  - name: COLOR\n    default: red\n";

fn apply(name: &str, files: &str) -> String {
    format!("  - name: {name}\n    kind: Apply\n    spec:\n      resources: [{files}]\n")
}

fn delete(name: &str, files: &str) -> String {
    apply(name, files).replace("kind: Apply", "kind: Delete")
}

fn dummy(name: &str, spec: &str) -> String {
    format!("  - name: {name}\n    kind: Dummy\n    spec: {{ {spec} }}\n")
}

#[test]
fn apply_creates_objects_and_waits_until_they_are_healthy() {
    let text = package(
        &(apply("config", "config.yaml") + &apply("web", "web.yaml")),
        &plan("deploy", "serial", &["config", "web"]),
        COLOR,
        &format!("{CONFIG}{WEB}"),
    );
    Play::new(&text).play(
        "
        load
        run 0
        is deploy IN_PROGRESS
        is deploy/main/config COMPLETE
        is deploy/main/web IN_PROGRESS
        says deploy/main/web: deployment \"shop-web\"
        has configmap/shop-config /data/plan deploy
        has configmap/shop-config /data/step config
        has configmap/shop-config /data/name shop
        has configmap/shop-config /metadata/labels/heritage kudo
        has configmap/shop-config /metadata/labels/kudo.dev~1operator shop
        has configmap/shop-config /metadata/labels/kudo.dev~1instance shop
        has configmap/shop-config /metadata/annotations/kudo.dev~1plan deploy
        has deployment/shop-web /spec/template/metadata/annotations/kudo.dev~1operator-version 1.0.0
        has configmap/shop-config /metadata/ownerReferences/0/kind Instance
        has configmap/shop-config /metadata/ownerReferences/0/controller true
        has deployment/shop-web /spec/template/metadata/labels/kudo.dev~1instance shop
        has instance/shop /status/conditions/0/reason PlanInProgress
        until deploy COMPLETE
        has deployment/shop-web /status/readyReplicas 2
        has instance/shop /spec/planExecution {}
        has instance/shop /status/conditions/0/reason ResourcesReady
        events PlanStarted
        events PlanFinished
        because deploy: It is complete
        remove
        run 60
        gone instance/shop
        gone deployment/shop-web
        gone configmap/shop-config
        there operatorversion/shop-1.0.0
        ",
    );
}

#[test]
fn serial_waits_and_parallel_does_not() {
    // Strategy of the phase, and the status of the second step while the first one never ends.
    for (strategy, second) in [("serial", "PENDING"), ("parallel", "COMPLETE")] {
        let text = package(
            &(dummy("never", "done: false") + &dummy("done", "done: true")),
            &plan("deploy", strategy, &["one=never", "two=done"]),
            "  []\n",
            "",
        );
        Play::new(&text).play(&format!(
            "
            load
            run 10
            is deploy IN_PROGRESS
            is deploy/main IN_PROGRESS
            is deploy/main/one IN_PROGRESS
            is deploy/main/two {second}
            because deploy/main/one: Task never is a Dummy that is never done
            "
        ));
    }
}

#[test]
fn phases_without_a_strategy_run_in_parallel() {
    let plans = "  deploy:\n    phases:\n      - name: a\n        strategy: serial\n        steps: [{ name: s, tasks: [never] }]\n\
                 \x20     - name: b\n        strategy: serial\n        steps: [{ name: s, tasks: [fine] }]\n";
    let text = package(&(dummy("never", "done: false") + &dummy("fine", "done: true")), plans, "  []\n", "");
    Play::new(&text)
        .play("load\n run 3\n is deploy/a/s IN_PROGRESS\n is deploy/b COMPLETE\n is deploy IN_PROGRESS");
}

#[test]
fn transient_errors_are_retried_and_fatal_ones_end_the_plan() {
    let text = package(
        &(dummy("soft", "wantErr: true") + &dummy("fine", "done: true")),
        &plan("deploy", "parallel", &["a=soft", "b=fine"]),
        "  []\n",
        "",
    );
    Play::new(&text).play(
        "
        load
        run 20
        is deploy IN_PROGRESS
        is deploy/main IN_PROGRESS
        is deploy/main/a ERROR
        is deploy/main/b COMPLETE
        says deploy/main/a: A transient error when executing task deploy.main.a.soft. Will retry. dummy error
        because deploy/main/a: A transient error
        ",
    );
    let text = package(
        &(dummy("hard", "wantErr: true, fatal: true") + &dummy("fine", "done: true")),
        &(plan("deploy", "parallel", &["a=hard", "b=fine"]) + &plan("again", "serial", &["b=fine"])),
        "  []\n",
        "",
    );
    Play::new(&text).play(
        "
        load
        run 20
        is deploy FATAL_ERROR
        is deploy/main FATAL_ERROR
        is deploy/main/a FATAL_ERROR
        is deploy/main/b PENDING
        says deploy/main/a: Error during execution: fatal error: default/shop failed in deploy.main.a.hard: dummy error
        has instance/shop /spec/planExecution {}
        events DummyTaskError
        because deploy/main/a: Error during execution
        start again
        run 5
        is again COMPLETE
        start deploy
        run 5
        is deploy FATAL_ERROR
        ",
    );
}

#[test]
fn a_toggle_applies_or_deletes() {
    let toggle = "  - name: extra\n    kind: Toggle\n    spec:\n      parameter: EXTRA\n      resources: [config.yaml]\n";
    let params = format!("{COLOR}  - name: EXTRA\n    default: \"true\"\n");
    let text = package(toggle, &plan("deploy", "serial", &["extra"]), &params, CONFIG);
    Play::new(&text).play(
        "
        load
        until deploy COMPLETE
        there configmap/shop-config
        set EXTRA=false
        until deploy COMPLETE
        gone configmap/shop-config
        set EXTRA=0
        until deploy COMPLETE
        set EXTRA=yes
        until deploy FATAL_ERROR
        says deploy/main/extra: Error during execution: fatal error: default/shop failed in deploy.main.extra.extra: could not parse value
        set EXTRA=T
        until deploy COMPLETE
        there configmap/shop-config
        ",
    );
}

#[test]
fn a_delete_removes_existing_objects() {
    let nothing = "# file: templates/nothing.yaml\n{{ if false }}x: 1{{ end }}\n";
    let unknown =
        "# file: templates/unknown.yaml\napiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: x\n";
    let tasks = apply("config", "config.yaml")
        + &delete("gone", "config.yaml, unknown.yaml")
        + "  - name: none\n    kind: Delete\n    spec: {}\n"
        + &apply("nothing", "nothing.yaml")
        + &apply("unknown", "unknown.yaml");
    let text = package(
        &tasks,
        &(plan("deploy", "serial", &["config", "gone", "nothing"])
            + &plan("odd", "serial", &["unknown"])
            + &plan("empty", "serial", &["none"])),
        COLOR,
        &format!("{CONFIG}{nothing}{unknown}"),
    );
    Play::new(&text).play(
        "
        load
        until deploy COMPLETE
        gone configmap/shop-config
        start odd
        until odd FATAL_ERROR
        start empty
        until empty FATAL_ERROR
        says empty/main/none: default/shop fatal error:  failed to build task empty.main.none.none: task validation error: delete task 'none' has an empty resource list
        says odd/main/unknown: Error during execution: fatal error: default/shop failed in odd.main.unknown.unknown: 
        ",
    );
}

#[test]
fn failing_templates_end_the_plan_with_their_position() {
    let bad = "# file: templates/bad.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Params.COLOR | nindent \"x\" }}\n";
    let text = package(&apply("bad", "bad.yaml"), &plan("deploy", "serial", &["bad"]), COLOR, bad);
    Play::new(&text).play(
        "
        load
        until deploy FATAL_ERROR
        says deploy/main/bad: Error during execution: fatal error: default/shop failed in deploy.main.bad.bad: error expanding template bad.yaml: error rendering template: template: bad.yaml:4:
        ",
    );
}

#[test]
fn a_crd_serves_its_kind_from_the_next_step_on() {
    let crd = "# file: templates/crd.yaml\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n\
               \x20 name: things.example.org\nspec:\n  group: example.org\n  scope: Namespaced\n  names: { kind: Thing, listKind: ThingList, plural: things, singular: thing }\n\
               \x20 versions:\n    - name: v1\n      served: true\n      storage: true\n      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }\n";
    let thing = "# file: templates/thing.yaml\napiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: {{ .Name }}-thing\nspec: { a: 1 }\n";
    let tasks =
        apply("crd", "crd.yaml") + &apply("thing", "thing.yaml") + &apply("both", "crd.yaml, thing.yaml");
    let text =
        package(&tasks, &plan("deploy", "serial", &["crd", "thing"]), "  []\n", &format!("{crd}{thing}"));
    Play::new(&text).play("load\n until deploy COMPLETE\n there crd/things.example.org");
    let text = package(&tasks, &plan("deploy", "serial", &["both"]), "  []\n", &format!("{crd}{thing}"));
    Play::new(&text).play("load\n until deploy FATAL_ERROR");
}

#[test]
fn a_plan_that_applies_a_crd_runs_again_without_an_error() {
    let crd = |label: &str| {
        format!(
            "# file: templates/crd.yaml\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n\
             \x20 name: things.example.org\n  labels: {{ color: {label} }}\nspec:\n  group: example.org\n  scope: Namespaced\n\
             \x20 names: {{ kind: Thing, plural: things }}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n\
             \x20     schema: {{ openAPIV3Schema: {{ type: object, description: {label}, x-kubernetes-preserve-unknown-fields: true }} }}\n"
        )
    };
    let thing = "# file: templates/thing.yaml\napiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: {{ .Name }}-thing\n\
                 spec: { color: {{ .Params.COLOR }} }\n";
    let tasks = apply("crd", "crd.yaml") + &apply("thing", "thing.yaml");
    // One definition follows the parameter, the other one stays unchanged.
    for (label, last) in [("\"{{ .Params.COLOR }}\"", "blue"), ("red", "red")] {
        let plans = plan("deploy", "serial", &["crd", "thing"]);
        let mut play = Play::new(&package(&tasks, &plans, COLOR, &format!("{}{thing}", crd(label))));
        play.play("load\n until deploy COMPLETE\n keep run instance/shop /status/planStatus/deploy/uid");
        let uid =
            play.stage.object("apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.org");
        let uid = uid.expect("a definition")["metadata"]["uid"].clone();
        play.play("set COLOR=blue");
        for _ in 0..200 {
            play.stage.run_for(50);
            for step in ["crd", "thing"] {
                let status = play.stage.status(&format!("shop/deploy/main/{step}"));
                assert!(!status.contains("ERROR"), "{step}: {status}\n{}", play.stage.shown());
            }
        }
        play.play("is deploy COMPLETE\n other run instance/shop /status/planStatus/deploy/uid");
        let now =
            play.stage.object("apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.org");
        let now = now.expect("a definition");
        assert_eq!(now["metadata"]["uid"], uid, "the definition is the same one");
        assert_eq!(now["metadata"]["labels"]["color"], last);
        let thing = play.stage.object("apis/example.org/v1/namespaces/default/things/shop-thing");
        assert_eq!(thing.expect("a thing")["spec"]["color"], "blue");
    }
}

#[test]
fn jobs_must_succeed() {
    let job = |command: &str| {
        format!(
            "# file: templates/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{{{ .Name }}}}-job\nspec:\n  backoffLimit: 1\n\
             \x20 template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: work\n          image: busybox\n          command: {command}\n"
        )
    };
    let text = package(
        &apply("job", "job.yaml"),
        &plan("deploy", "serial", &["job"]),
        "  []\n",
        &job("[sleep, '5']"),
    );
    Play::new(&text).play(
        "
        load
        run 1
        is deploy/main/job IN_PROGRESS
        until deploy COMPLETE
        has job/shop-job /status/succeeded 1
        run 5
        has instance/shop /status/conditions/0/reason ResourceNotReady
        ",
    );
    let text = package(
        &apply("job", "job.yaml"),
        &plan("deploy", "serial", &["job"]),
        "  []\n",
        &job("[sh, -c, exit 3]"),
    );
    Play::new(&text).play(
        "
        load
        until deploy FATAL_ERROR
        says deploy/main/job: Error during execution: fatal error: default/shop failed in deploy.main.job.job: 
        has job/shop-job /status/conditions/0/reason BackoffLimitExceeded
        ",
    );
}

#[test]
fn a_pipe_passes_a_file_of_a_pod_to_later_steps() {
    let pod = "# file: templates/pod.yaml\napiVersion: v1\nkind: Pod\nspec:\n  volumes:\n    - name: shared\n      emptyDir: {}\n\
               \x20 initContainers:\n    - name: init\n      image: busybox\n      command: [sh, -c, 'echo hi > /shared/out.txt']\n\
               \x20     volumeMounts: [{ name: shared, mountPath: /shared }]\n";
    let user = "# file: templates/user.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}-user\ndata:\n  from: {{ .Pipes.out }}\n";
    let pipe = "  - name: pipe\n    kind: Pipe\n    spec:\n      pod: pod.yaml\n      pipe:\n        - file: /shared/out.txt\n          kind: Secret\n          key: out\n";
    let text = package(
        &format!("{pipe}{}", apply("user", "user.yaml")),
        &(plan("deploy", "serial", &["pipe", "user"]) + &plan("other", "serial", &["user"])),
        "  []\n",
        &format!("{pod}{user}"),
    );
    let mut play = Play::new(&text);
    play.play(
        "
        load
        run 0
        is deploy/main/pipe IN_PROGRESS
        until deploy COMPLETE
        there configmap/shop-user
        ",
    );
    let made = play.stage.object("api/v1/namespaces/default/configmaps/shop-user").expect("a map");
    let name = made["data"]["from"].as_str().expect("a name").to_owned();
    play.play(&format!(
        "
        there secret/{name}
        has secret/{name} /metadata/labels/kudo.dev~1instance shop
        start other
        until other FATAL_ERROR
        "
    ));
}

#[test]
fn other_operators_are_installed_as_children() {
    let child = |default: &str| {
        format!(
            "# file: child/operator.yaml\nname: child\noperatorVersion: \"0.1.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
             \x20 - name: web\n    kind: Apply\n    spec:\n      resources: [web.yaml]\n\
             plans:\n  deploy:\n    strategy: serial\n    phases:\n      - name: main\n        strategy: serial\n        steps:\n\
             \x20         - {{ name: web, tasks: [web] }}\n\
             # file: child/params.yaml\nparameters:\n  - name: COLOR\n    default: {default}\n{}",
            WEB.replace("templates/", "child/templates/")
        )
    };
    let parent = "# file: parent/operator.yaml\nname: shop\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
                  \x20 - name: base\n    kind: KudoOperator\n    spec:\n      package: ../child\n      parameterFile: child.yaml\n\
                  plans:\n  deploy:\n    strategy: serial\n    phases:\n      - name: main\n        strategy: serial\n        steps:\n\
                  \x20         - { name: base, tasks: [base] }\n\
                  # file: parent/params.yaml\nparameters:\n  - name: TINT\n    default: blue\n\
                  # file: parent/templates/child.yaml\nCOLOR: {{ .Params.TINT }}\n";
    let mut play = Play::new(&format!("{parent}{}", child("red")));
    play.play(
        "
        load
        run 1
        is deploy/main/base IN_PROGRESS
        there instance/shop-child
        has instance/shop-child /spec/parameters/COLOR blue
        has instance/shop-child /metadata/ownerReferences/0/name shop
        because deploy/main/base: Task base waits for instance shop-child
        until deploy COMPLETE
        has deployment/shop-child-web /spec/template/spec/containers/0/env/0/value blue
        set TINT=green
        until deploy COMPLETE
        has deployment/shop-child-web /spec/template/spec/containers/0/env/0/value green
        remove
        run 60
        gone instance/shop
        gone instance/shop-child
        gone deployment/shop-child-web
        ",
    );
}

#[test]
fn unreadable_values_leave_the_plan_pending_with_a_reason() {
    let params = "  - name: ITEMS\n    type: array\n    default: [a]\n    trigger: deploy\n";
    let text = package(&dummy("fine", "done: true"), &plan("deploy", "serial", &["fine"]), params, "");
    let mut play = Play::new(&text);
    play.play("load\n until deploy COMPLETE");
    // Admission checks such values, so only an older instance can have one: here the version changes.
    play.play("patch operatorversion/shop-1.0.0 {\"spec\":{\"parameters\":[{\"name\":\"ITEMS\",\"required\":true,\"default\":\"[a\",\"value-type\":\"array\",\"immutable\":false}]}}");
    play.play(
        "
        start deploy
        run 3
        is deploy PENDING
        because deploy: Error during execution: fatal error: could not parse parameters
        ",
    );
}

#[test]
fn unplaceable_instances_are_named() {
    let big =
        WEB.replace("image: web:1\n", "image: web:1\n          resources: { requests: { cpu: '64' } }\n");
    let text = package(&apply("web", "web.yaml"), &plan("deploy", "serial", &["web"]), COLOR, &big);
    Play::new(&text).play(
        "
        load
        run 120
        is deploy IN_PROGRESS
        because deploy/main/web: 0/4 nodes are available: 4 Insufficient cpu
        because deploy/main: Step web is IN_PROGRESS
        because deploy: Phase main is IN_PROGRESS
        ",
    );
}

#[test]
fn a_field_of_the_wrong_type_is_retried_without_end_and_nothing_is_written() {
    for (field, wrong, problem) in [
        ("replicas: 2", "replicas: two", "unrecognized type: int32"),
        ("image: web:1", "image: 5", "cannot convert int64 to string"),
        ("matchLabels: { app: web }", "matchLabels: web", "cannot restore map from string"),
        (
            "- name: COLOR\n              value: {{ .Params.COLOR | quote }}",
            "  name: COLOR",
            "cannot restore slice from map",
        ),
    ] {
        let web = WEB.replace(field, wrong);
        assert_ne!(web, WEB);
        let text = package(
            &apply("all", "config.yaml, web.yaml"),
            &plan("deploy", "serial", &["all"]),
            COLOR,
            &format!("{CONFIG}{web}"),
        );
        let mut play = Play::new(&text);
        play.play(&format!(
            "load\nrun 30\nis deploy IN_PROGRESS\nis deploy/main/all ERROR\n\
             says deploy/main/all: A transient error when executing task deploy.main.all.all. Will retry. failed to convert objects \
             to typed: fatal error: converting from unstructured failed: {problem}\ngone configmap/shop-config"
        ));
    }
}

#[test]
fn one_template_applied_by_two_parallel_steps_still_completes() {
    let text = package(
        &(apply("one", "web.yaml") + &apply("two", "web.yaml")),
        &plan("deploy", "parallel", &["one", "two"]),
        COLOR,
        WEB,
    );
    let mut play = Play::new(&text);
    play.play("load\n run 1\n is deploy IN_PROGRESS\n until deploy COMPLETE");
    assert!(play.stage.events.len() < 1000, "{} events", play.stage.events.len());
}
