"""Demos of rollouts in Sphinx.

In conf.py: extensions = ["planarium_sphinx"]. In a document:

    .. planarium::
       :plan: deploy
       :until: complete

       name: hello
       ...
       # @expect deploy COMPLETE by 90s

The directive hands its body and options to `planarium embed --fence`, which runs, checks and draws them. Nothing here knows what they say.
Builders without HTML get the plans as text.
"""

import json
import os
import shutil
import subprocess

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import SphinxError
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)


class DemoError(SphinxError):
    """A demo that is false or broken, or a program that is not there. Ends the build with its words."""

    category = "planarium"


class Anything(dict):
    """Options of every name; planarium itself says which it does not know."""

    def __getitem__(self, _name):
        return directives.unchanged

    def __contains__(self, _name):
        return True

    def __bool__(self):
        return True


class demo(nodes.General, nodes.Element):
    """A demo: its HTML, and the plans as text below it for other builders."""


class Planarium(SphinxDirective):
    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = Anything()

    def run(self):
        path, line = self.state_machine.get_source_and_line(self.content_offset if self.content else self.lineno)
        options = dict(self.options)
        if self.arguments:
            options["src"] = self.arguments[0]
            self.env.note_dependency(os.path.join(os.path.dirname(path), self.arguments[0]))
        words = [
            program(self.config), "embed", "--fence", "--format", "json", "--info", info(options),
            "--file", os.path.relpath(path, self.env.srcdir), "--line", str(line or 1), "--root", os.path.dirname(path),
        ]
        drawn = run(words, "\n".join(self.content) + "\n")
        told = [f"{one['file']}:{one['line']}: {one['message']}" for one in drawn["findings"]]
        if not drawn["ok"]:
            # Ends the build: what is not written down as read is read again next time.
            raise DemoError("\n".join(told))
        for text in told:
            log.warning(text)
        node = demo(html=drawn["html"])
        blocks = [("yaml", text) for _, text in drawn["sources"]] + [("text", drawn["text"])]
        for language, text in blocks:
            node += nodes.literal_block(text, text, language=language)
        self.set_source_info(node)
        return [node]


class Unread(SphinxTransform):
    """Ends the build for a directive that docutils could not read: it would stay unchecked, with nothing but a line in the log."""

    # Before Sphinx takes the messages out.
    default_priority = 100

    def apply(self, **_):
        for message in self.document.findall(nodes.system_message):
            text = message.astext()
            if 'Error in "planarium" directive' in text:
                path = os.path.relpath(message.get("source", self.env.doc2path(self.env.docname)), self.env.srcdir)
                reason = [line for line in text.splitlines() if line.strip()][1]
                raise DemoError(f"{path}:{message.get('line', 1)}: this directive cannot be read: {reason}")


def info(options):
    """The options as the first line of a fence."""
    pairs = []
    for key, value in options.items():
        value = value or "true"
        quote = "'" if '"' in value else '"'
        pairs.append(f"{key.replace('-', '_')}={quote}{value}{quote}")
    return " ".join(["planarium", *pairs])


def run(words, text):
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8")
    except OSError as reason:
        raise DemoError(f"{words[0]} cannot be run: {reason}; install planarium or set planarium_program")
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise DemoError(done.stderr.strip() or f"planarium ended with {done.returncode}")


def program(config):
    """The planarium program: as configured, as PLANARIUM_BIN says, or on the path."""
    return config.planarium_program or os.environ.get("PLANARIUM_BIN") or shutil.which("planarium") or "planarium"


def visit_html(translator, node):
    translator.body.append(node["html"])
    raise nodes.SkipNode


def visit(_translator, _node):
    pass


def assets(app):
    """Writes script and styles where Sphinx takes static files from."""
    if app.builder.format != "html":
        return
    folder = os.path.join(app.doctreedir, "planarium")
    done = subprocess.run([program(app.config), "embed", "--assets", folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise DemoError(f"script and styles cannot be written: {done.stderr.strip()}")
    app.config.html_static_path.append(folder)
    app.add_css_file("planarium-embed.css")
    app.add_js_file("planarium-embed.js")


def setup(app):
    app.add_config_value("planarium_program", "", "env")
    both = (visit, visit)
    app.add_node(demo, html=(visit_html, None), latex=both, text=both, man=both, texinfo=both)
    app.add_directive("planarium", Planarium)
    app.add_transform(Unread)
    app.connect("builder-inited", assets)
    return {"version": "0.1.0", "parallel_read_safe": True, "parallel_write_safe": True}
