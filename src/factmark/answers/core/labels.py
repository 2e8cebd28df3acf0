"""Which labels state something: headings, heads of tables, keys (E9).

A label mostly says what stands under it (`Details`, `Patients`). It states something where it
matches G, where one of its group does (headings of one level, heads of one table), and where it is
a number or a name by its form.
"""

from __future__ import annotations

from collections.abc import Collection

from factmark.answers.core import lexicon
from factmark.answers.core.lexicon import word_set
from factmark.answers.core.phrases import CONTENT, STOP, is_capital, is_generic_noun, word_class
from factmark.answers.core.reading import Clause
from factmark.answers.core.tokens import Kind

# Heads of the first column of a table whose columns are things and whose rows are properties.
_PROPERTIES = word_set(
    "property attribute aspect feature field metric measure criterion characteristic parameter"
)


def counts(clause: Clause, stating: Collection[str]) -> bool:
    """Whether what a clause holds is stated, and does not only head what is.

    Args:
        stating: the groups of which something matches G, or whose heads are names.
    """
    segment = clause.segment
    if segment.group.startswith("rows of"):  # names, unless the heads are
        heads = segment.group.replace("rows of", "heads of", 1)
        return segment.group in stating or heads not in stating
    if segment.kind != "label" or segment.group in stating:
        return True
    if segment.group in ("", "keys") or segment.group.startswith("heads of"):
        return False
    return _is_number(clause) or _is_name(clause)


def heads_name(clause: Clause) -> bool:
    """Whether a clause is a head of a table whose columns are things, named by it."""
    segment = clause.segment
    if segment.kind != "label" or not segment.group.startswith("heads of"):
        return False
    return (not segment.column or segment.column in _PROPERTIES) and _is_name(clause)


def _is_number(clause: Clause) -> bool:
    """Whether a label states nothing but a number: `48`, `Total: 48`."""
    words = [token for token in clause.tokens if token.kind < Kind.MARK]
    numbers = [token for token in words if token.kind in (Kind.NUMBER, Kind.DATE)]
    return bool(numbers) and all(
        token in numbers or word_class(token.lower) != CONTENT for token in words
    )


def _is_name(clause: Clause) -> bool:
    """Whether all words of a label are written as those of a name (`Silent Ferry`)."""
    words = [token for token in clause.tokens if token.kind < Kind.MARK]
    words = [token for token in words if word_class(token.lower) != STOP]
    if len(words) < 2 or not all(is_capital(token) or token.kind is Kind.NUMBER for token in words):
        return False
    last = words[-1].lower
    return last in lexicon.HEADS or not is_generic_noun(last)
