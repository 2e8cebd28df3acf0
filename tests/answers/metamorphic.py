"""What must not change an answer's score, and what must: transformations that need no marks (E11).

Each takes an answer with its score and gives an altered text with what it lets one expect: the same
facts and scores, or one fact moved from matched to invented. It gives None where it does not apply
(no list to flatten, nothing right to make wrong).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

from factmark.answers.core.matching import common_words
from factmark.answers.core.records import AnswerScore, Fact
from factmark.answers.core.scores import is_boolean, score_answer
from factmark.text.sentences import sentences
from factmark.text.words import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer to a question with its ground truth."""

    question: str
    ground_truth: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """An altered answer and what is expected of it.

    Attributes:
        lost: the element of G whose value was made wrong; None where nothing may change.
        place: where the wrong value stands in the altered answer.
        swapped: where two items stood of which the second is now before the first.
    """

    answer: str
    lost: str | None = None
    place: tuple[int, int] = (0, 0)
    swapped: tuple[tuple[int, int], tuple[int, int]] | None = None


Transformation = Callable[[Case, AnswerScore, Random], Altered | None]

CITATIONS = (
    "[3]",
    "[Doc 3, section 2]",
    "(Smith et al., 2020)",
    "[1, Art. 99(2)]",
    "[7][12]",
    "[2, p. 41]",
    "(Kerr & Lind, 1998)",
    "(see Kerr, 1998, p. 4)",
    "[Source 4]",
    "【4†source】",
)
FOOTNOTES = ("¹", "[^1]", "<sup>1</sup>", "²,³", "[^note]", "<sup>[2]</sup>", "†")
REMARKS = (
    "(I checked the catalogue)",
    "(I looked this up)",
    "(as far as I can see)",
    "(I've verified this)",
    "(I hope that helps)",
    "(to my knowledge)",
    "(I may be wrong here)",
    "(checked against the catalogue)",
    "(see the catalogue)",
    "(according to the catalogue)",
)
HEDGES = (
    "As far as I can tell, ",
    "I understand that ",
    "To my knowledge, ",
    "As I understand it, ",
    "If I remember correctly, ",
    "From what I can see, ",
    "I'm fairly sure that ",
    "I think ",
    "It seems that ",
    "It appears that ",
    "Well, ",
    "Hmm, ",
    "TL;DR: ",
    "Wait, ",
    "Okay, so ",
)
OFFERS = (
    "Would you like more details on any of these?",
    "Would you like me to look up anything else?",
    "Do you want to know more?",
    "Shall I go on with the details?",
    "Let me know if you would like to know more.",
    "I hope this helps!",
)
HEADINGS = ("## Answer\n\n", "# Final answer\n\n", "**Answer**\n\n", "### Response\n")
STEP = (
    "Thought: I should look this up.\nAction: search_catalogue\n"
    'Action Input: {"query": "everything on this"}\n'
)
CALL = '<tool_call>{"name": "search_catalogue", "arguments": {"limit": 50}}</tool_call>\n'

# Where a remark or a mark may be put: before the full stop of a sentence, or where a line ends.
_SENTENCE_END = re.compile(r"(?<=[a-z\d)]{3})(?=\.(?:\s+[A-Z]|\s*$))|(?<=[\w)])$", re.MULTILINE)
_ITEM = re.compile(r"^(?P<mark>[-*•]|\d{1,2}[.)])[ \t]+(?P<text>\S.*)$")
_NOT_PROSE = re.compile(r"```|~~~|^\s*[\[{]|^\s*\||\|\s*$|^\s*#|\t|<<<|>>>", re.MULTILINE)
_IN_MARKUP = re.compile(r"\*|`|__|~~|\]\(|<[a-z/]|https?:", re.IGNORECASE)
_DETERMINER = re.compile(r"(?:The|There|A|An|It|They|These|This|Those|In|On|At|From|With|For)\b")
_INVENTED = ("Velmoria", "Quandrel", "Ostrivan", "Belquist", "Tharnox", "Mirvalda", "Drestun")


def is_prose(answer: str) -> bool:
    """Whether a text is paragraphs and lists, so that words may be put between its words."""
    return not _NOT_PROSE.search(answer)


