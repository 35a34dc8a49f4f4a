"""The `kubernetes` client: a rollout, a pause, an undo and a drain, with statuses as watches tell them."""

import threading
import unittest

from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException
from world import World

REVISION = "deployment.kubernetes.io/revision"


def deployment(replicas):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [
                        {"name": "web", "image": "nginx:1", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
                    ]
                },
            },
        },
    }


class Heard:
    """What a watch tells, collected by a thread of its own."""

    def __init__(self, listing, **arguments):
        self.events = []
        self.error = None
        # From the state at this moment on; nothing is lost before the thread asks.
        start = listing("default", **arguments).metadata.resource_version
        arguments = dict(arguments, resource_version=start)
        threading.Thread(target=self.listen, args=(listing, arguments), daemon=True).start()

    def listen(self, listing, arguments):
        try:
            for event in watch.Watch().stream(listing, "default", **arguments):
                self.events.append((event["type"], event["object"]))
        except Exception as error:  # The server ends first.
            self.error = error

    def statuses(self):
        return [one.status for _, one in list(self.events)]


def condition(status, kind):
    """Status and reason of a condition."""
    found = [(one.status, one.reason) for one in status.conditions or [] if one.type == kind]
    return found[0] if found else None


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)
        self.world.ask("POST", "/sim/agents", {"count": 3})
        api = client.ApiClient(client.Configuration(host="http://{}/kube".format(self.world.address)))
        self.addCleanup(api.close)
        self.core, self.apps, self.policy = client.CoreV1Api(api), client.AppsV1Api(api), client.PolicyV1Api(api)

    def rolled_out(self, replicas=3):
        """A Deployment whose pods are all there."""
        heard = Heard(self.apps.list_namespaced_deployment)
        made = self.apps.create_namespaced_deployment("default", deployment(replicas))
        self.assertEqual((made.spec.strategy.rolling_update.max_surge, made.spec.progress_deadline_seconds), ("25%", 600))
        self.until_complete(heard)
        return heard

    def until_complete(self, heard):
        """Moves the clock on until a watch tells that the newest template is everywhere."""

        def is_complete():
            generation = self.apps.read_namespaced_deployment("web", "default").metadata.generation
            for _, one in list(heard.events)[-1:]:
                status, wanted = one.status, one.spec.replicas
                counts = (status.replicas, status.updated_replicas, status.available_replicas)
                return status.observed_generation == generation and counts == (wanted,) * 3
            return False

        self.world.until("the rollout to end", is_complete)
        (status,) = heard.statuses()[-1:]
        self.assertEqual(condition(status, "Available"), ("True", "MinimumReplicasAvailable"))
        self.assertEqual(condition(status, "Progressing"), ("True", "NewReplicaSetAvailable"))

    def patch(self, body):
        return self.apps.patch_namespaced_deployment("web", "default", body)

    def set_image(self, image):
        containers = [{"name": "web", "image": image}]
        return self.patch({"spec": {"template": {"spec": {"containers": containers}}}})

    def images(self):
        pods = self.core.list_namespaced_pod("default", label_selector="app=web").items
        return sorted(pod.spec.containers[0].image for pod in pods if pod.metadata.deletion_timestamp is None)

    def sets(self):
        """ReplicaSets by revision, with their sizes."""
        found = self.apps.list_namespaced_replica_set("default", label_selector="app=web").items
        return {one.metadata.annotations[REVISION]: (one.metadata.name, one.spec.replicas) for one in found}

    def test_a_rollout_stays_within_its_bounds(self):
        heard = self.rolled_out()
        self.assertEqual(self.images(), ["nginx:1"] * 3)
        before = len(heard.events)
        self.set_image("nginx:2")
        self.until_complete(heard)
        statuses = heard.statuses()[before:]
        # 25 % of three: one pod more, none less.
        self.assertEqual(max(one.replicas for one in statuses), 4)
        self.assertEqual(min(one.available_replicas for one in statuses), 3)
        updated = [one.updated_replicas or 0 for one in statuses if one.observed_generation == 2]
        self.assertEqual(updated, sorted(updated))
        self.assertEqual(sorted(set(updated))[-3:], [1, 2, 3])
        self.assertIn(("True", "ReplicaSetUpdated"), [condition(one, "Progressing") for one in statuses])
        self.assertEqual(self.images(), ["nginx:2"] * 3)
        self.assertEqual({key: size for key, (_, size) in self.sets().items()}, {"1": 0, "2": 3})

    def test_a_paused_rollout_stands_still_until_it_is_resumed(self):
        heard = self.rolled_out()
        self.patch({"spec": {"paused": True}})
        self.set_image("nginx:2")
        self.world.until(
            "the pause to be told",
            lambda: any(condition(one, "Progressing") == ("Unknown", "DeploymentPaused") for one in heard.statuses()),
        )
        self.world.pass_time(1200000)
        self.assertEqual(self.images(), ["nginx:1"] * 3)
        self.assertEqual(list(self.sets()), ["1"])
        self.patch({"spec": {"paused": None}})
        self.until_complete(heard)
        self.assertIn(("Unknown", "DeploymentResumed"), [condition(one, "Progressing") for one in heard.statuses()])
        self.assertEqual(self.images(), ["nginx:2"] * 3)

    def test_an_undo_takes_the_old_replica_set_again(self):
        heard = self.rolled_out()
        first = self.sets()["1"][0]
        self.set_image("nginx:2")
        self.until_complete(heard)
        # As kubectl does: the template of the revision, without the label of its ReplicaSet.
        template = self.apps.read_namespaced_replica_set(first, "default").spec.template
        template.metadata.labels.pop("pod-template-hash")
        template = client.ApiClient().sanitize_for_serialization(template)
        self.patch([{"op": "replace", "path": "/spec/template", "value": template}])
        self.until_complete(heard)
        self.assertEqual(self.images(), ["nginx:1"] * 3)
        sets = self.sets()
        self.assertEqual((sorted(sets), sets["3"]), (["2", "3"], (first, 3)))

    def test_a_drain_waits_for_a_budget_and_empties_the_node(self):
        self.rolled_out(6)
        budget = {"minAvailable": 5, "selector": {"matchLabels": {"app": "web"}}}
        self.policy.create_namespaced_pod_disruption_budget("default", {"metadata": {"name": "web"}, "spec": budget})
        self.world.until(
            "the budget to be counted",
            lambda: self.policy.read_namespaced_pod_disruption_budget("web", "default").status.disruptions_allowed == 1,
        )
        node = self.core.list_namespaced_pod("default").items[0].spec.node_name
        on_node = "spec.nodeName=" + node
        names = [pod.metadata.name for pod in self.core.list_namespaced_pod("default", field_selector=on_node).items]
        self.assertGreater(len(names), 1)
        heard = Heard(self.core.list_namespaced_pod, label_selector="app=web")

        self.core.patch_node(node, {"spec": {"unschedulable": True}})
        (taint,) = self.world.until("the taint", lambda: self.core.read_node(node).spec.taints)
        self.assertEqual((taint.key, taint.effect), ("node.kubernetes.io/unschedulable", "NoSchedule"))

        refusals = []
        for name in names:
            self.world.until("{} to be evicted".format(name), lambda: self.evict(name, refusals))
        # Each but the first had to wait until the one before was replaced.
        self.assertEqual(sorted(set(refusals)), sorted(names[1:]))
        self.world.until(
            "the pods to be gone", lambda: not self.core.list_namespaced_pod("default", field_selector=on_node).items
        )
        self.world.until("six pods elsewhere", lambda: self.ready_elsewhere(node) == 6)
        gone = {one.metadata.name for kind, one in list(heard.events) if kind == "DELETED"}
        self.assertEqual(gone, set(names))
        self.core.patch_node(node, {"spec": {"unschedulable": None}})
        self.assertIsNone(self.core.read_node(node).spec.unschedulable)

    def evict(self, name, refusals):
        """True if the pod may go; a budget that refuses is noted."""
        eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name=name, namespace="default"))
        try:
            self.core.create_namespaced_pod_eviction(name, "default", eviction)
            return True
        except ApiException as error:
            self.assertEqual(error.status, 429, error.body)
            self.assertIn("Cannot evict pod as it would violate the pod's disruption budget.", error.body)
            refusals.append(name)
            return False

    def ready_elsewhere(self, node):
        pods = self.core.list_namespaced_pod("default", label_selector="app=web").items
        ready = [pod for pod in pods if condition(pod.status, "Ready") == ("True", None)]
        return sum(pod.spec.node_name != node for pod in ready)


if __name__ == "__main__":
    unittest.main()
