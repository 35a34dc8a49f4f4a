"""pymesos' operator driver: questions, changes, and the stream of events."""

import unittest
from base64 import b64decode
from threading import Lock

from pymesos import MesosOperatorMasterDriver, MesosSchedulerDriver, OperatorMaster
from test_scheduler import Recorder, scalar, task
from world import World


class Watcher(OperatorMaster):
    """Keeps every event of the stream."""

    def __init__(self):
        self.lock = Lock()
        self.events = []

    def note(self, kind, event):
        with self.lock:
            self.events.append((kind, event))

    def of(self, kind):
        with self.lock:
            return [event for found, event in self.events if found == kind]

    def taskAdded(self, event):
        self.note("task-added", event)

    def taskUpdated(self, event):
        self.note("task-updated", event)

    def frameworkAdded(self, event):
        self.note("framework-added", event)

    def frameworkUpdated(self, event):
        self.note("framework-updated", event)

    def frameworkRemoved(self, event):
        self.note("framework-removed", event)

    def agentAdded(self, event):
        self.note("agent-added", event)

    def agentRemoved(self, event):
        self.note("agent-removed", event)


class OperatorDriver(unittest.TestCase):
    def setUp(self):
        self.world = World("--cluster", "small")
        self.addCleanup(self.world.close)
        self.watcher = Watcher()
        self.operator = MesosOperatorMasterDriver(self.world.address, self.watcher)

    def agents(self):
        return self.operator.getAgents()["get_agents"]["agents"]

    def framework(self):
        scheduler = Recorder()
        info = {"user": "root", "name": "watched", "checkpoint": True}
        driver = MesosSchedulerDriver(scheduler, info, self.world.address)
        driver.start()

        def end():
            driver.stop()
            driver.join()

        self.addCleanup(end)
        return scheduler, driver

    def test_every_question_has_an_answer_of_its_type(self):
        self.world.pass_time(5000)
        operator = self.operator
        for kind, answer in [
            ("health", operator.getHealth()),
            ("flags", operator.getFlags()),
            ("version", operator.getVersion()),
            ("metrics", operator.getMetrics(10**9)),
            ("logging_level", operator.getLoggingLevel()),
            ("state", operator.getState()),
            ("frameworks", operator.getFrameworks()),
            ("executors", operator.getExecutors()),
            ("tasks", operator.getTasks()),
            ("agents", operator.getAgents()),
            ("roles", operator.getRoles()),
            ("master", operator.getMaster()),
            ("maintenance_status", operator.getMaintenanceStatus()),
            ("maintenance_schedule", operator.getMaintenanceSchedule()),
        ]:
            with self.subTest(kind):
                self.assertEqual(answer["type"], "GET_" + kind.upper())
                self.assertIn("get_" + kind, answer)
        # As long as there are none, they have no place in the answer.
        self.assertEqual(operator.getWeights(), {"type": "GET_WEIGHTS"})
        self.assertEqual(len(self.agents()), 3)
        operator.setLoggingLevel(2, 60 * 10**9)
        self.assertEqual(operator.getLoggingLevel()["get_logging_level"]["level"], 2)
        self.world.pass_time(61000)
        self.assertEqual(operator.getLoggingLevel()["get_logging_level"]["level"], 0)

    def test_reservations_volumes_and_weights(self):
        self.world.pass_time(5000)
        agent = self.agents()[0]["agent_info"]["id"]["value"]
        reservation = [{"type": "DYNAMIC", "role": "dev", "principal": "p"}]
        disk = dict(scalar("disk", 100), reservations=reservation)
        self.operator.reserveResources(agent, [disk])
        volume = {"persistence": {"id": "v1", "principal": "p"}, "volume": {"container_path": "data", "mode": "RW"}}
        self.operator.createVolumes(agent, [dict(disk, disk=volume)])

        def persistent():
            (found,) = [each for each in self.agents() if each["agent_info"]["id"]["value"] == agent]
            return [r["disk"]["persistence"]["id"] for r in found["total_resources"] if "disk" in r]

        self.assertEqual(persistent(), ["v1"])
        self.operator.destroyVolumes(agent, [dict(disk, disk=volume)])
        self.assertEqual(persistent(), [])
        self.operator.unreserveResources(agent, [disk])
        with self.assertRaisesRegex(RuntimeError, "code=409"):
            self.operator.unreserveResources(agent, [disk])
        self.operator.updateWeights([{"role": "dev", "weight": 2.5}])
        self.assertEqual(
            self.operator.getWeights()["get_weights"]["weight_infos"], [{"role": "dev", "weight": 2.5}]
        )

    def test_the_stream_tells_what_happens(self):
        operator = self.operator
        operator.start()
        self.addCleanup(operator.join)
        self.addCleanup(operator.stop)
        self.world.until("the subscription", lambda: operator.connected)
        scheduler, driver = self.framework()
        (added,) = self.world.until("the framework", lambda: self.watcher.of("framework-added"))
        self.assertEqual(added["framework_info"]["name"], "watched")
        offer = self.world.until("an offer", lambda: scheduler.of("offer"))[0]
        driver.launchTasks(offer["id"], [task(offer, "t", "sleep 2")])
        (added,) = self.world.until("the task", lambda: self.watcher.of("task-added"))
        self.assertEqual((added["name"], added["agent_id"]), ("t", offer["agent_id"]))

        def states():
            return [event["state"] for event in self.watcher.of("task-updated")]

        self.world.until("the task's end", lambda: "TASK_FINISHED" in states())
        self.assertEqual(states(), ["TASK_STARTING", "TASK_RUNNING", "TASK_FINISHED"])
        self.world.ask("POST", "/sim/agents", {"count": 1})
        (added,) = self.world.until("the machine", lambda: self.watcher.of("agent-added"))
        self.assertIn(added["agent_info"]["hostname"], [each["agent_info"]["hostname"] for each in self.agents()])
        driver.stop()
        driver.join()
        (removed,) = self.world.until("the framework's end", lambda: self.watcher.of("framework-removed"))
        self.assertEqual(removed["name"], "watched")

    def test_the_sandbox_of_a_task_is_listed_and_read(self):
        scheduler, driver = self.framework()
        offer = self.world.until("an offer", lambda: scheduler.of("offer"))[0]
        driver.launchTasks(offer["id"], [task(offer, "t", "echo hello")])
        self.world.until("its end", lambda: "TASK_FINISHED" in scheduler.states("t"))
        agent, framework = offer["agent_id"]["value"], driver.framework_id
        folder = "slaves/{}/frameworks/{}/executors/t/runs/latest".format(agent, framework)
        files = self.operator.listFiles(folder)["list_files"]["file_infos"]
        self.assertEqual([each["path"] for each in files], [folder + "/stderr", folder + "/stdout"])
        read = self.operator.readFile(folder + "/stdout", 100, 0)["read_file"]
        self.assertEqual((read["size"], b64decode(read["data"])), (6, b"hello\n"))
        with self.assertRaisesRegex(RuntimeError, "code=404"):
            self.operator.listFiles("/nowhere")
        with self.assertRaisesRegex(RuntimeError, "code=404"):
            self.operator.readFile("/nowhere", 10, 0)


if __name__ == "__main__":
    unittest.main()
