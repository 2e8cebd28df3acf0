"""The report: one HTML file that needs nothing else, no network and no script.

The templates escape everything; `visible` runs over each value before that. Style and script are
inlined, and a content security policy allows these two by their hash and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from factmark import __version__
from factmark.answers.records import Results, ScoredAnswer
from factmark.report.highlights import explain, highlight
from factmark.report.metrics import METRICS
from factmark.report.plots import panels
from factmark.report.tables import score_table
from factmark.report.text import interval, number, visible

MISSING_SHOWN = 12


def render_html(results: Results, *, title: str = "Answers against the ground truth") -> str:
    """The report of a study as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all answers are shown and
    there are no filters.

    Raises:
        ValueError: a fact lies outside its answer.
    """
    environment = _environment()
    style, script = (_source(environment, name) for name in ("report.css", "report.js"))
    page = environment.get_template("report.html")
    return page.render(
        title=title,
        results=results,
        metrics=METRICS,
        table=score_table(results),
        panels=panels(results),
        choices=_choices(results.answers),
        signature=_signature(results.signature),
        version=__version__,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=_policy(style, script),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("factmark.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters.update(number=number, interval=interval, explain=explain)
    environment.globals.update(highlight=highlight, missing_shown=MISSING_SHOWN)
    return environment


def _shown(value: object) -> object:
    """What a template prints in place of a value; runs before the escaping."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _source(environment: Environment, name: str) -> str:
    """A file to be inlined, with the line breaks that a browser hashes."""
    assert environment.loader is not None  # noqa: S101 - set above
    return environment.loader.get_source(environment, name)[0].replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    """A content security policy for just these two texts."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _choices(answers: Iterable[ScoredAnswer]) -> dict[str, tuple[str, ...]]:
    """What the answers can be filtered by, each value once, in the order of the answers."""
    answers = tuple(answers)
    return {
        "category": tuple(dict.fromkeys(a.question.category for a in answers)),
        "condition": tuple(dict.fromkeys(a.answer.condition for a in answers)),
        "model": tuple(dict.fromkeys(a.answer.model for a in answers)),
    }


def _signature(signature: Mapping[str, object]) -> list[tuple[str, str]]:
    """Its entries as text; what is no text is shown as JSON."""
    return [
        (str(key), value if isinstance(value, str) else _json(value))
        for key, value in signature.items()
    ]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
