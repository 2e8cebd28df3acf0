"""What a reply declares to be its verdict, wherever it stands and whatever introduces it.

A verdict is declared by a field of JSON, a line that is a label, a label that leads its line or
follows a word for a verdict ("Answer: X", a box, a tag), or one written as a label that ends its
sentence ("so the claim is SUPPORTED").
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from factmark.replies.json_verdicts import json_verdict
from factmark.replies.labels import TOKEN, Finder, Mention
from factmark.replies.loose_json import read
from factmark.replies.markup import without_markup
from factmark.replies.quotations import (
    QUOTED,
    without_blocks,
    without_given,
    without_quotations,
)

SENTENCE = re.compile(r"(?<=[.!?;])[)\]\"]*\s+(?=[^a-z\s])|\n+")
_BUT = re.compile(r"\b(?:but|however|although|though|except|while|whereas)\b", re.I)
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_JSON = re.compile(r"(?<![\w\\$])(?:\{(?!\s{0,9}[\[{])|\[(?=\s{0,20}[\[{\"']))")
_JSON_LABEL = "\ue003"
_LIST_MARK = re.compile(r"^\W*\d{1,3}[.):]")
_CONFIDENCE = re.compile(r"[(\[]?\b(?:confidence|probability|certainty)\b[^\n]{0,30}", re.I)
_FIGURE = re.compile(r"\b\d{1,3}(?:\.\d+)?\s?%|\b[01]?\.\d+\b|\b\d{1,2}/\d{1,2}\b")
_NOUN = r"(?:verdicts?|labels?|answers?|judge?ments?|decision|conclusion|classification|results?|rating|evaluation|grade|ruling|assessment|determination|choice|option|letter|output|response|prediction|selection|scores?|correctness|marks?)"
_NAMED = re.compile(rf"\b{_NOUN}\b", re.I)
_FINAL = re.compile(
    r"\b(?:final(?:ly)?|revised|corrected|amended|updated|ultimate(?:ly)?|overall)\b|\bin (?:conclusion|summary|the end)\b",
    re.I,
)
REVISION = re.compile(
    r"\b(?:wait|on (?:second thou?ghts?|reflection|closer \w+)|correction|scratch that|strike that|let me (?:re\w+|correct|think again)"
    r"|i was (?:wrong|mistaken)|i (?:misread|misspoke|take that back|stand corrected)|my (?:mistake|apologies)|re-?reading|upon (?:closer|further|re)\S*|apologies|sorry|hmm|actually|hold on)(?!\w)",
    re.I,
)
_KEY = re.compile(
    rf"(?:\b{_NOUN}\s+(?:(?!not\b)[\w']+\s+){{0,4}}?(?:is|are|remains|stays|as|be)\s+(?:(?!not\b)[\w']+\s+){{0,2}}?"
    r"|\b(?:I|we)\b[^.;:]{0,40}?\b(?:choose|pick|select|go with|conclude|judge|rate|vote|answer|settle on|say|label|mark|classify|assign|give|find)\b[^.;:]{0,60}\s+"
    r"|\b(?:leaves?|leaving|left with|makes? (?:it|this)|go(?:ing)? with)(?: us| me)?(?: with)?(?: only)?(?: option)?\s+"
    r"|\b(?:gets|deserves|earns|merits|warrants|is an|is a|'s a|so|therefore|thus|hence)(?: an?)?\s+)[\s\[(]*$",
    re.I,
)
_OWN_VERDICT = re.compile(
    r"\b(?:verdict|label|judge?ment|decision|conclusion|classification|rating|evaluation|grade|ruling|assessment|determination)\s+(?:is|remains|stays|as|should be|must be|would be)\s+\W*$",
    re.I,
)
_QUALITIES = frozenset("correct incorrect right wrong true false valid invalid accurate".split())
_COLON = re.compile(
    r"(?::|=|->|=>|→|⇒|\s-{1,2})[\s\[(]*(?:(?:(?:the|this)\s+(?:claim|statement|answer|triple|relation)|it|this)\s+(?:is|was)\s+)?[\s\[(]*$",
    re.I,
)
_NOT_A_KEY = re.compile(
    r"\b(?:options|choices|labels|alternatives?|one of|format|example|e\.g|scale|(?:gold|expected|reference|previous|initial|first|other) (?:answer|label|verdict|option|choice)|reference)\W*(?:is|was|were|would be)?\W*$",
    re.I,
)
_RIGHT = r"(?:is|would be|must be|seems|fits|remains)\s+(?:\w+ly\s+)?(?:the\s+)?(?:therefore |only |single |most |my |best )*(?:correct|right|best|most|appropriate|proper|answer|verdict|label|choice|option|only|accurate|fitting|left)\b"
_AFTER = re.compile(
    rf"^\)\s|^[\s\])}}]*(?:[^\w\s/&|+=→\])}}-]|-+\s|$|(?:because|since|due|given|based|by|per|according|overall|here|as|from me|over|rather|instead|{_RIGHT})\b)",
    re.I,
)
_DENIED_AFTER = re.compile(
    r"^\W*(?:\w+ly )?(?:by|in|with|from)\s+(?:no|not|none|nothing|neither)\b"
    r"|^[\s\])}]*(?:is|are|was)\s+(?:not|wrong|incorrect|false|out|ruled|eliminated|excluded)\b",
    re.I,
)
_LEADS = re.compile(
    r"^(?:\W*(?:an?|clearly|definitely|absolutely|fully|directly|so|overall|therefore|no doubt|sure|well|i think|hmm|wait|actually|correction|sorry|finally|in (?:conclusion|summary|the end|short)|final|ok|yes|no)\b)*\W*$",
    re.I,
)
_CLAUSE = re.compile(r"[,;:]\s|\s-+\s|\b(?:is|are|but|so|therefore|thus|hence|and)\b|->|=>")
_UNMEANT = re.compile(
    r"\b(?:not|never|neither|nor|or|either|than|instead of|over|between|as opposed to|should(?! be)|could|might|may|can not|would have|"
    r"had|to call|consider\w*|lean\w*|initial\w*|originally|at first|previous\w*|earlier|tempt\w*|unable|unclear|ignor\w+|reject\w*|rul\w+ out|exclud\w*|eliminat\w*|не|nicht|pas|kein\w*)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|when|otherwise|had)\b[^;]*$"
    r"|\b(?:not|never|un(?:able|sure)|hard|difficult|hesitate|refuse)\b(?:\s+\w+){0,3}\s+(?:say|call|conclude|think|believe|consider|that)\b[^;]*$",
    re.I,
)
_TURN = re.compile(
    r"[;]|,\s+(?:so|but|and|therefore|thus|hence)\b|\b(?:so|therefore|thus|hence)\b|->|=>", re.I
)
_REPORTED = re.compile(
    r"\b(?:told|instruct\w*|inject\w*|asked|asks|ignor\w+|disregard\w*|attempts?|supposed|prompt\w*|system|user|someone|some|others?|annotators?|graders?)\b[^,]{0,120}$"
    r"|\b(?:passage|source|text|document|article|abstract|context|line|note|sentence|paragraph|vignette|it|which|answer|response|claim|statement)\b[^.]{0,60}?"
    r"\b(?:says?|asserts?|said|states?|reads?|reading|writes?|written|contains?|includes?|asks|tells|claims|instructs|ends with)\b"
    rf"(?:\W*|[^.,:]{{0,80}}|[^.,]{{0,60}}{_NOUN}(?:\s+(?:is|are))?\W*)$",
    re.I,
)
_GRADED = re.compile(
    r"\b(?:partial(?:ly)?|partly|most(?:ly)?|largely|somewhat|mainly|half|semi|weakly|nearly|almost|loosely|probabl[ey]|likely|possibly|perhaps|arguably|barely|sort of|kind of|apparently|borderline|slightly|mixed|roughly|maybe|in part|not (?:fully|entirely|completely|wholly|totally|quite|always|necessarily))[\s_-]+(?:\w+ing )?[\[(]*$",
    re.I,
)
_GRADED_AFTER = re.compile(
    r"^[\])]*[\s,(-]*(?:(?:but|though|although) )?(?:(?:only|just) )?(?:partial(?:ly)?|partly|in part|loosely|to some extent|to a degree|up to a point|(?:or|but|though) (?:it )?(?:could|might|may|possibly|perhaps|maybe))\b",
    re.I,
)
_JOIN = re.compile(
    r"^[\])}\s.]*(?:[/|,→]|->|or|and|and/or|possibly|perhaps|maybe|even|vs\.?|versus|&|\s)*[\s\[({]*$",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One declared verdict.

    Attributes:
        label: None for what is none of the labels, or several at once.
        line: the number of its line, counted over what remains of the reply.
        rank: how plainly: 0 as a label at the end of a sentence, 1 by itself or ahead, 2 after a
            word for a verdict, 3 where that is called final.
        alone: whether nothing else stands on its line.
        aside: whether it stands in a fence.
        revisions: how often the reply had corrected itself before it.
    """

    label: str | None
    line: int
    rank: int
    alone: bool = False
    aside: bool = False
    revisions: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a reply, without markup and what it quotes; `verdict` is that of a JSON value."""

    text: str
    aside: bool
    verdict: tuple[str | None, bool] | None = None


def lines_of(text: str, finder: Finder, given: Sequence[str] = ()) -> list[Line]:
    """The lines of a plain reply that have words or a verdict, JSON read and quotations blanked."""
    out: list[Line] = []
    squeezed = _squeezed(given)
    for zone, aside in _zones(without_given(without_blocks(text), given)):
        verdicts: list[tuple[str | None, bool]] = []
        zone = _json_as_marks(zone, finder, squeezed, verdicts)
        for line in without_markup(without_quotations(zone, finder), finder).split("\n"):
            if _JSON_LABEL in line:
                verdict = verdicts[int(line.strip(f" {_JSON_LABEL}"))]
                out.append(Line("", aside, verdict))
            elif TOKEN.search(line):
                out.append(Line(line, aside))
    return out


def declarations(lines: Sequence[Line], finder: Finder) -> list[Declaration]:
    """All that the lines declare, in order."""
    out: list[Declaration] = []
    revisions = 0
    header = ""
    for number, line in enumerate(lines):
        sentences = _sentences(line, finder)
        leads = True
        for sentence in sentences:
            revisions += bool(REVISION.match(sentence)) and not line.aside
            declared = _declared(sentence, leads, finder)
            if declared is not None:
                rank = declared.rank
                if declared.alone and _NAMED.search(header):
                    rank = 3 if _FINAL.search(header) else 2
                alone = declared.alone and len(sentences) == 1
                placed = replace(declared, line=number, rank=rank, alone=alone)
                out.append(replace(placed, aside=line.aside, revisions=revisions))
            leads = sentence.rstrip().endswith("?") or bool(REVISION.match(sentence))
        if line.verdict is not None:
            label, final = line.verdict
            declared = Declaration(label=label, line=number, rank=3 if final else 2, alone=True)
            out.append(replace(declared, aside=line.aside, revisions=revisions))
        header = line.text if len(line.text) < 80 else ""
    return out


def _sentences(line: Line, finder: Finder) -> list[str]:
    """The sentences of a line, cut before each correction of oneself as well."""
    out: list[str] = []
    for sentence in SENTENCE.split(line.text):
        cuts = [0, *(found.start() for found in REVISION.finditer(sentence)), len(sentence)]
        parts = (sentence[start:end] for start, end in pairwise(cuts))
        out += [part for part in parts if TOKEN.search(part)]
    numbered = finder.common and len(out) > 1 and _LIST_MARK.fullmatch(out[0].strip())
    return out[1:] if numbered else out


def _zones(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text outside and inside of code fences (CommonMark, 4.5), in order."""
    zone: list[str] = []
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if fence is None or (opened and not fence[1].startswith(opened)):
            zone.append(line)
            continue
        yield "\n".join(zone), bool(opened)
        zone, opened = [], "" if opened else fence[1]
    yield "\n".join(zone), bool(opened)


