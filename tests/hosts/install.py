"""Makes a Python with the hosts of documents in requirements.txt and our packages for them: python3 install.py FOLDER

Everything comes from PyPI with pip. Ends with 3 and the reason on its last line when that cannot be done here.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = [os.path.join(HERE, "..", "..", "hosts", name) for name in ("mkdocs", "sphinx")]


def main(folder):
    with open(os.path.join(HERE, "requirements.txt")) as lines:
        wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    stamp = os.path.join(folder, "installed")
    mark = "\n".join(wanted)
    if os.path.isfile(stamp) and open(stamp).read() == mark:
        return
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "venv", folder], "python3 -m venv")
    names = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    pip = [os.path.join(folder, *names), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    run(pip + wanted, "pip install")
    # Where they lie, so that a change of them needs no installation.
    run(pip + ["--no-deps"] + [word for path in OURS for word in ("--editable", path)], "pip install --editable")
    with open(stamp, "w") as out:
        out.write(mark)


class Failed(Exception):
    pass


def run(words, what):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        errors = [line.strip() for line in done.stdout.splitlines() if "rror" in line]
        raise Failed("{}: {}".format(what, errors[-1] if errors else "failed"))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (Failed, OSError) as reason:
        sys.stderr.write("{}\n".format(reason))
        sys.exit(3)
