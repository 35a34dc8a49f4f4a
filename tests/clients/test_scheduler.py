"""pymesos' scheduler driver: frameworks that run their own tasks."""

import unittest
from threading import Lock

from pymesos import MesosOperatorMasterDriver, MesosSchedulerDriver, Scheduler
from world import World


class Recorder(Scheduler):
    """Keeps everything that it is told."""

    def __init__(self):
        self.lock = Lock()
        self.told = []

    def note(self, *words):
        with self.lock:
            self.told.append(words)

    def of(self, kind):
        with self.lock:
            return [words[1] if len(words) == 2 else words[1:] for words in self.told if words[0] == kind]

    def registered(self, driver, framework_id, master_info):
        self.note("registered", framework_id, master_info)

    def reregistered(self, driver, master_info):
        self.note("reregistered", master_info)

    def disconnected(self, driver):
        self.note("disconnected", None)

    def resourceOffers(self, driver, offers):
        for offer in offers:
            self.note("offer", offer)

    def inverseOffers(self, driver, offers):
        for offer in offers:
            self.note("inverse-offer", offer)

    def offerRescinded(self, driver, offer_id):
        self.note("rescinded", offer_id)

    def inverseOfferRescinded(self, driver, offer_id):
        self.note("inverse-rescinded", offer_id)

    def statusUpdate(self, driver, status):
        self.note("status", status)

    def operationStatusUpdate(self, driver, status):
        self.note("operation", status)

    def slaveLost(self, driver, agent_id):
        self.note("agent-lost", agent_id)

    def error(self, driver, message):
        self.note("error", message)

    def processHeartBeat(self, driver):
        self.note("heartbeat", None)

    def states(self, task_id):
        """The states that a task went through."""
        return [status["state"] for status in self.of("status") if status["task_id"]["value"] == task_id]


def scalar(name, amount):
    return {"name": name, "type": "SCALAR", "scalar": {"value": amount}}


def task(offer, task_id, command, cpus=0.5):
    return {
        "name": task_id,
        "task_id": {"value": task_id},
        "agent_id": offer["agent_id"],
        "command": {"value": command},
        "resources": [scalar("cpus", cpus), scalar("mem", 64)],
    }


