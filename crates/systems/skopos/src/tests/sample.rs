//! An application of the shape of the vendor's sample: signals to a component that comes later, hooks of the life cycle, a
//! singleton, scripts. It is deployed, upgraded and taken down.
//!
//! **Source**: the shape of `opsani/skopos-sample-app: model-v1.yaml, model-v2.yaml, env.yaml`; the text is ours.

use super::support::{Bench, findings, request};
use crate::definition::load;
use crate::run::Mode;

const ENV: &str = "# file: env.yaml
core_plugin: docker
service_discovery_plugin: docker
service_discovery_auto: true
# file: bin/vote-ok
#!/bin/sh
# file: bin/drain
#!/bin/sh
";

fn model(version: &str, redis: &str, probe: &str) -> String {
    format!(
        "# file: model.yaml
doctype: com.datagridsys.doctype/skopos/model
version: 1
lifecycle:
  pre_flight:
    steps:
    - call: {{ plugin: docker, action: network_create, label: Make the network }}
components:
  balancer: {{ image: acme/balancer:1.0, replicas: 1, singleton: true, uses: {{ vote: {{}} }} }}
  vote:
    image: acme/vote:{version}
    replicas: 3
    uses: {{ redis: {{}} }}
    lifecycle:
      post_instance_attach:
        steps:
        - call: {{ plugin: docker, action: comp_signal, arguments: {{ target: balancer, signal: HUP }} }}
      post_instance_detach:
        steps:
        - call: {{ plugin: docker, action: comp_signal, arguments: {{ target: balancer, signal: HUP }} }}
{probe}
  redis:
    image: acme/redis:{redis}
    lifecycle:
      post_instance_detach:
        steps:
        - exec: {{ label: Drain, arguments: [drain, '{{{{.id}}}}'] }}
        - call: {{ plugin: docker, action: comp_signal, label: Attach workers, arguments: {{ target: worker, signal: INT }} }}
  worker: {{ image: acme/worker:1.0, replicas: 2, uses: {{ db: {{}}, redis: {{}} }} }}
  db: {{ image: acme/db:9.4, singleton: true }}
{ENV}"
    )
}

const PROBE: &str = "      quality_probe:
        steps:
        - exec: { label: Look, arguments: [vote-ok, '{{.id}}'] }";

/// Returns the log's warnings and failures.
fn worries(bench: &Bench) -> Vec<String> {
    bench.log_from(0).into_iter().filter(|line| !line.contains(" info ")).collect()
}

#[test]
fn it_is_deployed_upgraded_and_removed() {
    let first = model("1.0", "3.2", "");
    assert_eq!(findings(&load(&request(&first))), [""; 0]);
    let mut bench = Bench::with_machines(&first, 3);
    bench.start();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed, "{:#?}", worries(&bench));
    assert_eq!(bench.app.instances.len(), 8);
    // The balancer comes after its instances: no one receives the signals.
    let heard = worries(&bench);
    assert!(
        heard.len() == 3 && heard.iter().all(|line| line.contains("warning call-warn")),
        "three instances of vote signal it: {heard:#?}"
    );

    bench.update(&model("2.0", "3.3", PROBE));
    bench.start();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed, "{:#?}", worries(&bench));
    assert_eq!(worries(&bench), [""; 0], "everybody is there by now");
    assert!(bench.instances().matches("vote-n").count() >= 3, "{}", bench.instances());

    bench.take_down();
    bench.finish();
    assert_eq!(bench.app.run.mode, Mode::Completed, "{:#?}", worries(&bench));
    assert_eq!(bench.app.instances.len(), 0);
}