def citation(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Names a source before the end of a sentence."""
    return _inserted(case, random, [" " + mark for mark in CITATIONS])


def footnote(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Sets a mark right after a fact, or before the end of a sentence."""
    places = [fact.end for fact in score.facts if _is_free(case.answer, fact)]
    return _inserted(case, random, FOOTNOTES, places)


def remark(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Says in brackets how the answer was found."""
    return _inserted(case, random, [" " + words for words in REMARKS])


def hedge(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Opens the first sentence with a hedge."""
    answer = case.answer
    if not is_prose(answer) or score.verdict or not answer[:1].isalnum():
        return None
    if len(answer.split(".")[0].split()) < 4 or _DETERMINER.match(answer) is None:
        return None  # `As far as I can tell, 30` is no sentence that hedges
    return Altered(answer=random.choice(HEDGES) + answer[0].lower() + answer[1:])


def offer(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Closes with a question to the reader, in a line of its own or in the last paragraph."""
    answer = case.answer.rstrip()
    ends = answer.endswith((".", "!", "?"))
    if _JSON.match(answer):
        return None
    gap = " " if ends and is_prose(answer) and random.random() < 0.5 else "\n\n"
    return Altered(answer=answer + gap + random.choice(OFFERS))


_JSON = re.compile(r"\s*[\[{]")


def envelope(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives the answer as the last step of an agent."""
    if re.search(r"thought|action|observation|final answer|tool_", case.answer, re.IGNORECASE):
        return None
    gap = "" if case.answer[:1].isalnum() else "\n"
    return Altered(answer=f"{STEP}Observation: done\nFinal Answer: {gap}{case.answer}")


def observation(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives the answer as what a tool returned."""
    if re.search(r"thought|action|observation|final answer|tool_", case.answer, re.IGNORECASE):
        return None
    gap = "" if case.answer[:1].isalnum() else "\n"
    return Altered(answer=f"{STEP}Observation: {gap}{case.answer}")


def tool_call(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Puts the markup of a call before the answer."""
    return Altered(answer=CALL + case.answer)


def bold(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Sets each fact in bold; none that is a part of a word (`do` and `n't`)."""
    inside = any(
        fact.start and case.answer[fact.start - 1].isalnum() and fact.text[0].isalnum()
        for fact in score.facts
    )
    if inside or not score.facts or not is_prose(case.answer) or _IN_MARKUP.search(case.answer):
        return None
    answer = case.answer
    for fact in sorted(score.facts, key=lambda fact: -fact.start):
        answer = f"{answer[: fact.start]}**{answer[fact.start : fact.end]}**{answer[fact.end :]}"
    return Altered(answer=answer)


def numbered(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives the items of a list numbers in place of bullets."""
    answer = _numbered(case.answer)
    return None if answer == case.answer else Altered(answer=answer)


def flattened(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Puts all on one line, as chats are stored that way; items keep their numbers."""
    lines = [line.strip() for line in _numbered(case.answer).splitlines() if line.strip()]
    if len(lines) < 2 or not is_prose(case.answer):
        return None
    if sum(line.startswith("1.") for line in lines) > 1:
        return None  # lists in lists lose what they say
    for line, after in itertools.pairwise(lines):
        prose = not _ITEM.match(line)
        if (prose and line[-1] not in ".!?:") or (not prose and not _ITEM.match(after)):
            return None  # then the break is all that parts two sentences
    return Altered(answer=" ".join(lines))


def heading(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Puts a heading on top that only says that the answer follows."""
    if not is_prose(case.answer):
        return None
    return Altered(answer=random.choice(HEADINGS) + case.answer)


def bullets(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives each sentence of a text as an item of a list."""
    answer = case.answer.strip()
    if not is_prose(answer) or any(map(_ITEM.match, answer.splitlines())):
        return None
    whole = [span.of(line) for line in answer.splitlines() for span in sentences(line)]
    if len(whole) < 2 or not all(len(text.split()) > 4 and text[-1] == "." for text in whole):
        return None  # what stands beside nothing in a list may be of the sentence before it
    return Altered(answer="\n".join(f"- {text}" for text in whole))


def tabled(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives the items of a list as the rows of a table of one column, or such rows as items."""
    answer = table_of_items(case.answer)
    return None if answer is None else Altered(answer=answer)


def table_of_items(answer: str) -> str | None:
    """An answer with its list as a table, or its table of one column as a list; None without."""
    lines = answer.split("\n")
    rows = [at for at, line in enumerate(lines) if line.strip().startswith("|")]
    items = [at for at, line in enumerate(lines) if _ITEM.match(line)]
    places = rows or items
    if len(places) < 2 or places != list(range(places[0], places[-1] + 1)):
        return None
    if rows:
        cells = [lines[at].strip().strip("|").strip() for at in rows]
        if any("|" in cell for cell in cells) or len(cells) < 4 or set(cells[1]) - set(":- "):
            return None
        changed = [f"- {cell}" for cell in cells[2:]]
    else:
        texts = [match["text"] for at in items if (match := _ITEM.match(lines[at]))]
        if any("|" in text or ":" in text or len(text.split()) > 4 for text in texts):
            return None  # a cell is no sentence
        changed = ["", "| Item |", "| --- |", *(f"| {text} |" for text in texts), ""]
    return "\n".join([*lines[: places[0]], *changed, *lines[places[-1] + 1 :]])


def swapped_items(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Swaps two neighbours of a list; their facts change places and nothing else does."""
    lines = case.answer.split("\n")
    pairs = [
        at
        for at in range(len(lines) - 1)
        if _ITEM.match(lines[at])
        and _ITEM.match(lines[at + 1])
        and (at + 2 == len(lines) or not lines[at + 2].startswith((" ", "\t")))
    ]
    if not pairs:
        return None
    at = random.choice(pairs)
    upper, lower = _ITEM.match(lines[at]), _ITEM.match(lines[at + 1])
    assert upper is not None
    assert lower is not None
    start = sum(len(line) + 1 for line in lines[:at])
    middle = start + len(lines[at]) + 1
    swapped = ((start, middle), (middle, middle + len(lines[at + 1])))
    lines[at] = lines[at][: upper.start("text")] + lower["text"]
    lines[at + 1] = lines[at + 1][: lower.start("text")] + upper["text"]
    return Altered(answer="\n".join(lines), swapped=swapped)


def case_of_name(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Writes a name of G in capitals, or in lower case."""
    return _respelled(case, score, random, lambda name: random.choice((name.upper(), name.lower())))


def diacritics(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Gives a name of G an accent, or takes it away."""
    return _respelled(case, score, random, _accented)


def wrong_value(case: Case, score: AnswerScore, random: Random) -> Altered | None:
    """Puts a wrong value of the same kind in the place of a right one."""
    facts = [fact for fact in score.facts if _can_be_wrong(case, fact)]
    if not facts:
        return None
    fact = random.choice(facts)
    wrong = _wrong(case, fact.text, random)
    if wrong is None or fact.match is None:
        return None
    answer = case.answer[: fact.start] + wrong + case.answer[fact.end :]
    place = (fact.start, fact.start + len(wrong))
    return Altered(answer=answer, lost=fact.match, place=place)


TRANSFORMATIONS: dict[str, Transformation] = {
    function.__name__.replace("_", " "): function
    for function in (
        citation,
        footnote,
        remark,
        hedge,
        offer,
        envelope,
        observation,
        tool_call,
        bold,
        numbered,
        heading,
        bullets,
        tabled,
        flattened,
        swapped_items,
        case_of_name,
        diacritics,
        wrong_value,
    )
}


def scored(case: Case) -> AnswerScore:
    """The rules' score of a case."""
    return score_answer(case.question, case.ground_truth, case.answer)


def trials(
    case: Case, before: AnswerScore, name: str, times: int = 1
) -> Iterator[tuple[Altered, AnswerScore, bool]]:
    """Each altered text with its score, and whether what is expected holds.

    The same case and transformation give the same texts on every machine.
    """
    random, known = Random(f"{name} {case.question} {case.answer}"), set()
    for _ in range(times):
        altered = TRANSFORMATIONS[name](case, before, random)
        if altered is None or altered.answer in known:
            continue
        known.add(altered.answer)
        after = score_answer(case.question, case.ground_truth, altered.answer)
        yield altered, after, holds(altered, before, after, is_boolean(case.ground_truth))


def holds(altered: Altered, before: AnswerScore, after: AnswerScore, boolean: bool = False) -> bool:
    """Whether the score of an altered answer is what the transformation lets one expect.

    Args:
        boolean: the only fact is the verdict; where it is a whole sentence, its text may change.
    """
    if altered.lost is not None:
        return _moved(altered, before, after)
    values = ("completeness", "hallucination_rate", "combined_score", "absence", "verdict")
    return (
        all(getattr(before, name) == getattr(after, name) for name in values)
        and _matched(before) == _matched(after)
        and (boolean or _invented(before.facts) == _invented(after.facts))
        and (altered.swapped is None or _changed_places(altered, before, after))
    )


def _matched(score: AnswerScore) -> set[str]:
    return {fact.match for fact in score.facts if fact.match is not None}


def _invented(facts: Iterable[Fact]) -> list[tuple[str, ...]]:
    return sorted(_key(fact.text) for fact in facts if fact.match is None)


def _key(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.replace("*", ""))
    return normalise("".join(letter for letter in plain if not unicodedata.combining(letter)))


def _moved(altered: Altered, before: AnswerScore, after: AnswerScore) -> bool:
    """Whether one element is lost, one fact is invented in its place, and all else is as before."""
    first, last = altered.place
    new = [f for f in after.facts if f.match is None and f.start < last and first < f.end]
    rest = [fact for fact in after.facts if fact not in new]
    return (
        _matched(after) == _matched(before) - {altered.lost}
        and len(new) == 1
        and _invented(rest) == _invented(before.facts)
    )


def _changed_places(altered: Altered, before: AnswerScore, after: AnswerScore) -> bool:
    """Whether the facts of two swapped items now stand in the other order.

    What both items state is a fact where it stands first: then nothing is asked of it.
    """
    assert altered.swapped is not None
    upper, lower = (
        {_key(fact.text) for fact in before.facts if start <= fact.start < end}
        for start, end in altered.swapped
    )
    places = {_key(fact.text): fact.start for fact in after.facts}
    return all(places[second] < places[first] for first in upper for second in lower)


def _inserted(
    case: Case, random: Random, marks: Iterable[str], places: list[int] | None = None
) -> Altered | None:
    answer = case.answer
    if not is_prose(answer):
        return None
    places = places or [match.start() for match in _SENTENCE_END.finditer(answer)]
    if not places:
        return None
    at = random.choice(places)
    return Altered(answer=answer[:at] + random.choice(list(marks)) + answer[at:])


def _is_free(answer: str, fact: Fact) -> bool:
    """Whether a fact ends where a mark can be set: between words, outside markup and brackets."""
    after = answer[fact.end : fact.end + 1]
    raised = re.search(r"[¹²³]$|(?:\b|\d)(?:[cdkm]?m|ft|in|mi|s|ha|kg)$|10$", fact.text)
    return not raised and (after == "" or after in " .,;\n") and not _IN_MARKUP.search(answer)


def _numbered(answer: str) -> str:
    count, out = 0, []
    for line in answer.split("\n"):
        item = _ITEM.match(line)
        if item is not None and not item["mark"][0].isdigit():
            count += 1
            line = f"{count}. {item['text']}"
        elif line.strip():
            count = 0
        out.append(line)
    return "\n".join(out)


def _respelled(
    case: Case, score: AnswerScore, random: Random, spell: Callable[[str], str]
) -> Altered | None:
    names = [
        fact
        for fact in score.facts
        if fact.match and re.fullmatch(r"[A-Z][^\W\d]{3,}(?: [A-Z][^\W\d]{2,})*", fact.text)
    ]
    if not names or is_boolean(case.ground_truth):
        return None
    fact = random.choice(names)
    name = spell(fact.text)
    if name == fact.text:
        return None
    return Altered(answer=case.answer[: fact.start] + name + case.answer[fact.end :])


def _accented(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name)
    stripped = "".join(letter for letter in plain if not unicodedata.combining(letter))
    if stripped != name:
        return stripped
    return re.sub("[aeo]", lambda match: {"a": "á", "e": "é", "o": "ö"}[match[0]], name, count=1)


def _can_be_wrong(case: Case, fact: Fact) -> bool:
    """Whether a fact is an element's own words, and the answer says nothing else of the element."""
    if fact.match is None or is_boolean(case.ground_truth) or fact.match[0].islower():
        return False
    if normalise(fact.text) != normalise(fact.match) or fact.text[0].isalpha() != (
        fact.match[0].isalpha()
    ):
        return False
    before, after = case.answer[: fact.start], case.answer[fact.end :]
    if _RANGE_BEFORE.search(before) or _RANGE_AFTER.match(after):
        return False  # the end of a range is no fact alone
    common = common_words([normalise(element) for element in case.ground_truth])
    return {*normalise(fact.text)}.isdisjoint({*normalise(before), *normalise(after)} - common)


_RANGE_BEFORE = re.compile(r"\d\S*\s*(?:to|–|-|and|or)\s*$")
_RANGE_AFTER = re.compile(r"\s*(?:to|–|-|and|or)\s*\d")


def _wrong(case: Case, right: str, random: Random) -> str | None:
    """A value of the same shape that neither the question, nor G, nor the answer has."""
    known = {*normalise(case.question), *normalise(" ".join(case.ground_truth))}
    known |= {*normalise(case.answer)}
    if re.fullmatch(r"\d[\d,]*", right):
        wrong = str(int(right.replace(",", "")) + random.randrange(3, 90))
        return None if wrong in known else wrong
    if re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*", right):
        wrong = " ".join(random.sample(_INVENTED, min(len(right.split()), len(_INVENTED))))
        return None if known.intersection(normalise(wrong)) else wrong
    return None
