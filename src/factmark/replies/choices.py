"""Multiple choice: which option's letter a reply settles on, or that it abstains.

A single letter is also an article, a vitamin, a blood group; it counts as an option only where it is
set off, named as one, or has an option's place in the sentence.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmark.replies.label_of_reply import beginning_and_end, decide_label
from factmark.replies.labels import Finder, Mention
from factmark.replies.plain import plain_text

ABSTAIN = "ABSTAIN"
MOST = 10
"""Options that a question may have at most: A to J."""

ALPHABET = "ABCDEFGHIJ"
_LOOKED_FOR = 8
_ABSTAINED = re.compile(
    r"\babstain(?:s|ed|ing)?\b|\bI (?:really |honestly |simply )?(?:do not|don t|dont) know\b(?! (?:if|whether|why|how|what|which|that|much|about|for))|\bidk\b",
    re.IGNORECASE,
)
_LETTER = r"(?<![A-Za-z0-9\u00c0-\u02af])(?<![A-Za-z0-9'][-'.&])(?<![-'&.]\b)(?<![Nn]/)[{first}](?![A-Za-z0-9\u00c0-\u02af])(?!['&]\w|-\w|\.\w|\+)"
_CUE_WORDS = (
    r"is|be|option|options|choice|choices|answer|answers|letter|select|choose|pick|with|leaves|or|and|nor|either|neither|between|guess|est|ist|lautet"
    r"|es|so|therefore|thus|hence|only|remains|say|not|than|of|over|out|eliminate|exclude|reject|from|to|both|as|for|are|both|was|antwort|respuesta|réponse|reponse|risposta|reflection|sono|finally|clearly|definitely|lettera|la|le|el|der|die|das|lettre|opción|opcion|both|chose|chosen|selected|by|unlike|although|while|because|since|if|that|but|then|makes|against|best|possibly|perhaps|maybe|probably|think|believe|suspect"
)
_BEFORE = re.compile(
    rf"(?:^|[\n:;,.!?\-=>(\[\]\"/|\ue000\ue002#{{}})]|[^\x00-\u02ff]|(?:\b(?:it|that|this)'s|\b(?:{_CUE_WORDS})))\s*[\[(\"\ue000{{]*$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:option|choice|answer|letter|opción|opcion|lettre|antwort|respuesta|réponse|risposta|ответ)s?\s*(?:is\s*:|is|was|:|=|-|would be|should be|must be|est|ist|lautet|es|is option|is letter|is choice|are)?\s*[\[(\"\ue000{]*$|\b(?:answer|choice)\b[^.!?\n]{0,40}\b(?:is|be|as|with)\s*[\[(\"\ue000{]*$|\b(?:choose|pick|select|go with|guess|picking|choosing|selecting)\s*[\[(\"\ue000{]*$",
    re.IGNORECASE,
)
_BRACKETED = {"(": ")", "[": "]", "{": "}", "\ue000": "\ue001", "<": ">"}
_VERB = (
    r"is|was|are|were|would|can|could|may|might|does|do|did|can|cannot|remains?|has|have|had|because|since|and|or|as|fits?|match(?:es)?|describes?|states?|causes?|never|seems?|looks?|refers?|lists?|mentions?"
    r"|alone|only|best|also|over|rather|nor|but|if|when|not|must|should|will|due|for|by|stands|explains|occurs|requires|needs|makes|out|given|to|from|in|then|instead|comes|based|with|on"
)
_AFTER = re.compile(
    rf"^(?:[)\]}}\"\ue001]|\s*$|\s*[).:,;!?|\n=/\]}}>\"]|\s+[-=(\[/|\ue002\ue000&+]|\s+(?:{_VERB})\b|[^\x00-\u02ff])",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    r"\b(?:group|type|vitamin|hepatitis|influenza|class|stage|factor|protein|patient|drug|plan|arm|cohort|panel"
    r"|figure|table|appendix|section)\s+(?:is\s+|was\s+)?$",
    re.IGNORECASE,
)
_GUESSED = r"\b(?:but|however|guess|forced)\b[^.\n]{{0,60}}(?:\b|\()[A-{last}]\W*(?:\n|$)"
_BEGINS = re.compile(r"(?:^|\n)[ \t\"'\[(*]*$")  # a line
_ABBREVIATED = re.compile(r"^\.\s+[a-z]")
_SPECIES = re.compile(
    r"^\.\s+(?:abortus|albicans|anthracis|aureus|auris|baumannii|botulinum|burgdorferi|burnetii|capsulatum|cepacia|cereus|cloacae|coli"
    r"|difficile|diphtheriae|ducreyi|elegans|faecalis|faecium|fragilis|freundii|fumigatus|gattii|glabrata|granulosus|henselae|histolytica"
    r"|immitis|influenzae|intestinalis|jejuni|lamblia|medinensis|melanogaster|melitensis|muridarum|neoformans|parapertussis|perfringens"
    r"|pertussis|pneumoniae|pseudomallei|psittaci|pylori|rerio|sapiens|subtilis|tetani|thaliana|trachomatis|tularensis|tumefaciens)\b"
)


@dataclass(frozen=True, slots=True)
class ChoiceFinder(Finder):
    """Finds option letters and abstentions; letters past the last are found as no option.

    Attributes:
        labels: the letters of the options, from A on, and `ABSTAIN`.
        letter: where a letter stands that may be an option's: up to H, or as many as there are.
        guessed: a guess after an abstention.
    """

    labels: tuple[str, ...]
    letter: re.Pattern[str]
    guessed: re.Pattern[str]

    def mentions(self, text: str) -> list[Mention]:
        """Returns all mentions of letters and abstentions, left to right."""
        return list(_choice_mentions(self, text))

    def exact(self, text: str) -> str | None:
        """Returns the option's letter if the text is nothing else, or None."""
        word = text.strip().upper()
        if word in self.labels:
            return word
        return None

    def guess(self, text: str) -> str | None:
        """Returns `ABSTAIN` for a misspelling of it; no letter is a misspelling of another."""
        if text.strip(" .!*").casefold() in ("abstian", "abstein", "abstan"):
            return ABSTAIN
        return None