def _json_as_marks(
    text: str, finder: Finder, squeezed: Sequence[str], verdicts: list[tuple[str | None, bool]]
) -> str:
    """The text with each JSON value on a line of its own, as the number of its verdict."""

    def read_label(value: str) -> str | None:
        return leading_label(value, finder)

    out: list[str] = []
    done = 0
    for start, end, value in _json_in(text):
        try:
            verdict = json_verdict(value, finder, read_label)
        except LookupError:
            continue
        out.append(text[done:start])
        if _is_quoted(text, start, end, squeezed):
            out.append(f" {QUOTED} ")
        else:
            out.append(f"\n{_JSON_LABEL}{len(verdicts)}{_JSON_LABEL}\n")
            verdicts.append(verdict)
        done = end
    out.append(text[done:])
    return "".join(out)


def _json_in(text: str) -> Iterator[tuple[int, int, object]]:
    """Where each JSON value of a text begins and ends, and the value."""
    done = 0
    for found in _JSON.finditer(text):
        if found.start() >= done:
            value, done, _ = read(text, found.start())
            yield found.start(), done, value


def json_values(text: str, given: Sequence[str] = ()) -> list[object]:
    """The JSON values of a plain reply that it does not quote."""
    squeezed = _squeezed(given)
    return [
        value for start, end, value in _json_in(text) if not _is_quoted(text, start, end, squeezed)
    ]


