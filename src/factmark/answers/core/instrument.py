"""How good the rules are as an instrument, answer by answer: style, error, what was not read.

`unseen.json` holds the errors as they were measured on marked answers of whose domain, style or
writer the rules had learnt nothing; `make unseen` writes it. By how much averages are off differs
between writers, and in no way that the style of their answers tells: a bias by style had the wrong
sign on the answers of other writers in 16 of 24 cases. So reports print how far it ranges over
writers, and the user's own figures as soon as people marked twenty answers.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import Row, ScoredAnswer, UnscoredAnswer
from factmark.answers.core.rows import RULES
from factmark.answers.core.scores import is_boolean
from factmark.answers.results import Results
from factmark.model import Estimate
from factmark.stats.clusters import nearest_rank
from factmark.stats.comparison import Options, difference
from factmark.text.markdown import unread

_REMEMBERED = 4_096  # answers; a report asks of each several times
FEWEST_MARKS = 20
"""As many answers that people marked tell what the judge is off by on answers like them."""

_SHORT = 6  # words; what is longer has room for a sentence
_LOOKS: Mapping[str, re.Pattern[str]] = {
    # In this order: a table within the result of a tool is the tool's, a cited list is a list.
    "tool envelope": re.compile(
        r"^\W{0,4}(?:action(?:\s+input)?|observation|final\s+answer|thought)\s?\d{0,2}\W{0,3}:"
        r"|</?(?:tool|function|invoke|thought|thinking|search|result)[\w-]*[^<>\n]{0,80}>"
        r"|\"bindings\"\s*:|\"type\"\s*:\s*\"literal\""
        r"|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\([^()\n]{0,300}\)",
        re.IGNORECASE | re.MULTILINE,
    ),
    "JSON": re.compile(
        r"\A\s*(?:```\w*\s*)?[\[{]\s*[\"{\[\]}]|^```json\b|^[ \t]*\{\s*\"", re.MULTILINE
    ),
    "table": re.compile(r"^(?=[^\n]*--)(?=[^\n]*\|)[ \t:|-]+$|^```[ct]sv\b", re.MULTILINE),
    "list": re.compile(
        r"(?:^|\n)[ \t>]*(?:[-*+•·‣◦–]|\(?\d{1,3}[.)])[ \t]+\S[^\n]*\n+"
        r"[ \t>]*(?:[-*+•·‣◦–]|\(?\d{1,3}[.)])[ \t]+\S"
        r"|(?<!\S)\(?1[.)]\s+\S(?:(?!\s\(?1[.)]\s).){0,400}?(?<!\S)\(?2[.)]\s+\S|•[^•\n]+•",
        re.DOTALL,
    ),
    "headings": re.compile(  # in bold, it stands alone on its line or ends in a colon
        r"^ {0,3}#{1,6}[ \t]+\S|^[ \t]*\*\*[^*\n]{1,120}(?::\*\*|\*\*[ \t]*(?::|$))", re.MULTILINE
    ),
    "citations": re.compile(
        r"\[\^?\d{1,3}(?:[,;–-][^\[\]\n]{1,60})?\]|【|<sup>|\^\w{1,2}\^"
        r"|(?<![cdkm]m)(?<!\bm)[¹²³⁴-⁹](?!\w)"
        r"|(?<=\w)[†‡§](?=\W|$)"
        r"|\[(?:doc(?:ument)?|passage|source|ref|chunk|context|section|page|art)\b[^\[\]\n]{0,80}\]"
        r"|\([^()\n]{2,60},\s(?:19|20)\d\d[a-z]?\)|\[[^\[\]\n]{2,60},\s[^\[\]\n]{2,40}\](?!\()"
        r"|\[\^?[a-z]\](?!\()|\(source:",
        re.IGNORECASE,
    ),
    "passages": re.compile(
        r"\b(?:passages?|contexts?|excerpts?|snippets?)\b"
        r"|\b(?:provided|given|retrieved|supplied)\s+(?:text|documents?|information|sources?|data)\b"
        r"|\b(?:according to|based on|from)\s+(?:the\s+)?(?:documents?|sources?|text)\b",
        re.IGNORECASE,
    ),
    "hedged": re.compile(
        r"\b(?:as far as i|i (?:think|believe|suspect|guess|assume|recall|seem to|understand)"
        r"|if i (?:remember|recall|am not)|i'm not (?:sure|certain)|i am not (?:sure|certain)"
        r"|(?:best|only|educated)\sguess|would\s(?:estimate|guess)|fairly\ssure|if\smemory"
        r"|estimates?"
        r"|probably|presumably|perhaps|possibly|likely|typically|typical|usually|generally|might"
        r"|may have|may be|must have|seems?|appears?|to my knowledge|don't quote me|off the top)\b",
        re.IGNORECASE,
    ),
    "declined": re.compile(
        r"\b(?:i|we)\s(?:am\s|was\s|'m\s)?(?:can't|cannot|can\snot|couldn't|could\snot|won't|don't\s"
        r"(?:have|know)|do\snot\s(?:have|know)|unable|not\s(?:able|allowed|permitted)|must\sdecline"
        r"|have\s(?:to\sdecline|no\s(?:way|access|information|data))|need\s(?:a|the)\b)"
        r"|\b(?:unable|not\spossible|no\sway)\b(?:\sfor\sme)?\sto\b"
        r"|\bi'm\s(?:not\sable|unable|sorry)\b"
        r"|\bto\sdecline\b|\bno\scomment\b",
        re.IGNORECASE,
    ),
}


@lru_cache(maxsize=_REMEMBERED)
def style_of(answer: str) -> str:
    """The style of an answer: the first of `_LOOKS` that its surface shows, else `short` or
    `prose`."""
    text = answer.replace("’", "'")
    for style, look in _LOOKS.items():
        if look.search(text):
            return style
    if _n_words(text) <= _SHORT:
        return "short"
    return "prose"


def _n_words(text: str) -> int:
    """How many words a text has, by white space."""
    return len(text.split())


@lru_cache(maxsize=1)
def unseen() -> Mapping[str, Any]:
    """What the rules were off by on marked answers of a `domain`, a `style` or a `writer` that they
    had not seen.

    Each has `answers` (how many), `rules` (their version), `error` (of C, H and S the mean absolute
    error of an answer), and `truths`: kind of ground truth -> `answers` and `error`. `domain` has
    the `spread` of people's scores about a line in the rules' (root mean square). `writer` has
    `writers`: name -> `answers`, and of C, H and S the `bias`, by which the average of the writer's
    answers is off (above 0 where the rules say more than people).
    """
    text = files("factmark.answers.core").joinpath("unseen.json").read_text("utf-8")
    measured: dict[str, Any] = json.loads(text)
    return measured


# The weights that the package brings have learnt from all styles, and from no domain of a user's.
_LEFT_OUT = "domain"


def kind_of_truth(ground_truth: Sequence[str]) -> str:
    """What an answer is held against: `elements`, a `verdict` (yes or no), or that there is
    `none`."""
    if not ground_truth:
        return "none"
    if is_boolean(ground_truth):
        return "verdict"
    return "elements"


def expected_error(truths: Iterable[Sequence[str]]) -> dict[str, float]:
    """The error of C, H and S that is to be expected of an answer in a domain that the rules have
    not seen, by what the answers are held against.

    Args:
        truths: the ground truth of each answer; there is at least one.
    """
    kinds = Counter(map(kind_of_truth, truths))
    measured = unseen()[_LEFT_OUT]["truths"]
    return {
        key: sum(n * measured[kind]["error"][key] for kind, n in kinds.items()) / kinds.total()
        for key in METRICS
    }


class BiasRange(NamedTuple):
    """By how much averages of writers that the rules had not learnt from were off: between these
    two for eight writers in ten."""

    low: float
    high: float


def bias_over_writers() -> dict[str, BiasRange]:
    """Metric -> the range of the bias over writers of whom the rules had learnt nothing."""
    writers = unseen()["writer"]["writers"].values()
    ranges = {}
    for key in METRICS:
        biases = [writer["bias"][key] for writer in writers]
        ranges[key] = BiasRange(nearest_rank(biases, 0.1), nearest_rank(biases, 0.9))
    return ranges


class OwnError(NamedTuple):
    """What a judge was off by on the answers that people marked: the bias of an average, and the
    mean absolute error of an answer."""

    bias: Estimate
    error: float


def own_errors(results: Results) -> dict[str, OwnError]:
    """Metric -> what the judge is off by on the user's own answers; nothing where people marked
    fewer than twenty of them."""
    marked = [row for row in results.answers if row.answer.id in results.people]
    if len(marked) < FEWEST_MARKS:
        return {}
    level = float(str(results.signature.get("level", 0.95)))
    errors = {}
    for key, metric in METRICS.items():
        judged: dict[str, dict[str, list[float]]] = {}
        people: dict[str, dict[str, list[float]]] = {}
        distances = []
        for row in marked:
            ours = metric.of(row.score)
            theirs = results.people[row.answer.id][key]
            question = row.question.query_id
            judged.setdefault(question, {})[row.answer.id] = [ours]
            people.setdefault(question, {})[row.answer.id] = [theirs]
            distances.append(abs(ours - theirs))
        bias = difference(judged, people, options=Options(level=level)).difference
        errors[key] = OwnError(bias, math.fsum(distances) / len(distances))
    return errors


def not_read(row: Row, judge: str) -> tuple[str, ...]:
    """The parts of an answer that were not read, a phrase with the reason for each, in order.

    Args:
        judge: who found the facts; the rules where it is empty. Only they leave out queries, code
            and calls of tools.
    """
    if isinstance(row, UnscoredAnswer):
        return (f"all of it: no score ({row.why.reason or row.why.status})",)
    if row.answer.trace is not None and row.answer.trace.ended == "refused":
        return ("all of it: the model refused",)
    if judge not in (RULES, "") or not row.answer.text.strip():
        return ()
    if is_boolean(row.question.ground_truth or ()):
        return ("all but the verdict: the ground truth is a yes or no",)
    return _phrases_with_counts(row.answer.text)


@lru_cache(maxsize=_REMEMBERED)
def _phrases_with_counts(answer: str) -> tuple[str, ...]:
    """What the rules leave out of an answer, a phrase for each kind with how often it occurs."""
    return tuple(
        phrase if times == 1 else f"{phrase} ({times} times)"
        for phrase, times in Counter(unread(answer)).items()
    )


def to_review(row: Row) -> str:
    """Why a person should look at an answer of more than six words in which no fact was found.

    Empty for all others. Some of these answers do state nothing; in others it was overlooked.
    """
    if not isinstance(row, ScoredAnswer) or row.score.facts:
        return ""
    if _n_words(row.answer.text) <= _SHORT:
        return ""
    if row.score.absence:
        return "no fact: read as a report that there is nothing"
    if is_boolean(row.question.ground_truth or ()):
        return "no fact: neither yes nor no was read"
    return "no fact: nothing that it states was read as one"