@lru_cache(maxsize=4)  # a reply is read as a whole and by its sentences
def _choice_mentions(finder: ChoiceFinder, text: str) -> tuple[Mention, ...]:
    """Finds the mentions of a text; cached, since several readers ask for those of one sentence."""
    abstained = [match.span() for match in _ABSTAINED.finditer(text)]
    out = []
    for a, b in abstained:
        out.append(Mention(start=a, end=b, label=ABSTAIN, strong=True))
    taken = {at for span in abstained for at in range(*span)}
    for match in finder.letter.finditer(text):
        at = match.start()
        letter = match[0].upper()
        if at not in taken and _is_option_letter(text, at):
            label = None
            if letter in finder.labels:
                label = letter
            out.append(Mention(start=at, end=at + 1, label=label, strong=True))
    return tuple(sorted(out, key=lambda mention: mention.start))


def _is_option_letter(text: str, at: int) -> bool:
    """Whether the letter is set off as an option's is, or named as one."""
    before = text[max(0, at - 80) : at]
    after = text[at + 1 : at + 40]
    letter = text[at]
    opener = before[-1:]
    if opener in _BRACKETED and after[:1] == _BRACKETED[opener]:
        return True
    if after[:1] == ")" and (not opener or opener.isspace()) and letter.isupper():
        return True
    if _OTHER_THING.search(before[-24:]) or _SPECIES.match(after):
        return False
    named = bool(_NAMED.search(before))
    begins = _BEGINS.search(before)
    if _ABBREVIATED.match(after) and not named and not begins:
        return False
    if letter.islower():
        if begins and not before.strip(" \n\"'[(:*"):
            return bool(re.match(r"[).:]|[\s\])\"!,;]*(?:$|\n)", after))
        return (
            named and letter != "i" and bool(re.match(r"[).:,;!\]\"]|\s*(?:$|\n)|\s+[-(]", after))
        )
    if letter == "I" and (re.match(r"\s+[a-z]", after) or not (named or begins)):
        return False
    bare = before.rstrip('[("\ue000{').rstrip()  # `_BEFORE` looks at one word
    placed = named or _BEFORE.search(before[max(0, len(bare) - 20) :])
    return bool((placed and _AFTER.match(after)) or (named and letter != "A"))


@lru_cache(maxsize=MOST)
def choice_finder(n: int = 4) -> ChoiceFinder:
    """Returns the finder for `n` options, 1 to 10.

    Raises:
        ValueError: `n` is out of range.
    """
    if not 1 <= n <= MOST:
        raise ValueError(f"a question has 1 to {MOST} options, not {n}")
    known = ALPHABET[: max(n, _LOOKED_FOR)]
    return ChoiceFinder(
        (*ALPHABET[:n], ABSTAIN),
        re.compile(_LETTER.format(first=known + known.lower())),
        re.compile(_GUESSED.format(last=ALPHABET[n - 1])),
    )


def parse_choice(reply: str, n: int = 4, *, given: Sequence[str] = ()) -> str | None:
    """Returns the letter of the option (of `n`, at most 10) that the reply settles on, `ABSTAIN`
    for "I don't know", or None.

    Args:
        given: the texts that the model was given beside question and options.
    """
    return read_choice(plain_text(reply, given), n, given)


def read_choice(text: str, n: int = 4, given: Sequence[str] = ()) -> str | None:
    """The letter of one of `n` options, `ABSTAIN`, or None; `text` is plain, without reasoning."""
    finder = choice_finder(n)
    text = beginning_and_end(text)
    label = decide_label(text, finder, given=given)
    if label is None and {mention.label for mention in finder.mentions(text)} == {ABSTAIN}:
        label = ABSTAIN
    if label == ABSTAIN and finder.guessed.search(text[:2000]):
        return None
    if label in finder.labels:
        return label
    return None
