"""What a question set asks of a graph, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from factmark.graph_answers.core.records import GraphQuestion, QuestionKind
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable
from factmark.text.shown_text import one_line

KINDS: Mapping[QuestionKind, str] = {
    "text": "free text",
    "choice": "multiple choice",
    "yes-no": "yes/no",
}
_Group = tuple[str, Sequence[GraphQuestion]]


def coverage_table(questions: Sequence[GraphQuestion], *, by: str = "topic") -> DataTable:
    """Returns a table of how many questions of each sort a set has.

    One line for each group, those without a name last, and one for all; a column for each number
    of hops that occurs.

    Args:
        by: the stratum that groups the questions.
    """
    groups: dict[str, list[GraphQuestion]] = {}
    for question in questions:
        groups.setdefault(question.strata.get(by, ""), []).append(question)
    lines = sorted(groups.items(), key=lambda group: (not group[0], group[0]))
    hops = sorted({q.strata.get("hops", "") for q in questions}, key=lambda hop: (not hop, hop))
    by = one_line(by)
    return table_of(
        "What the questions cover",
        (
            Column[_Group](name=by, label=True, value=lambda group: group[0] or f"no {by}"),
            Column[_Group](key=by, value=lambda group: group[0]),
            _count_column("questions", "questions", lambda question: True),
            *(_count_column(name, kind, _is_kind(kind)) for kind, name in KINDS.items()),
            *(
                _count_column(_hops_name(hop), f"hops_{hop or 'none'}", _is_hops(hop))
                for hop in hops
            ),
            _count_column("in the graph", "answerable", lambda q: q.answerable is True),
            _count_column("not in it", "unanswerable", lambda q: q.answerable is False),
            _count_column("not said", "unknown", lambda q: q.answerable is None),
            _count_column("name triples", "with_triples", lambda q: bool(q.triples)),
        ),
        [*lines, ("all", questions)],
        overall=lambda group: group[1] is questions,
    )


def _count_column(name: str, key: str, which: Callable[[GraphQuestion], bool]) -> Column[_Group]:
    """Returns a column of how many questions of a group satisfy `which`."""
    return Column(name=name, key=key, value=lambda group: sum(map(which, group[1])))


def _is_kind(kind: str) -> Callable[[GraphQuestion], bool]:
    """Returns a test for questions of a kind."""
    return lambda question: question.kind == kind


def _is_hops(hop: str) -> Callable[[GraphQuestion], bool]:
    """Returns a test for questions of so many hops."""
    return lambda question: question.strata.get("hops", "") == hop


def _hops_name(hop: str) -> str:
    """Returns the head of a column, as `2 hops`."""
    if hop:
        return f"{one_line(hop)} {'hop' if hop == '1' else 'hops'}"
    return "hops not said"
