//! The real packages, installed with their defaults.

use super::packages::real_packages;
use super::stage::Stage;
use planarium_protocol::input::LoadService;

#[test]
#[cfg_attr(not(real_operators), ignore = "the real KUDO packages are not at hand")]
fn real_packages_install_with_their_defaults() {
    for (name, files) in real_packages() {
        let mut stage = Stage::new(5);
        let load = LoadService { dialect: "kudo".into(), files, ..LoadService::default() };
        stage.load(load).unwrap_or_else(|refusal| panic!("{name}: {}", refusal.message));
        let instance = format!("{name}-instance");
        let deploy = format!("{instance}/deploy");
        let took = stage.run_until(600_000, &name, |stage| stage.status(&deploy) == "COMPLETE");
        assert!(took > 0, "{name} takes some time");
        stage.run_for(60_000);
        let value = stage.instance(&instance).expect("the instance");
        let ready = value.pointer("/status/conditions/0").expect("a condition");
        // Pods of a finished Job do not run, and the real readiness counts them all the same.
        let reason = if name == "redis" { "ResourceNotReady" } else { "ResourcesReady" };
        assert_eq!(ready["reason"], reason, "{name}: {ready}");
    }
}
