"""Runs the tests of this folder against a built `planarium`: python run.py PROGRAM [TEXT]

With TEXT only those with it in their names. The last lines count what passed, failed and was skipped.
"""

import logging
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Lines(unittest.TextTestResult):
    """Counts what passed, too."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(program, text=None):
    os.environ["PLANARIUM"] = os.path.abspath(program)
    sys.path.insert(0, HERE)
    found = unittest.defaultTestLoader.discover(HERE, pattern="test_*.py")
    logging.getLogger("pymesos").setLevel(logging.CRITICAL)
    chosen = unittest.TestSuite(test for test in each(found) if text is None or text in test.id())
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Lines).run(chosen)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print("# pass {}\n# fail {}\n# skipped {}".format(result.passed, failed, len(result.skipped)))
    return 1 if failed else 0


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