def _squeezed(texts: Sequence[str]) -> list[str]:
    """The texts without white space."""
    return ["".join(text.split()) for text in texts]


def _is_quoted(text: str, start: int, end: int, squeezed: Sequence[str]) -> bool:
    """Whether a JSON value stands in quotation marks, after a report, or in a given text."""
    before = text[max(0, start - 200) : start].rpartition("\n")[2]
    if (before[:-1].strip() and before[-1] in "'\"") or _REPORTED.search(before):
        return True
    own = "".join(text[start:end].split())
    return any(own in source for source in squeezed)


def leading_label(text: str, finder: Finder) -> str | None:
    """The label that a value is: by itself, or ahead of its explanation."""
    if label := finder.exact(text):
        return label
    verdict = _declared(f"verdict: {without_markup(text[:4000], finder).strip()}", True, finder)
    return verdict.label if verdict and verdict.rank else None


def _declared(sentence: str, leads: bool, finder: Finder) -> Declaration | None:
    """What a sentence declares; `leads` says whether it begins its line or follows a question."""
    if re.search(r"\?\W*$", sentence):
        return None
    sentence = _CONFIDENCE.sub(lambda found: " " * len(found[0]), sentence)
    mentions = finder.mentions(sentence)
    if not mentions:
        return _slip(sentence, finder)
    named = {mention.label for mention in mentions}
    if _is_all(sentence, mentions, finder):
        several = len(named) > 1
        if several and len(named) == len(finder.labels):
            return None
        return Declaration(label=None if several else named.pop(), line=0, rank=1, alone=True)
    if run := _run(sentence, mentions):
        return _of_run(sentence, run, finder)
    meant = [
        verdict
        for mention in mentions
        if (verdict := _meant(sentence, mention, leads, finder)) is not None
    ]
    if not meant:
        return None
    turns = len(named) > 1 and not mentions[0].strong and _BUT.search(sentence)
    if len({verdict.label for verdict in meant}) > 2:
        return None
    if meant[0].rank == 1 and not turns:
        return meant[0]
    if len({verdict.label for verdict in meant}) > 1 or (meant[0].rank == 1 and turns):
        return replace(meant[0], label=None, alone=False)
    return max(meant, key=lambda verdict: verdict.rank)


