"""What an answer says to a yes/no question (E5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.sentences import Sentence
from factmark.text.lexicon import phrases, word_set

_YES_NO_QUESTION = phrases("yes_no_questions", r"\W*")
_ALONE = r"(?=\W*\Z)"  # of a claim, as FEVER labels it; `Supported by three labs` is none
_YES = rf"yes|yep|yup|yeah|true|affirmative|support(?:s|ed){_ALONE}"
_NO_WORD = rf"no|nope|false|negative|refute[sd]{_ALONE}"
_STRESSED = r"(?:absolutely|certainly|definitely|of\ course)"  # `Certainly! Let me look` is none
_LEAD = re.compile(
    rf"""\W*
    (?: (?:\w+\s+)?(?:likely|probably)\W+ | based\ on\ [^,]{{1,120}},\s* )?
    (?: (?:oh\s+)?(?P<yes>{_YES}) | (?P<no>{_NO_WORD}(?!\s+(?:clear|such)\b))
      | (?P<also_yes>{_STRESSED}(?=[.,]|\Z) | indeed(?=[.,]) | correct(?=[.,!]|\Z)
          | sure\ (?:is|are|was|were|do|does|did|can|has|have))
      | (?P<also_no>never(?=[.,!]|\Z)
          | (?:{_STRESSED}|unfortunately|sadly|rather|i['’]m\ afraid),?\ not(?=[.,;!]|\Z)) )(?!\w)
    (?!\s+(?:data|information|dataset|patient|one|such|record|specific))""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTICLE = re.compile(  # `but yes, ...`, `So no.`, `Short answer: no ...`
    rf"""
    (?: ^\W* | (?<=[.!?:;,(—–}}\#\s]\s)
      | \b(?:but|so|say|is|be|probably|likely|indeed|a|with|for|towards?
        |that|therefore|hence|thus)\s+ )
    (?: (?P<yes>{_YES}) | (?P<no>{_NO_WORD}) ) (?=\s*(?:[.,;:!()—–]|\Z)|\ here\b)
  | \b(?:short\ answer|in\ short|verdict|answer(?:\s+(?:here\s+)?(?:is|would\s+be))?)\W+
    (?: (?P<also_yes>{_YES}) | (?P<also_no>{_NO_WORD}) )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CORRECTS = phrases("corrections")  # what takes back the yes or no before it
_CLAUSE = re.compile(  # `It does not.`, `Indeed it was, from 1976`, `I believe so`
    r"""
    \A\W*(?P<only_no>not)\b
        (?!\ (?:only|enough|sure|certain|clear|known|sufficient|specified|stated|given)\b)
  | (?: \A | [.!?;]\s | \b(?:say|think|believe|impression\ is)\s++(?:that\s+)?
      | \bto\ [^,.]{1,40}?,?\s++ )(?:(?![.!?;]\s)\W)*+
    (?:(?:indeed|consequently|thus|hence|therefore),?\s+)?
    (?: (?:it|they|he|she|that|this|there|you|one)\s+(?:probably\s+)?
        (?:is|are|was|were|does|do|did|has|have|can|could|may|will|would)
        (?:(?P<no>n['’]t|\s+not)?(?=\s*[,.:;(!—–]|\s*\Z|\s+(?:need|any)\b))
        (?!\s*[,(—–][^,.;()—–]{1,40}[,)—–]\s*(?:not|no)\b(?!\s+\d))  # `It is, however, not ...`
      | (?P<also_no>not)(?=\s*[,.:;!—–]|\s+any\b)
      | (?<=\w\s)so\b(?=\s*[,.:;!—–]) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JSON = re.compile(r'"\s*:\s*(?:(?P<yes>true)|(?P<no>false))\b')
_STEP = re.compile(r"^\W{0,4}(?:observation|final\s+answer)\s?\d{0,2}\W{0,3}?:", re.I | re.M)
HEDGE = phrases("hedges")
NO = phrases("denials")
_ALLOWS = phrases("allows")
_FORBIDS = phrases("forbids")
CONCLUDES = phrases("conclusions", r"\W*")


_STANDS_FOR = word_set("it they he she this that")  # a word of the question
_HALF = 0.5
_CONCLUSION = 0.3
_LAST = 0.1
"""Of how much of the question a sentence has to say more, and what concluding or ending the answer
adds; chosen with 750 replies of ChatGPT, Vicuna and Qwen to StrategyQA, and marked answers."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A yes or no, and where the answer says it."""

    value: str
    start: int
    end: int


def stated_verdict(
    question: str, answer: str, sentences: Sequence[Sentence], *, asked: bool = False
) -> Stated | None:
    """The `yes` or `no` that an answer gives in so many words, or a sentence that says what is
    allowed, or the claim again; None where the question asks for neither, or the answer leaves it
    to be understood.

    Args:
        asked: the ground truth is a yes or no, so that the question asks for it in any wording.
    """
    if not (asked or asks_yes_or_no(question)):
        return None
    begin = _end_of_steps(answer)
    plain = " " * begin + _visible(len(answer), sentences)[begin:]
    stated = _LEAD.match(plain) or _PARTICLE.search(plain)
    looked = 0
    if stated:
        looked = stated.end()
    taken_back = False
    for later in _PARTICLE.finditer(plain, looked):  # each stretch is looked at once
        taken_back = taken_back or _CORRECTS.search(plain, looked, later.end()) is not None
        looked = later.end()
        if taken_back:
            stated = later
            taken_back = False
    if stated is None and asked:
        stated = _JSON.search(answer) or _CLAUSE.search(plain)
    if stated is not None:
        return _stated_by(stated)
    if asked and asks_yes_or_no(question):
        return None
    return verdict_of_a_sentence(
        question, sentences[places_after_steps(answer, sentences) :], asked=asked
    )


def asks_yes_or_no(question: str) -> bool:
    """Whether a question asks for a yes or no by how it begins; a claim does not."""
    return _YES_NO_QUESTION.match(question) is not None


def places_after_steps(answer: str, sentences: Sequence[Sentence]) -> int:
    """How many sentences stand before the end of what an agent saw on its way."""
    begin = _end_of_steps(answer)
    return sum(sentence.tokens[0].start < begin for sentence in sentences)


def _end_of_steps(answer: str) -> int:
    """Where the label of an agent's last observation, or of its final answer, ends; else 0."""
    steps = [match.end() for match in _STEP.finditer(answer)]
    if steps:
        return steps[-1]
    return 0


def verdict_of_a_sentence(
    question: str, sentences: Sequence[Sentence], *, asked: bool = False
) -> Stated | None:
    """The verdict of the sentence that says most of the question again, above all as a conclusion.

    What is allowed or forbidden is said in any words; anything else counts only where `asked`.
    """
    about = frozenset(content_words(question))
    best: tuple[float, Sentence] | None = None
    for sentence in sentences:
        share = share_of_question(about, sentence)
        ruled = _ALLOWS.search(sentence.plain) or _FORBIDS.search(sentence.plain)
        says = ruled or (asked and share > _HALF)
        if not says or HEDGE.search(sentence.plain):
            continue
        share += weight_of_place(sentence, sentence is sentences[-1])
        if best is None or share > best[0]:
            best = (share, sentence)
        if not asked:
            break
    if best is None:
        return None
    sentence = best[1]
    if _FORBIDS.search(sentence.plain) and not _FORBIDS.search(question):
        agrees = False
    else:  # `Is it not real?` `It is not real.`
        agrees = bool(NO.search(sentence.plain)) == bool(NO.search(question))
    return Stated("yes" if agrees else "no", sentence.tokens[0].start, sentence.tokens[-1].end)


def share_of_question(about: frozenset[str], sentence: Sentence) -> float:
    """How much of the question's content words a sentence says again; a pronoun is one of them."""
    shared = len(about.intersection(content_words(sentence.plain)))
    if shared and sentence.tokens[0].lower in _STANDS_FOR:
        shared += 1
    return shared / max(1, len(about))


def weight_of_place(sentence: Sentence, is_last: bool) -> float:
    """What concluding, and ending the answer, add to how much of the question a sentence says."""
    weight = 0.0
    if CONCLUDES.match(sentence.plain):
        weight += _CONCLUSION
    if is_last:
        weight += _LAST
    return weight


def _stated_by(match: re.Match[str]) -> Stated:
    """The yes or no of a match, by the name of its group; a clause without a name is a yes."""
    groups = match.groupdict()
    name = next((name for name, text in groups.items() if text), None)
    value = "yes"
    if name is not None and name.endswith("no"):
        value = "no"
    return Stated(value, *(match.span(name) if name else match.span()))


def _visible(length: int, sentences: Sequence[Sentence]) -> str:
    """The answer with blanks for what is not read (markup, calls of tools), of equal length."""
    plain = [" "] * length
    for token in (token for sentence in sentences for token in sentence.tokens):
        plain[token.start : token.start + len(token.text)] = token.text
    return "".join(plain)
