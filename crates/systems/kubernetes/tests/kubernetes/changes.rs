//! Updates before they are carried out, and fields worth trying.

use super::stage::Stage;
use super::support::{deployment, request, stateful_set};
use planarium_kubernetes::Daemon;
use planarium_part::System as _;
use planarium_protocol::changes::{Changes, Outcome};

fn changes(stage: &mut Stage, text: &str) -> Changes {
    let definition = Daemon::read(&request(text));
    let now = stage.cx.now();
    let cluster = stage.alone.cluster(now);
    stage.daemon.as_ref().unwrap().changes(&cluster, &definition).unwrap()
}

/// A stage on which a text is complete.
fn complete(text: &str, plan: &str) -> Stage {
    let mut stage = Stage::with(3, text);
    stage.until(plan, "Complete");
    stage
}

#[test]
fn a_template_replaces_pods_and_a_number_does_not() {
    let mut stage = complete(&deployment("web:1", 3), "deployment.web");
    let before = stage.tree();
    let told = changes(&mut stage, &deployment("web:2", 4));
    let own = &told.objects[0];
    assert_eq!((own.outcome, own.replaced), (Outcome::Configured, 3));
    let fields: Vec<_> =
        own.fields.iter().map(|one| (&*one.path, one.old.as_deref(), one.new.as_deref())).collect();
    assert_eq!(
        fields,
        [
            ("spec.replicas", Some("3"), Some("4")),
            ("spec.template.spec.containers[web].image", Some("web:1"), Some("web:2")),
        ]
    );
    assert_eq!(
        &*own.effect,
        "starts 1 more pod; replaces 3 pods, with at most 25% more (maxSurge) and 25% fewer (maxUnavailable) at a time"
    );
    assert_eq!(told.summary(), "1 configured; 3 pods are replaced");
    assert_eq!(stage.tree(), before, "nothing was changed");
    let scaled = changes(&mut stage, &deployment("web:1", 2));
    assert_eq!((&*scaled.objects[0].effect, scaled.objects[0].replaced), ("deletes 1 pod", 0));
    let same = changes(&mut stage, &deployment("web:1", 3));
    assert!(same.is_empty(), "{same:?}");
    assert_eq!(same.text(), "deployment.apps/web unchanged\n1 unchanged; restarts nothing");
}

#[test]
fn the_changes_told_are_those_that_an_update_makes() {
    let mut stage = complete(&deployment("web:1", 3), "deployment.web");
    let text = deployment("web:2", 3);
    let told = changes(&mut stage, &text);
    stage.update(&text).unwrap();
    stage.until("deployment.web", "Complete");
    let replaced = stage.tree().iter().filter(|line| line.contains("Ready")).count();
    assert_eq!(u32::try_from(replaced), Ok(told.objects[0].replaced));
    assert!(changes(&mut stage, &text).is_empty(), "the same once more changes nothing");
}

#[test]
fn an_immutable_field_is_refused_in_the_words_of_the_api() {
    let mut stage = complete(&deployment("web:1", 1), "deployment.web");
    let told = changes(&mut stage, &deployment("web:1", 1).replace("{app: web}", "{app: other}"));
    assert_eq!(told.objects[0].outcome, Outcome::Refused);
    assert!(told.objects[0].effect.ends_with("field is immutable"), "{told:?}");
}

#[test]
fn objects_are_created_and_left_behind() {
    let config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n";
    let text = deployment("web:1", 1);
    let mut stage = complete(&format!("{text}{config}"), "deployment.web");
    let told = changes(&mut stage, &format!("{text}{}", config.replace("name: app", "name: other")));
    let outcomes: Vec<_> = told.objects.iter().map(|one| (&*one.object, one.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("deployment.apps/web", Outcome::Unchanged),
            ("configmap/other", Outcome::Created),
            ("configmap/app", Outcome::Left),
        ]
    );
    assert!(told.objects[2].effect.contains("kubectl delete configmap/app"), "{told:?}");
    let changed = changes(&mut stage, &format!("{text}{}", config.replace("a: b", "a: c")));
    assert_eq!(&*changed.objects[1].effect, "restarts nothing");
}

#[test]
fn a_partition_and_on_delete_keep_pods() {
    let more = "  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}\n";
    let mut stage = complete(&stateful_set("db:1", 3, more), "statefulset.db");
    let told = changes(&mut stage, &stateful_set("db:2", 3, more));
    assert_eq!(told.objects[0].replaced, 1, "{told:?}");
    assert!(told.objects[0].effect.ends_with("those below partition 2 stay"), "{told:?}");
    let by_hand = changes(&mut stage, &stateful_set("db:2", 3, "  updateStrategy: {type: OnDelete}\n"));
    assert_eq!(by_hand.objects[0].replaced, 0);
    assert!(by_hand.objects[0].effect.contains("OnDelete"), "{by_hand:?}");
}

#[test]
fn recipes_change_one_field_and_keep_the_rest_of_the_text() {
    let text = deployment("web:1", 3).replace("  replicas: 3", "  replicas: 3 # three");
    let load = request(&text);
    let definition = Daemon::read(&load);
    let recipes = Daemon::recipes(&load, &definition);
    let fields: Vec<_> = recipes.iter().map(|one| (&*one.field, &*one.old, &*one.new)).collect();
    for wanted in [
        ("image", "web:1", "web:2"),
        ("replicas", "3", "5"),
        ("maxSurge", "25%", "100%"),
        ("maxUnavailable", "25%", "50%"),
        ("minReadySeconds", "not set", "10"),
        ("cpu", "250m", "6"),
        ("terminationGracePeriodSeconds", "30", "5"),
        ("progressDeadlineSeconds", "600", "20"),
    ] {
        assert!(fields.contains(&wanted), "{wanted:?} is not among {fields:?}");
    }
    assert!(!fields.iter().any(|one| one.0 == "initialDelaySeconds"), "there is no readiness probe");
    for recipe in &recipes {
        let changed = &recipe.files["objects.yaml"];
        assert!(changed.contains("# three"), "{}: comments stay\n{changed}", recipe.field);
        assert!(Daemon::read(&request(changed)).is_usable(), "{}\n{changed}", recipe.field);
    }
    let sets = request(&stateful_set("db:1", 3, ""));
    let of_sets = Daemon::recipes(&sets, &Daemon::read(&sets));
    let of_sets: Vec<_> = of_sets.iter().map(|one| (&*one.field, &*one.new)).collect();
    assert!(of_sets.contains(&("podManagementPolicy", "Parallel")), "{of_sets:?}");
    assert!(of_sets.contains(&("partition", "2")), "{of_sets:?}");
}
