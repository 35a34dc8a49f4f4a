"""Makes a Python with the client libraries of requirements.txt: python3 install.py FOLDER

Everything comes from PyPI with pip. Where the C half of http-parser does not build (Python 3.11 and later), its Python
half is taken alone; http-parser imports it by itself where the other one is missing. Ends with 3 and the reason on its
last line when the libraries cannot be installed here.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")


def main(folder):
    with open(REQUIREMENTS) as lines:
        wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    stamp = os.path.join(folder, "installed")
    if os.path.isfile(stamp) and open(stamp).read() == "\n".join(wanted) and works(folder):
        return
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "venv", folder], "python3 -m venv")
    pip = [python(folder), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    try:
        run(pip + ["install", "--no-deps"] + wanted, "pip install")
    except Failed:
        parser = [name for name in wanted if name.startswith("http-parser")]
        run(pip + ["install", "--no-deps"] + [name for name in wanted if name not in parser], "pip install")
        without_c(folder, pip, parser[0])
    if not works(folder):
        raise Failed("the libraries were installed but cannot be imported")
    with open(stamp, "w") as out:
        out.write("\n".join(wanted))


def without_c(folder, pip, requirement):
    """The Python files of a source package, put where Python finds them."""
    site = run([python(folder), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], "python").strip()
    with tempfile.TemporaryDirectory() as down:
        run(pip + ["download", "--no-deps", "--no-binary", ":all:", "--dest", down, requirement], "pip download")
        (archive,) = os.listdir(down)
        with tarfile.open(os.path.join(down, archive)) as source:
            for member in source.getmembers():
                parts = member.name.split("/")
                if member.isfile() and len(parts) == 3 and parts[1] == "http_parser" and parts[2].endswith(".py"):
                    os.makedirs(os.path.join(site, parts[1]), exist_ok=True)
                    with open(os.path.join(site, parts[1], parts[2]), "wb") as out:
                        out.write(source.extractfile(member).read())


def python(folder):
    names = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(folder, *names)


def works(folder):
    try:
        run([python(folder), "-c", "import pymesos, marathon, kubernetes"], "import")
        return True
    except (Failed, OSError):
        return False


class Failed(Exception):
    pass


def run(words, what):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        errors = [line.strip() for line in done.stdout.splitlines() if "rror" in line]
        raise Failed("{}: {}".format(what, errors[-1] if errors else "failed"))
    return done.stdout


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (Failed, OSError) as reason:
        sys.stderr.write("{}\n".format(reason))
        sys.exit(3)
