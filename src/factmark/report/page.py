"""What all reports are: one HTML file that needs nothing else, no network and no script.

The templates escape everything; `visible` runs over each value before that. Style and script are
inlined, and a content security policy allows these two by their hash and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from factmark.ask.budget import Spend
from factmark.files.flat_files import json_text
from factmark.model import Estimate
from factmark.report.charts import BarChart, DotChart, tone
from factmark.report.highlights import (
    deciding_sentence,
    highlight,
    highlight_evidence,
    highlight_part,
)
from factmark.report.layouts import DataTable, line_groups
from factmark.report.sentence import FirstSentence
from factmark.text.shown_text import (
    count,
    interval,
    name_counts,
    number,
    shorten_name,
    visible,
)
from factmark.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

_BACKTICKS = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the cards of a page can be filtered and sorted by.

    Attributes:
        singular, many: what a card is called.
        text: a CSS selector of the parts of a card that a text is looked for in.
        hint: where that is, in words.
        choices: attribute of the cards -> its values, each once.
        orders: values and names of the orders; none if there is just one.
        score: what the cards' score is called, to be bounded by; empty without one.
        flags: attributes that a card has or has not, and their names.
    """

    singular: str
    many: str
    text: str
    hint: str
    choices: Mapping[str, Sequence[str]]
    orders: tuple[tuple[str, str], ...] = ()
    score: str = ""
    flags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A large number at the head of the scores.

    Attributes:
        name: what it is.
        value: an estimate, or a text such as a count.
        note: what stands behind it, or why there is no value.
        main: whether it is the one to quote.
    """

    name: str
    value: Estimate | str
    note: str = ""
    main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentFigures:
    """What asking took: whose work it was, who was asked, and names with values."""

    work: str
    model: str = ""
    values: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the page of a result shows beside its sentence, its tables and its signature.

    Attributes:
        template: extends `page.html` and says how a card looks (block `card`), if there are any.
        title: of the page.
        lead: what was measured, part by part, below the sentence.
        figures: the large numbers.
        stopped: why the work is not complete, a sentence; empty if it is.
        spent: what asking took.
        charts: drawn before the tables.
        folded: tables that open at a click, each with its summary: published figures and the like.
        hidden_tables: names of tables of the result that the page has in another place.
        cards: what cards are of; the template sees each as `card`.
        total: of how many things cards are of the first, if not of all.
        filters: by what cards are filtered and sorted.
        limits: what the numbers do not tell, a sentence each.
        styles: style sheets beyond `report.css`.
        values: what else the template of the cards uses.
    """

    template: str = "page.html"
    title: str
    lead: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    stopped: str = ""
    spent: Sequence[SpentFigures] = ()
    charts: Sequence[BarChart | DotChart] = ()
    folded: Mapping[str, DataTable] = field(default_factory=dict)
    hidden_tables: Sequence[str] = ()
    cards: Sequence[Any] = ()
    total: int | None = None
    filters: Filters | None = None
    limits: Sequence[str] = ()
    styles: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


def render_page(
    page: Page,
    *,
    subject: str,
    sentence: FirstSentence,
    tables: Mapping[str, DataTable],
    problems: Sequence[str],
    signature: Mapping[str, object],
) -> str:
    """Returns the report of a result as one HTML document, ready to be written as UTF-8.

    The same result gives the same text. It works without JavaScript: then all cards are shown and
    there are no filters.
    """
    environment = _environment()
    sheets = ("report.css", *page.styles)
    style = "".join(_inlined_source(environment, name) for name in sheets)
    script = _inlined_source(environment, "report.js")
    return environment.get_template(page.template).render(
        page.values,
        page=page,
        subject=subject,
        sentence=sentence,
        tables={name: table for name, table in tables.items() if name not in page.hidden_tables},
        problems=sentence.other(problems),
        signature=_signature(signature),
        version=__version__,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=_policy(style, script),
    )


def table_html(table: DataTable, sentence: FirstSentence | None = None) -> str:
    """Returns a table with its notes as HTML, and the first sentence of a report before it."""
    template = _environment().from_string(
        '{% import "table.html" as tables %}{% if sentence %}{{ tables.sentence(sentence) }}'
        "{% endif %}{{ tables.table(of, id, of.notes) }}"
    )
    return template.render(of=table, id="table", sentence=sentence)


