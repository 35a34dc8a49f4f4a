"""A simulated cluster of a test's own, over `planarium serve`."""

import json
import os
import subprocess
import time
from http.client import HTTPConnection

# Seconds of real time that anything may take.
PATIENCE = 60


class World:
    """Its clock stands still until a test moves it."""

    def __init__(self, *words):
        program = os.environ["PLANARIUM"]
        command = [program, "serve", "--listen", "127.0.0.1:0", "--clock", "manual"] + list(words)
        self.server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
        )
        line = self.server.stdout.readline().strip()
        if not line.startswith("listening on http://"):
            raise AssertionError("{} said {!r}: {}".format(command, line, self.server.stderr.read()))
        self.address = line[len("listening on http://"):]

    def close(self):
        self.server.terminate()
        self.server.communicate()
        if self.server.returncode != 0:
            raise AssertionError("planarium serve ended with {}".format(self.server.returncode))

    def ask(self, method, path, body=None):
        """A request of the test itself; the JSON of the answer."""
        connection = HTTPConnection(self.address, timeout=PATIENCE)
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        if not 200 <= answer.status < 300:
            raise AssertionError("{} {}: {} {}".format(method, path, answer.status, text))
        return json.loads(text) if text else None

    def pass_time(self, milliseconds):
        self.ask("POST", "/sim/advance", {"for_ms": milliseconds})

    def until(self, what, holds, step=500):
        """Moves the clock on until something holds that a library's thread finds out; gives what it found."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = holds()
            if found:
                return found
            self.pass_time(step)
            time.sleep(0.02)
        raise AssertionError("waited in vain: " + what)
