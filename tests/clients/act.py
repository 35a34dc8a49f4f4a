"""Acts once on a served world with the client libraries: python3 act.py ADDRESS marathon|mesos

For the tests in tests/browser that look on in the page. `marathon` installs an app and scales it; `mesos` registers a framework, runs
a task on the first offer and stays until the standard input ends. Prints a line for each step that is done.
"""

import sys
import time

# Seconds of real time that the offer may take.
PATIENCE = 60


def act_marathon(address):
    from test_marathon import MarathonClient, app

    client = MarathonClient("http://" + address)
    client.create_app("/billing", app(1))
    print("created", flush=True)
    client.scale_app("/billing", instances=3, force=True)
    print("scaled", flush=True)


def act_mesos(address):
    from test_scheduler import MesosSchedulerDriver, Recorder, task

    scheduler = Recorder()
    driver = MesosSchedulerDriver(scheduler, {"user": "root", "name": "from-outside"}, address)
    driver.start()
    end = time.monotonic() + PATIENCE
    while not scheduler.of("offer"):
        if time.monotonic() > end:
            raise SystemExit("no offer came")
        time.sleep(0.05)
    offer = scheduler.of("offer")[0]
    driver.launchTasks(offer["id"], [task(offer, "guest", "./serve")])
    print("launched", flush=True)
    sys.stdin.read()
    driver.stop()
    driver.join()


if __name__ == "__main__":
    {"marathon": act_marathon, "mesos": act_mesos}[sys.argv[2]](sys.argv[1])
