//! Deployments and what they are made of.

use crate::support::Yard;
use planarium_kube::KindId;

pub(crate) const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'nginx:1.19'}
";

#[test]
fn a_deployment_comes_up() {
    let mut yard = Yard::new(3);
    yard.create(WEB);
    yard.run(30);
    println!("{}\n{}", yard.pods(), yard.story());
    println!("{}", serde_json::to_string_pretty(&yard.value(KindId::DEPLOYMENT, "web")).unwrap());
    let pod = &yard.list(KindId::POD, "app=web")[0];
    println!("{}", serde_json::to_string_pretty(&pod.to_value()).unwrap());
    assert_eq!(yard.ready("app=web"), 3);
}
