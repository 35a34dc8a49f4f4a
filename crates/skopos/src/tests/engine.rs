//! The engine as transcripts.

use super::support::{Bench, HEAD};

#[test]
fn a_plan_runs() {
    let plan = format!(
        "{HEAD}steps:
- id: g
  class: group
  on_fail: fail
  steps:
  - {{ id: a, class: delay, duration: 2, on_fail: fail }}
  - {{ id: b, class: action, exec: ok, on_fail: fail }}
# file: env.yaml
simulation: {{ scripts: {{ ok: {{ duration: 3 }} }} }}
"
    );
    let mut bench = Bench::new(&plan);
    bench.start();
    bench.finish();
    assert_eq!(bench.steps(), "g=passed a=passed b=passed");
    assert_eq!(
        bench.log_from(0),
        [
            "0 info plan-start plan started",
            "0 info step-start g started",
            "0 info step-start a started",
            "2000 info step-pass a passed",
            "2000 info step-start b started",
            "5000 info step-pass b passed",
            "5000 info step-pass g passed",
            "5000 info plan-pass plan completed",
        ]
    );
}