class SchedulerDriver(unittest.TestCase):
    def setUp(self):
        self.world = World("--cluster", "small")
        self.addCleanup(self.world.close)
        self.drivers = []
        self.addCleanup(self.end)

    def end(self):
        for driver in self.drivers:
            driver.stop()
            driver.join()

    def framework(self, failover=False, **more):
        info = {"user": "root", "name": "pymesos", "checkpoint": True, "failover_timeout": 3600.0}
        info.update(more)
        scheduler = Recorder()
        driver = MesosSchedulerDriver(scheduler, info, self.world.address, failover=failover)
        driver.start()
        self.drivers.append(driver)
        return scheduler, driver

    def offer(self, scheduler, seen=0):
        """The first offer after so many."""
        offers = self.world.until("an offer", lambda: scheduler.of("offer")[seen:])
        return offers[0]

    def state_of(self, scheduler, task_id, state):
        self.world.until("{} of {}".format(state, task_id), lambda: state in scheduler.states(task_id))

    def test_tasks_are_launched_and_end_by_themselves_or_are_killed(self):
        scheduler, driver = self.framework()
        offer = self.offer(scheduler)
        (framework_id, master), = scheduler.of("registered")
        self.assertEqual(framework_id["value"], driver.framework_id)
        self.assertEqual(master["version"], driver.version)
        self.assertGreaterEqual(tuple(int(part) for part in driver.version.split(".")), (1, 0, 0))
        driver.launchTasks(offer["id"], [task(offer, "short", "echo hello && sleep 3"), task(offer, "long", "./serve")])
        self.state_of(scheduler, "short", "TASK_FINISHED")
        self.state_of(scheduler, "long", "TASK_RUNNING")
        self.assertEqual(scheduler.states("short"), ["TASK_STARTING", "TASK_RUNNING", "TASK_FINISHED"])
        driver.killTask({"value": "long"})
        self.state_of(scheduler, "long", "TASK_KILLED")
        driver.reconcileTasks([{"task_id": {"value": "never"}}])
        self.state_of(scheduler, "never", "TASK_LOST")
        # Everything was acknowledged, so nothing is sent twice.
        count = len(scheduler.of("status"))
        self.world.pass_time(600000)
        self.assertEqual(len(scheduler.of("status")), count)
        self.world.until("heartbeats", lambda: scheduler.of("heartbeat"))
        self.assertEqual(scheduler.of("error"), [])

    def test_a_task_that_is_invalid_is_in_error_and_the_offer_comes_again(self):
        scheduler, driver = self.framework()
        offer = self.offer(scheduler)
        driver.launchTasks(offer["id"], [task(offer, "bad", "true", cpus=-1)])
        self.state_of(scheduler, "bad", "TASK_ERROR")
        status = scheduler.of("status")[0]
        self.assertEqual((status["reason"], status["source"]), ("REASON_TASK_INVALID", "SOURCE_MASTER"))
        again = lambda: [o for o in scheduler.of("offer") if o["agent_id"] == offer["agent_id"]][1:]
        self.world.until("the same machine offered again", again)

    def test_offers_are_declined_suppressed_and_revived(self):
        scheduler, driver = self.framework()
        self.world.until("an offer of each machine", lambda: len(scheduler.of("offer")) == 3)
        for offer in scheduler.of("offer"):
            driver.declineOffer(offer["id"], filters={"refuse_seconds": 30})
        driver.suppressOffers()
        self.world.pass_time(120000)
        self.assertEqual(len(scheduler.of("offer")), 3)
        driver.reviveOffers()
        self.world.until("all of them again", lambda: len(scheduler.of("offer")) == 6)

    def test_resources_are_reserved_and_the_operation_is_told(self):
        scheduler, driver = self.framework(
            roles=["dev"], principal="p", capabilities=[{"type": "MULTI_ROLE"}, {"type": "RESERVATION_REFINEMENT"}]
        )
        offer = self.offer(scheduler)
        reserved = scalar("cpus", 1)
        reserved["reservations"] = [{"type": "DYNAMIC", "role": "dev", "principal": "p"}]
        reserved["allocation_info"] = {"role": "dev"}
        driver.acceptOffers(offer["id"], [{"type": "RESERVE", "reserve": {"resources": [reserved]}}])

        def reserved_cpus():
            return [
                resource["scalar"]["value"]
                for each in scheduler.of("offer")
                for resource in each["resources"]
                if resource["name"] == "cpus" and resource.get("reservations")
            ]

        self.assertEqual(self.world.until("the reservation offered", reserved_cpus)[0], 1)

    def test_a_scheduler_that_comes_back_has_its_tasks(self):
        scheduler, driver = self.framework(failover=True)
        offer = self.offer(scheduler)
        driver.launchTasks(offer["id"], [task(offer, "long", "./serve")])
        self.state_of(scheduler, "long", "TASK_RUNNING")
        framework_id = driver.framework_id
        driver.stop(failover=True)
        driver.join()
        self.world.pass_time(60000)
        after, driver = self.framework(id={"value": framework_id})
        self.world.until("registered again", lambda: after.of("reregistered"))
        self.assertEqual(driver.framework_id, framework_id)
        driver.reconcileTasks([])
        self.state_of(after, "long", "TASK_RUNNING")
        # Without fail-over its end is the end of its tasks, and it is not taken back.
        driver.stop()
        driver.join()
        state = self.world.ask("GET", "/master/state")
        self.assertEqual(state["frameworks"], [])
        self.assertEqual([each["id"] for each in state["completed_frameworks"]], [framework_id])
        late, driver = self.framework(failover=True, id={"value": framework_id})
        self.world.until("a refusal", lambda: late.of("error"))
        self.assertEqual(late.of("error")[0], "Framework has been removed")

    def test_a_machine_that_is_lost_is_told(self):
        scheduler, driver = self.framework()
        offer = self.offer(scheduler)
        driver.launchTasks(offer["id"], [task(offer, "long", "./serve")])
        self.state_of(scheduler, "long", "TASK_RUNNING")
        self.world.ask("POST", "/sim/inputs", {"kind": "remove-agent", "agent": offer["hostname"]})
        lost = self.world.until("the machine's end", lambda: scheduler.of("agent-lost"), step=15000)
        self.assertEqual(lost[0], offer["agent_id"])
        self.state_of(scheduler, "long", "TASK_LOST")

    def test_machines_to_be_maintained_are_asked_back(self):
        scheduler, driver = self.framework()
        offer = self.offer(scheduler)
        driver.launchTasks(offer["id"], [task(offer, "long", "./serve")])
        self.state_of(scheduler, "long", "TASK_RUNNING")
        operator = MesosOperatorMasterDriver(self.world.address)
        agents = operator.getAgents()["get_agents"]["agents"]
        (machine,) = [
            {"hostname": agent["agent_info"]["hostname"], "ip": agent["pid"].split("@")[1].split(":")[0]}
            for agent in agents
            if agent["agent_info"]["id"] == offer["agent_id"]
        ]
        begin = {"nanoseconds": 3600 * 10**9}
        window = {"machine_ids": [machine], "unavailability": {"start": begin}}
        operator.updateMaintenanceSchedule([window])
        inverse = self.world.until("an inverse offer", lambda: scheduler.of("inverse-offer"))[0]
        self.assertEqual(inverse["agent_id"], offer["agent_id"])
        self.assertEqual(inverse["unavailability"]["start"], begin)

        def answer():
            status = operator.getMaintenanceStatus()["get_maintenance_status"]["status"]
            (draining,) = status["draining_machines"]
            return [each["status"] for each in draining.get("statuses", [])]

        driver.declineInverseOffer(inverse["id"], filters={"refuse_seconds": 5})
        self.assertEqual(answer(), ["DECLINE"])
        again = self.world.until("another one", lambda: scheduler.of("inverse-offer")[1:])[0]
        driver.acceptInverseOffers(again["id"])
        self.assertEqual(answer(), ["ACCEPT"])
        driver.killTask({"value": "long"})
        self.state_of(scheduler, "long", "TASK_KILLED")
        operator.startMaintenance([machine])
        down = operator.getMaintenanceStatus()["get_maintenance_status"]["status"]["down_machines"]
        self.assertEqual(down, [machine])
        operator.stopMaintenance([machine])
        self.assertNotIn("down_machines", operator.getMaintenanceStatus()["get_maintenance_status"]["status"])


if __name__ == "__main__":
    unittest.main()
