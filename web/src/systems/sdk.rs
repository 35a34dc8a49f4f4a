//! DC/OS SDK services.

use super::Desk;

/// The page's data about it. It has no panel of its own.
pub(super) const DESK: Desk = Desk {
    dialect: "sdk",
    main: &["svc.yml", "svc.yaml"],
    json: "svc.json",
    first: "name: my-service
pods:
  node:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: ./server
        cpus: 0.5
        memory: 256
",
    commands: &["plan", "pod", "update", "endpoints", "describe", "debug"],
    tries: &["plan status deploy", "pod status", "endpoints", "help"],
    ..Desk::PLAIN
};
