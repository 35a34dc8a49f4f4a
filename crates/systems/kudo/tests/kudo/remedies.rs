//! Objects that a package lacks: the way out that `why` offers creates them, and then the plan completes.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use super::stage::Stage;
use super::support::request;
use planarium_part::Request;
use planarium_protocol::Input;

const PACKAGE: &str = "# file: operator.yaml
name: lacks
operatorVersion: \"0.1.0\"
kubernetesVersion: 1.16.0
tasks: [{ name: app, kind: Apply, spec: { resources: [app.yaml] } }]
plans:
  deploy: { strategy: serial, phases: [{ name: main, strategy: serial, steps: [{ name: app, tasks: [app] }] }] }
# file: params.yaml
parameters: []
# file: templates/app.yaml
";

fn deployment(pod: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    \
         metadata: {{labels: {{app: web}}}}\n    spec: {pod}\n"
    )
}

#[test]
fn the_offered_way_out_creates_missing_objects() {
    let env = |kind: &str, name: &str, key: &str| {
        format!("{{name: {key}, valueFrom: {{{kind}: {{name: {name}, key: {key}}}}}}}")
    };
    let secret = |key: &str| env("secretKeyRef", "house", key);
    let container = |rest: &str| format!("{{name: c, image: nginx, {rest}}}");
    let plain = container("args: []");
    let volume = |source: &str| format!("{{volumes: [{{name: v, {source}}}], containers: [{plain}]}}");
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], storageClassName: \
                 fast, resources: {requests: {storage: 1Gi}}}\n";
    let job = |pod: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: once}}\nspec:\n  template:\n    spec: {pod}\n"
        )
    };
    let set = |pod: &str, rest: &str| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: db}}\nspec:\n  serviceName: db\n  selector: {{matchLabels: {{app: db}}}}\n\
             {rest}  template:\n    metadata: {{labels: {{app: db}}}}\n    spec: {pod}\n"
        )
    };
    for (title, objects) in [
        ("a volume of a Secret", deployment(&volume("secret: {secretName: house}"))),
        ("a volume of a ConfigMap", deployment(&volume("configMap: {name: house}"))),
        (
            "keys of a Secret",
            deployment(&format!(
                "{{containers: [{}]}}",
                container(&format!("env: [{}, {}]", secret("user"), secret("door")))
            )),
        ),
        (
            "a key of a ConfigMap",
            deployment(&format!(
                "{{containers: [{}]}}",
                container(&format!("env: [{}]", env("configMapKeyRef", "house", "door")))
            )),
        ),
        (
            "a key that the Secret does not have",
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata: {{name: house}}\ndata: {{user: YQ==}}\n---\n{}",
                deployment(&format!(
                    "{{containers: [{}]}}",
                    container(&format!("env: [{}, {}]", secret("user"), secret("door")))
                ))
            ),
        ),
        (
            "a Secret as a whole, for an init container",
            deployment(&format!(
                "{{initContainers: [{{name: i, image: busybox, command: [echo], envFrom: [{{secretRef: {{name: house}}}}]}}], containers: [{plain}]}}"
            )),
        ),
        ("a claim", deployment(&volume("persistentVolumeClaim: {claimName: data}"))),
        (
            "a class",
            format!("{claim}---\n{}", deployment(&volume("persistentVolumeClaim: {claimName: data}"))),
        ),
        (
            "a class of a template of claims",
            set(
                &format!("{{containers: [{plain}]}}"),
                "  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: \
                 {requests: {storage: 1Gi}}}\n",
            ),
        ),
        (
            "a volume of a Job",
            job(
                "{restartPolicy: Never, volumes: [{name: v, secret: {secretName: house}}], containers: [{name: c, image: busybox, \
                 command: [echo]}]}",
            ),
        ),
        (
            "a Secret of a Job",
            job(&format!(
                "{{restartPolicy: Never, containers: [{{name: c, image: busybox, command: [echo], env: [{}]}}]}}",
                secret("door")
            )),
        ),
    ] {
        let mut stage = Stage::new(3);
        let loaded = stage.load(request(&format!("{PACKAGE}{objects}")));
        assert!(loaded.is_ok(), "{title}: {loaded:?}\n{objects}");
        stage.run_for(60_000);
        assert_eq!(stage.status("shop/deploy/main/app"), "IN_PROGRESS", "{title}: {objects}");
        let made = do_what_is_offered(&mut stage, title);
        assert!(made > 0, "{title}: {:#?}", stage.why("shop/deploy/main/app"));
        stage.run_for(200_000);
        // A Job whose template has a new hash of its Secret has to go first.
        if stage.status("shop/deploy/main/app") == "ERROR" {
            assert_eq!((title, do_what_is_offered(&mut stage, title)), ("a volume of a Job", 1));
        }
        stage.run_for(200_000);
        let status = stage.status("shop/deploy/main/app");
        assert_eq!(status, "COMPLETE", "{title}: {:#?}", stage.why("shop/deploy/main/app"));
    }
}

/// Sends every call that the step's explanation offers; returns their number.
fn do_what_is_offered(stage: &mut Stage, title: &str) -> usize {
    let why = stage.why("shop/deploy/main/app");
    let mut made = 0;
    for way in &why.unblock {
        let Some(Input::Call(call)) = &way.input else { continue };
        let mut request = Request::new(&call.method, &call.path, call.body.to_string());
        let kind = call.content_type.clone().expect("a type");
        request.headers.push(("content-type".to_owned(), kind));
        let answer = stage.send(&request);
        let text = String::from_utf8_lossy(&answer.body);
        assert!((200..300).contains(&answer.status), "{title}: {}: {text}", way.title);
        made += 1;
    }
    made
}