def _is_all(sentence: str, mentions: Sequence[Mention], finder: Finder) -> bool:
    """Whether a sentence has no words beside its labels, a figure and a list's number."""
    rest, done = [], 0
    for mention in mentions:
        rest.append(sentence[done : mention.start])
        done = mention.end
    rest[0] = _LIST_MARK.sub("", rest[0])
    others = " ".join([*rest, sentence[done:]])
    others = others if finder.common else _FIGURE.sub(" ", others)
    return not TOKEN.search(others) and not re.search(f"[=→{QUOTED}]|->|-\\w", others)


def _run(sentence: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions of a run such as "A or B" that begins with the first; empty for one label."""
    run = [mentions[0]]
    for following in mentions[1:]:
        if not _JOIN.match(sentence[run[-1].end : following.start]):
            break
        run.append(following)
    return run if len({mention.label for mention in run}) > 1 else []


def _of_run(sentence: str, run: Sequence[Mention], finder: Finder) -> Declaration | None:
    """What is declared by a sentence that begins with a run: the label after it, or no single one."""
    before, after = sentence[: run[0].start][-200:], sentence[run[-1].end :]
    if chosen := re.match(r"[\s\])}]*:", after):
        return _declared(after[chosen.end() :], True, finder)
    says = _AFTER.match(after) and not _DENIED_AFTER.match(after)
    if not says or _CONDITION.search(before) or _UNMEANT.search(_CLAUSE.split(before)[-1]):
        clause = _CLAUSE.search(after)
        return _declared(after[clause.end() :], False, finder) if clause else None
    if len({mention.label for mention in run}) == len(finder.labels):
        return None
    return Declaration(label=None, line=0, rank=0)


def _meant(sentence: str, mention: Mention, leads: bool, finder: Finder) -> Declaration | None:
    """What a mention declares in its sentence."""
    before, after = sentence[: mention.start][-200:], sentence[mention.end :][:100]
    said = _TURN.split(before)[-1]
    if not _AFTER.match(after) or _DENIED_AFTER.match(after) or _NOT_A_KEY.search(before):
        return None
    last_word, last_but = _lasts(sentence)
    ends = last_word < mention.end and QUOTED not in after
    leading = bool(_LEADS.match(before)) and QUOTED not in before and (leads or ends)
    colon = _COLON.search(before)
    keyed = colon or _KEY.search(before)
    if keyed and not colon and _is_said_of_others(before, mention):
        keyed = None
    named = keyed and _NAMED.search(before[-60:])
    final = _FINAL.search(before[-100:])
    rank = 3 if final and leads and (keyed or leading) else 2 if named else int(leading)
    if _GRADED.search(before) or _GRADED_AFTER.match(after):
        return Declaration(label=None, line=0, rank=rank) if rank else None
    if not leading:
        if _REPORTED.search(said) or _CONDITION.search(said):
            return None
        clause = _CLAUSE.split(before)[-1]
        if _UNMEANT.search(clause):
            return None
        if not keyed and (re.search(r"\bwould\b", clause) or last_but >= mention.end):
            return None
        if not (mention.strong or keyed) or (colon and finder.common and not named):
            return None
    alone = ends and (not TOKEN.search(before) or bool(keyed))
    return Declaration(label=mention.label, line=0, rank=rank, alone=alone)


@lru_cache(maxsize=1)  # once for all mentions of a sentence
def _lasts(sentence: str) -> tuple[int, int]:
    """Where the last word that is no figure begins, and the last "but"; -1 for none."""
    words = _FIGURE.sub(lambda found: " " * len(found[0]), sentence)
    last_word = max((found.start() for found in TOKEN.finditer(words)), default=-1)
    return last_word, max((found.start() for found in _BUT.finditer(sentence)), default=-1)


def _is_said_of_others(before: str, mention: Mention) -> bool:
    """Whether a word such as "correct" is said of something else than the verdict: that is prose."""
    quality = (mention.label or "").casefold() in _QUALITIES
    return quality and not _OWN_VERDICT.search(before)


def _slip(sentence: str, finder: Finder) -> Declaration | None:
    """A label with a slip of the pen, by itself, after a key or at the head."""
    key, _, value = sentence[-200:].rpartition(":")
    label = finder.guess(value)
    if label is not None and not _NOT_A_KEY.search(key):
        return Declaration(label=label, line=0, rank=3 if _FINAL.search(key) else 1, alone=True)
    label = finder.guess(re.split(r"[.:,(]|\s-+\s", sentence[:60], maxsplit=1)[0])
    return Declaration(label=label, line=0, rank=1) if label is not None else None
