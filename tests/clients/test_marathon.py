"""The `marathon` client: apps, groups, deployments, tasks, the queue, versions, the stream of events.

It builds its objects by keyword and knows the keys of its day only; the flag MARATHON_SIM_CLIENT_COMPAT leaves the newer ones out of
answers. On Python 3.10 and later its encoder misses a name that `collections` no longer has; that name is put back, the client
stays as it is.
"""

import collections
import collections.abc
import json
import logging
import threading
import unittest

if not hasattr(collections, "Iterable"):
    collections.Iterable = collections.abc.Iterable

from marathon import MarathonClient, MarathonHttpError, NotFoundError
from marathon.exceptions import ConflictError
from marathon.models import MarathonApp, MarathonConstraint, MarathonGroup, MarathonHealthCheck
from marathon.models.app import MarathonUpgradeStrategy, PortDefinition
from marathon.models.events import MarathonDeploymentInfo, MarathonDeploymentSuccess, MarathonStatusUpdateEvent
from world import World

logging.getLogger("marathon").setLevel(logging.CRITICAL)

SLEEP = "sleep 1000"


def app(instances=1, **more):
    return MarathonApp(cmd=SLEEP, cpus=0.1, mem=32, instances=instances, **more)


class Marathon(unittest.TestCase):
    def setUp(self):
        self.world = World("--cluster", "small")
        self.addCleanup(self.world.close)
        # Marathon is there with the first app, which brings its flags along.
        first = '{"id": "/first", "cmd": "sleep 1000", "cpus": 0.1, "mem": 32}'
        flags = {"MARATHON_SIM_CLIENT_COMPAT": "true"}
        self.world.ask(
            "POST", "/sim/services", {"dialect": "marathon", "files": {"first.json": first}, "env": flags}
        )
        self.client = MarathonClient("http://" + self.world.address)
        self.settled()

    def settled(self):
        """Moves the clock on until no deployment is left."""
        self.world.until("the deployments to end", lambda: not self.client.list_deployments(), 1000)

    def running(self, app_id):
        return self.client.get_app(app_id).tasks_running

    # ---- apps

    def test_an_app_is_created_scaled_updated_restarted_and_deleted(self):
        client = self.client
        made = client.create_app("/web", app(2))
        self.assertEqual((made.id, made.instances, made.tasks_running), ("/web", 2, 0))
        self.assertEqual([one.id for one in made.deployments], [one.id for one in client.list_deployments()])
        self.settled()
        self.assertEqual(self.running("web"), 2)
        self.assertEqual(sorted(one.id for one in client.list_apps()), ["/first", "/web"])

        answer = client.scale_app("/web", instances=3)
        self.assertEqual(sorted(answer), ["deploymentId", "version"])
        self.settled()
        client.scale_app("/web", delta=-2)
        self.settled()
        self.assertEqual(self.running("/web"), 1)

        before = {task.id for task in client.list_tasks("/web")}
        client.restart_app("/web")
        self.settled()
        after = {task.id for task in client.list_tasks("/web")}
        self.assertTrue(after and not before & after)

        client.update_app("/web", MarathonApp(cmd="sleep 2000", env={"LEVEL": "debug"}))
        self.settled()
        changed = client.get_app("/web")
        self.assertEqual((changed.cmd, changed.env, changed.instances), ("sleep 2000", {"LEVEL": "debug"}, 1))

        client.delete_app("/web")
        self.settled()
        with self.assertRaises(NotFoundError) as raised:
            client.get_app("/web")
        self.assertEqual(raised.exception.error_message, "App '/web' does not exist")

    def test_nested_parts_of_an_app_come_back_as_they_went(self):
        sent = app(
            constraints=[MarathonConstraint("hostname", "UNIQUE")],
            health_checks=[MarathonHealthCheck(protocol="HTTP", path="/health", port_index=0, interval_seconds=10)],
            port_definitions=[PortDefinition(port=0, protocol="tcp", name="http")],
            upgrade_strategy=MarathonUpgradeStrategy(minimum_health_capacity=0.5, maximum_over_capacity=0.25),
            labels={"team": "blue"},
            unreachable_strategy=None,
        )
        self.client.create_app("/nested", sent)
        self.settled()
        got = self.client.get_app("/nested")
        self.assertEqual([one.json_repr() for one in got.constraints], [["hostname", "UNIQUE"]])
        self.assertEqual(got.health_checks[0].path, "/health")
        self.assertEqual(got.upgrade_strategy.minimum_health_capacity, 0.5)
        self.assertEqual([port.name for port in got.port_definitions], ["http"])
        self.assertEqual([one.id for one in self.client.list_apps(label="team==blue")], ["/nested"])
        self.assertEqual(self.client.list_apps(cmd="nothing like it"), [])

    def test_several_apps_are_one_deployment(self):
        answer = self.client.update_apps(
            [MarathonApp(id="/" + name, cmd=SLEEP, cpus=0.1, mem=32, instances=1) for name in ("one", "two")]
        )
        (deployment,) = self.client.list_deployments()
        self.assertEqual(deployment.id, answer["deploymentId"])
        self.assertEqual(sorted(deployment.affected_apps), ["/one", "/two"])
        self.settled()
        self.assertEqual((self.running("/one"), self.running("/two")), (1, 1))

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        with self.assertRaises(MarathonHttpError) as raised:
            self.client.create_app("/wrong", MarathonApp(cpus=0.1, mem=32))
        self.assertEqual(raised.exception.status_code, 422)
        self.assertIn("Object is not valid", raised.exception.error_message)
        with self.assertRaises(ConflictError) as raised:
            self.client.create_app("/first", app())
        self.assertEqual(raised.exception.error_message, "An app with id [/first] already exists.")
        with self.assertRaises(NotFoundError):
            self.client.restart_app("/nobody")
        self.assertEqual([one.id for one in self.client.list_apps()], ["/first"])

    # ---- deployments

    def stuck(self):
        """A deployment of an app that no machine has room for."""
        self.client.create_app("/web", app())
        self.settled()
        return self.client.update_app("/web", MarathonApp(cpus=1000))["deploymentId"]

    def test_a_locked_app_conflicts_and_force_wins(self):
        stuck = self.stuck()
        self.world.pass_time(5000)
        with self.assertRaises(ConflictError) as raised:
            self.client.scale_app("/web", instances=2)
        self.assertTrue(raised.exception.error_message.startswith("App is locked by one or more deployments."))
        answer = self.client.update_app("/web", MarathonApp(cpus=0.1, instances=2), force=True)
        self.assertNotIn(stuck, [one.id for one in self.client.list_deployments()])
        self.settled()
        self.assertNotEqual(answer["deploymentId"], stuck)
        self.assertEqual(self.running("/web"), 2)

    def test_a_deployment_is_listed_and_rolled_back(self):
        stuck = self.stuck()
        self.world.pass_time(5000)
        (deployment,) = self.client.list_deployments()
        self.assertEqual((deployment.id, deployment.affected_apps), (stuck, ["/web"]))
        self.assertEqual((deployment.current_step, deployment.total_steps), (1, 1))
        self.assertEqual([one.action for one in deployment.current_actions], ["RestartApplication"])
        self.assertEqual(deployment.steps[0].actions[0].app, "/web")
        (item,) = self.client.list_queue()
        self.assertEqual((item.app.id, item.count), ("/web", 1))
        answer = self.client.delete_deployment(stuck)
        self.assertNotEqual(answer["deploymentId"], stuck)
        self.settled()
        self.assertEqual((self.client.get_app("/web").cpus, self.running("/web")), (0.1, 1))

    def test_a_deployment_is_stopped_by_force_and_nothing_is_undone(self):
        stuck = self.stuck()
        self.world.pass_time(5000)
        self.assertEqual(self.client.delete_deployment(stuck, force=True), {})
        self.settled()
        self.assertEqual(self.client.get_app("/web").cpus, 1000)
        with self.assertRaises(NotFoundError):
            self.client.delete_deployment(stuck)

    # ---- groups

    def test_a_group_is_created_scaled_updated_and_deleted(self):
        client = self.client
        apps = [
            MarathonApp(id="db", cmd=SLEEP, cpus=0.1, mem=32, instances=1),
            MarathonApp(id="web", cmd=SLEEP, cpus=0.1, mem=32, instances=2, dependencies=["db"]),
        ]
        client.create_group(MarathonGroup(id="/shop", apps=apps))
        (deployment,) = client.list_deployments()
        names = [[action.action for action in step.actions] for step in deployment.steps]
        self.assertEqual(
            names, [["StartApplication", "StartApplication"], ["ScaleApplication"], ["ScaleApplication"]]
        )
        self.settled()
        self.assertEqual([one.id for one in client.list_groups()], ["/shop"])
        group = client.get_group("/shop")
        self.assertEqual(sorted(one.id for one in group.apps), ["/shop/db", "/shop/web"])
        client.scale_group("/shop", 2)
        self.settled()
        self.assertEqual((self.running("/shop/db"), self.running("/shop/web")), (2, 4))
        client.update_group("/shop", MarathonGroup(apps=[apps[0]]))
        self.settled()
        self.assertEqual([one.id for one in client.get_group("/shop").apps], ["/shop/db"])
        client.delete_group("/shop")
        self.settled()
        self.assertEqual(client.list_groups(), [])
        with self.assertRaises(NotFoundError):
            client.get_group("/shop")

    # ---- tasks, versions, the rest

    def test_tasks_are_listed_and_killed(self):
        client = self.client
        client.create_app("/web", app(3))
        self.settled()
        tasks = client.list_tasks("/web")
        self.assertEqual([task.state for task in tasks], ["TASK_RUNNING"] * 3)
        self.assertTrue(all(task.started_at and task.host for task in tasks))
        self.assertEqual(len(client.list_tasks()), 4)
        killed = client.kill_task("/web", tasks[0].id)
        self.assertEqual(killed.id, tasks[0].id)
        self.world.until("another task", lambda: self.running("/web") == 3)
        self.assertTrue(client.kill_given_tasks([client.list_tasks("/web")[0].id], scale=True))
        self.settled()
        self.assertEqual(client.get_app("/web").instances, 2)
        self.assertEqual(len(client.kill_tasks("/web")), 2)
        self.world.until("other tasks", lambda: self.running("/web") == 2)

    def test_versions_are_kept_and_one_is_brought_back(self):
        client = self.client
        client.create_app("/web", app())
        self.settled()
        (first,) = client.list_versions("/web")
        self.world.pass_time(1000)
        client.update_app("/web", MarathonApp(cmd="sleep 2000"))
        self.settled()
        self.assertEqual(len(client.list_versions("/web")), 2)
        self.assertEqual(client.get_version("/web", first).cmd, SLEEP)
        client.rollback_app("/web", first)
        self.settled()
        self.assertEqual(client.get_app("/web").cmd, SLEEP)

    def test_the_server_tells_of_itself(self):
        client = self.client
        self.assertEqual(client.ping(), b'"pong"')  # JSON, as it asks for.
        info = client.get_info()
        self.assertEqual((info.name, info.marathon_config.mesos_role), ("marathon", "*"))
        self.assertTrue(client.get_leader()["leader"])
        self.assertTrue(client.get_metrics())
        with self.assertRaises(NotFoundError):
            client.reset_delay("/first")

    def test_events_tell_of_a_deployment(self):
        kinds = [MarathonDeploymentInfo, MarathonStatusUpdateEvent, MarathonDeploymentSuccess]
        heard, listening = [], threading.Event()

        def listen():
            try:
                for event in self.client.event_stream(event_types=kinds + ["event_stream_attached"]):
                    heard.append(event)
                    listening.set()
            except Exception as error:  # The server ends first.
                heard.append(error)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        self.assertTrue(listening.wait(30), "the stream begins")
        self.client.create_app("/web", app())
        found = self.world.until(
            "deployment_success", lambda: [one for one in heard if isinstance(one, MarathonDeploymentSuccess)]
        )
        self.assertEqual(len(found), 1)
        self.assertTrue(any(isinstance(one, MarathonDeploymentInfo) for one in heard))
        states = [one.task_status for one in heard if isinstance(one, MarathonStatusUpdateEvent)]
        self.assertIn("TASK_RUNNING", states)

    def test_events_begin_before_there_is_an_app(self):
        world = World("--cluster", "small")
        self.addCleanup(world.close)
        client = MarathonClient("http://" + world.address)
        heard, listening = [], threading.Event()

        def listen():
            try:
                for event in client.event_stream(raw=True):
                    heard.append(json.loads(event)["eventType"])
                    listening.set()
            except Exception as error:  # The server ends first.
                heard.append(str(error))

        threading.Thread(target=listen, daemon=True).start()
        self.assertTrue(listening.wait(30), "the stream begins")
        client.create_app("/web", app())
        world.until("deployment_success", lambda: "deployment_success" in heard)
        self.assertEqual((heard[0], heard[-1]), ("event_stream_attached", "deployment_success"))
        # Kinds have no order among each other.
        self.assertEqual(
            sorted(set(heard)),
            [
                "api_post_event",
                "deployment_info",
                "deployment_step_success",
                "deployment_success",
                "event_stream_attached",
                "group_change_success",
                "instance_changed_event",
                "status_update_event",
            ],
        )


if __name__ == "__main__":
    unittest.main()
