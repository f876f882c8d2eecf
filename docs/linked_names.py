"""For the site: names that have a page become links, and tables fit their page."""

import importlib
import re
from itertools import chain

from docutils import nodes
from sphinx.addnodes import pending_xref


def setup(app):
    """Shape each page as soon as it is read; `linked_names` says where each name leads."""
    app.add_config_value("linked_names", {}, "env", [dict])
    app.connect("doctree-read", link_public_names)
    app.connect("doctree-read", shape_tables)
    return {"parallel_read_safe": True}


def link_public_names(app, doctree):
    """Let every name that has a place in the API, and stands as code, be a link to it."""
    here = app.env.docname.removeprefix("generated/")
    places, own = app.config.linked_names, set()
    if here in places.values():
        module, _, name = here.rpartition(".")
        own = set(dir(getattr(importlib.import_module(module), name)))
    for code in list(doctree.findall(nodes.literal)):
        name, _, member = code.astext().partition("(")[0].removeprefix("eulac.").partition(".")
        inside = code.parent
        while inside and not isinstance(inside, nodes.reference | nodes.title | pending_xref):
            inside = inside.parent
        if inside or name not in places or places[name] == here or name in own:
            continue
        target = f"{places[name]}.{member}" if member else places[name]
        code.parent.replace(code, link_to(target, code.deepcopy()))
    for kind in doctree.findall(nodes.classifier):  # types of parameters
        for text in [child for child in kind.children if isinstance(child, nodes.Text)]:
            parts = re.split(rf"\b({'|'.join(places)})\b", text)
            linked = [link_to(places[part], nodes.Text(part)) for part in parts[1::2]]
            plain = [nodes.Text(part) for part in parts[::2]]
            kind.replace(text, [*chain(*zip(plain, linked, strict=False)), plain[-1]])


def link_to(target, shown):
    """Return a link to a place in the API."""
    return pending_xref("", shown, refdomain="py", reftype="obj", reftarget=target)


def shape_tables(app, doctree):
    """Let tables of many columns be small, and keep figures of reports in one line."""
    for table in doctree.findall(nodes.table):
        columns = len(list(table.findall(nodes.colspec)))
        table["classes"] += ["many-columns"] * (columns > 7)
        if not app.env.docname.startswith("results/"):
            continue
        for cell in chain(*(body.findall(nodes.entry) for body in table.findall(nodes.tbody))):
            for text in list(cell.findall(nodes.Text)):  # lines break before parentheses only
                kept = re.sub(r" (?!\()", "\N{NO-BREAK SPACE}", text)
                text.parent.replace(text, nodes.Text(kept))