@cache
def _environment() -> Environment:
    """Returns the templates' environment, which escapes all values and refuses undefined ones."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # for those who write a page

    environment = Environment(
        loader=PackageLoader("factmark.report", "templates"),
        autoescape=True,
        # A misspelt name in a template is an error here, and not a gap in somebody's report.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalise,
    )
    environment.filters.update(
        number=number,
        interval=interval,
        grouped=line_groups,
        count=count,
        tone=tone,
        breakable=_breakable,
        is_estimate=lambda value: isinstance(value, Estimate),
        bounded=shorten_name,
        commands=_commands,
        name_counts=name_counts,
    )
    environment.globals.update(
        highlight=highlight,
        highlight_evidence=highlight_evidence,
        highlight_part=highlight_part,
        deciding_sentence=deciding_sentence,
    )
    return environment


def _finalise(value: object) -> object:
    """Returns what a template prints in place of a value; runs before the escaping."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _commands(note: str) -> Markup:
    """Returns a note in which what stands in backticks is code."""
    parts = str(escape(visible(note)))
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", parts))  # noqa: S704  # escaped above


def _breakable(name: str) -> Markup:
    """Returns a name that may be broken after each `_`, not within its words."""
    return Markup("_<wbr>").join(visible(name).split("_"))


def _inlined_source(environment: Environment, name: str) -> str:
    """Returns a file to be inlined, with the line breaks that a browser hashes."""
    assert environment.loader is not None  # noqa: S101 - set above
    return environment.loader.get_source(environment, name)[0].replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    """Returns a content security policy that allows just these two texts."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    """Returns a text's hash in the form of a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _signature(signature: Mapping[str, object]) -> list[tuple[str, str]]:
    """Returns the entries of a signature as text; what is no text is shown as JSON."""
    return [
        (str(key), value if isinstance(value, str) else _json(value))
        for key, value in signature.items()
    ]


def _json(value: object) -> str:
    """Returns a value as JSON; what JSON has no form for stands as text."""
    return json_text(value, default=str)


def spent_figures(
    work: str, spent: Spend, *, model: str = "", before: str = "Judged before"
) -> SpentFigures:
    """Returns what a page shows of a spend; of rules, which call nobody, the time alone.

    Args:
        work: what was done, as "Judging".
        model: who was asked, where several were.
        before: what units are called that needed nothing.
    """
    about = ""
    if spent.estimated_usage:
        about = "about "
    asked = spent.calls or spent.cached or spent.kept is not None or spent.cost is None
    values: list[tuple[str, str]] = []
    if asked:
        values.append(("Calls", f"{spent.calls:,}"))
        values.append(("Replies read back", f"{spent.cached:,}"))
    if spent.judged_before:
        values.append((before, count(spent.judged_before, "unit", "units")))
    if asked:
        tokens = f"{about}{spent.input_tokens:,} in, {spent.output_tokens:,} out"
        values.append(("Tokens", tokens))
        values.append(("Cost", _cost_words(spent.cost, about)))
    values.append(("Time", _duration_words(spent.seconds)))
    if spent.kept is not None:
        values.append(("Kept in the ledger", kept_words(spent.kept)))
    return SpentFigures(work=work, model=model, values=values)


def kept_words(kept: Spend) -> str:
    """Returns in one line what all replies in the ledger took."""
    about = ""
    if kept.estimated_usage:
        about = "about "
    return (
        f"{count(kept.replies, 'reply', 'replies')}, {about}{kept.input_tokens:,} tokens in, "
        f"{kept.output_tokens:,} out, cost {_cost_words(kept.cost, about)}"
    )


def _cost_words(cost: float | None, about: str) -> str:
    """Returns US dollars for people, with `about` before them; it says so if no price is known."""
    if cost is None:
        return "not known, for want of a price"
    return f"{about}${cost:,.2f}"


def _duration_words(seconds: float) -> str:
    """Returns seconds as people read them.

    >>> _duration_words(0.25), _duration_words(75), _duration_words(7322)
    ('0.2 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if seconds < 60 and whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
