"""Demos of rollouts in MkDocs.

In mkdocs.yml:

    plugins:
      - planarium

Each fence ```planarium goes to `planarium embed --fence`, which runs, checks and draws it. The plugin tells it the page and the line,
registers the fence with pymdownx.superfences and puts script and styles into the site. Nothing here knows what a fence says.
"""

import html
import json
import os
import re
import shutil
import subprocess

from mkdocs.config import config_options
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger
from pymdownx.superfences import SuperFencesException

log = get_plugin_logger(__name__)

ASSETS = "planarium"


class DemoError(SuperFencesException, PluginError):
    """A fence that is false or broken. Superfences let it pass, and MkDocs ends the build with its words."""


class Page:
    """The page that is being built: superfences tell a fence neither its file nor its line."""

    name = "-"
    folder = "."
    lines = ()
    program = None
    taken = ()


def validate(language, inputs, options, attrs, md):
    """Takes every option as it is written; planarium itself says which it does not know."""
    options.update(inputs)
    return True


def fence(source, language, css_class, options, md, **_):
    """Draws a fence: the `format` of a custom fence of pymdownx.superfences."""
    line, first = opening_of(source)
    words = [
        program(Page.program), "embed", "--fence", "--format", "json",
        "--info", first or info(options), "--file", Page.name, "--line", str(line), "--root", Page.folder,
    ]
    try:
        done = subprocess.run(words, input=source, capture_output=True, text=True, encoding="utf-8")
    except OSError as reason:
        raise DemoError(f"{words[0]} cannot be run: {reason}; install planarium or set `program` of the plugin")
    try:
        drawn = json.loads(done.stdout)
    except ValueError:
        raise DemoError(done.stderr.strip() or f"planarium ended with {done.returncode}")
    told = [f"{one['file']}:{one['line']}: {one['message']}" for one in drawn["findings"]]
    if not drawn["ok"]:
        raise DemoError("\n".join(told))
    for line in told:
        log.warning(line)
    # Markdown for Python puts an element that it does not know into a paragraph, which the table would end.
    return f'<div class="planarium">\n{without_script(drawn["html"])}</div>'


RECORDING = re.compile(r'<script type="application/json" class="pl-recording">(.*?)</script>\n?', re.DOTALL)


def without_script(picture):
    """The picture with its recording in an attribute: instant navigation would run it as a script."""
    found = RECORDING.search(picture)
    if not found:
        return picture
    attribute = f'<planarium-embed data-recording="{html.escape(found.group(1))}"'
    return RECORDING.sub("", picture).replace("<planarium-embed", attribute, 1)


def info(options):
    """The fence's first line, put together again where no page is known. Superfences give a key alone itself as its value."""
    pairs = []
    for key, value in options.items():
        if value == key:
            pairs.append(key)
            continue
        quote = "'" if '"' in value else '"'
        pairs.append(f"{key}={quote}{value}{quote}")
    return " ".join(["planarium", *pairs])


def opening_of(source):
    """Number and text of the line at which the fence with this body begins: of several with the same body the first not yet taken."""
    wanted = [line.strip() for line in source.rstrip().split("\n")]
    for number in openings(Page.lines):
        body = [line.lstrip(" >").strip() for line in Page.lines[number:number + len(wanted)]]
        if number not in Page.taken and (body == wanted or wanted == [""]):
            Page.taken = (*Page.taken, number)
            return number, Page.lines[number - 1].lstrip(" >`~").strip()
    return 1, None


def openings(lines):
    """Numbers of the lines at which fences of ours begin; those shown inside other fences are not ours."""
    inside = None
    for number, line in enumerate(lines, 1):
        text = line.lstrip(" >")
        mark = text[:len(text) - len(text.lstrip(text[:1]))] if text[:1] in ("`", "~") else ""
        if inside:
            if mark.startswith(inside) and text.strip() == mark:
                inside = None
        elif len(mark) >= 3:
            inside = mark
            if text[len(mark):].strip().startswith("planarium"):
                yield number


def program(named):
    """The planarium program: as named, as PLANARIUM_BIN says, or on the path."""
    return named or os.environ.get("PLANARIUM_BIN") or shutil.which("planarium") or "planarium"


class PlanariumPlugin(BasePlugin):
    config_scheme = (("program", config_options.Type(str, default="")),)

    def on_config(self, config):
        Page.program = self.config["program"]
        if "pymdownx.superfences" not in config.markdown_extensions:
            config.markdown_extensions.append("pymdownx.superfences")
        fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
        if not any(one.get("name") == "planarium" for one in fences):
            fences.append({"name": "planarium", "class": "planarium", "format": fence, "validator": validate})
        config.extra_css.append(f"{ASSETS}/planarium-embed.css")
        config.extra_javascript.append(f"{ASSETS}/planarium-embed.js")
        return config

    def on_page_markdown(self, markdown, page, config, files):
        path = page.file.abs_src_path
        with open(path, encoding="utf-8") as text:
            Page.lines = text.read().splitlines()
        base = os.path.dirname(config.config_file_path) if config.config_file_path else os.getcwd()
        Page.name = os.path.relpath(path, base)
        Page.folder = os.path.dirname(path)
        Page.taken = ()
        return markdown

    def on_page_content(self, content, page, config, files):
        # What superfences cannot read stays code, unchecked: a value without quotes, mostly.
        for number in openings(Page.lines):
            if number not in Page.taken:
                raise PluginError(f"{Page.name}:{number}: superfences cannot read this fence: quote the values, key=\"value\"")
        return content

    def on_post_build(self, config):
        folder = os.path.join(config.site_dir, ASSETS)
        words = [program(Page.program), "embed", "--assets", folder]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
        except OSError as reason:
            raise PluginError(f"{words[0]} cannot be run: {reason}")
        if done.returncode != 0:
            raise PluginError(f"script and styles cannot be written: {done.stderr.strip()}")
