"""The words by which a passage states a relation. Data for `evidence.py`.

A relation that is another one turned round has no cues of its own: `TURNED` names the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from types import MappingProxyType

from factmark.graphs.core.claims import IS_A, WORDINGS, relation_key
from factmark.graphs.core.linking import FUNCTION_WORDS
from factmark.text.words import stem

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Patterns for one relation, see `pattern`; empty for none.

    Attributes:
        forward: between head and tail, where the head stands first.
        backward: between tail and head, where the tail stands first.
        symmetric: `forward` holds either way.
    """

    forward: str = ""
    backward: str = ""
    symmetric: bool = False

    def pattern(self, *, forward: bool) -> re.Pattern[str] | None:
        """The words to look for where the head stands first (`forward`), or the tail."""
        words = self.forward if forward or self.symmetric else self.backward
        return _compiled(words) if words else None


@lru_cache(maxsize=1_024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Those that are no function words.

    >>> content_words("is the capital of")
    ['capital']
    """
    return [word for word in words_of(text) if word not in FUNCTION_WORDS]


def cues_of(relation: str, wordings: Mapping[str, str] = WORDINGS) -> Cues | None:
    """The words that state a relation: the built-in ones, or those of the user's wording; None
    where there are none."""
    key = relation_key(relation)
    wording = wordings.get(key)
    if wording is not None and wording != WORDINGS.get(key):
        return cues_of_wording(wording)
    cues = CUES.get("isa" if key in IS_A else TURNED.get(key, key))
    if cues is None or key not in TURNED:
        return cues
    return Cues(forward=cues.backward, backward=cues.forward, symmetric=cues.symmetric)


@lru_cache(maxsize=1_024)
def cues_of_wording(wording: str) -> Cues | None:
    """The words of a wording between its head and tail, in their order, inflected or not.

    Where no content word stands there, those before and after: `the capital of {head} is {tail}`
    is also what `{head} and its capital {tail}` says. None where the wording has no word at all.
    """
    parts = list(Formatter().parse(wording))
    sides = [(name or "").removeprefix("a_") for _, name, _, _ in parts]
    first = next((at for at, side in enumerate(sides) if side), 0)
    second = next((at for at, side in enumerate(sides) if side not in ("", sides[first])), first)
    between = " ".join(text for text, *_ in parts[first + 1 : second + 1])
    words = content_words(between)
    outside = [] if words else content_words(" ".join(text for text, *_ in parts))
    if outside:
        return Cues(forward=_in_order(outside), symmetric=True)
    if not (words or words_of(between)):
        return None
    pattern = _in_order(words) if words else _in_order(words_of(between), most=0)
    return Cues(forward=pattern) if sides[first] == "head" else Cues(backward=pattern)


def _in_order(words: list[str], most: int = 2) -> str:
    """The words one after another, at most so many others between, each with any ending."""
    stems = [stem(word) if word.startswith(stem(word)) else word for word in words]
    parts = [re.escape(part) + (r"\w*" if len(part) > 2 else r"\b") for part in stems]
    others = rf"\W+(?:\w+\W+){{0,{most}}}?"
    return r"\b" + others.join(parts)


def _words(text: str) -> str:
    """Alternatives between bars, each from the start of a word on."""
    parts = "|".join(re.sub(r"\s+", r"\\s+", part.strip()) for part in text.split("|"))
    return rf"(?:\b|(?<!\w))(?:{parts})"


TURNED: Mapping[str, str] = MappingProxyType(
    {
        "inverse_isa": "isa",
        "due_to": "cause_of",
        "is_interpreted_by": "interprets",
        "focus_of": "has_focus",
        "associated_morphology_of": "has_associated_morphology",
        "has_causative_agent": "causative_agent_of",
        "finding_site_of": "has_finding_site",
        "part_of": "has_part",
    }
)

_IS_A = (
    r"(?:is|are|was|were|remains?|denotes?|represents?|constitutes?)\b(?!\s+(?:not|no)\b)"
    r"|belongs? to|forms? of|types? of|kinds? of|one of|variant of|classified as"
    r"|,\s*(?:an?|the|another)\b"
)
_CAUSES = (
    r"caus(?:e|es|ed|ing)\b(?!\s+by)|leads?\b|led\b|leading to|results? in|resulted in|induc\w+"
    r"|trigger\w*|produc\w+|provok\w+|contribut\w+|gives? rise|precipitat\w+|increas\w+|rais\w+"
    r"|promot\w+|worsen\w*|impair\w*|responsible|is followed by|stiffen\w*|carr(?:y|ies)\b"
    r"|toxic to|leaves?\b|aggravat\w+|accounts? for"
)
_CAUSED = (
    r"caused by|due to|results? (?:from|of)|resulted from|resulting from|secondary to|because"
    r"|aris\w+ from|attribut\w+|owing to|follow(?:s|ed|ing)?\b|adverse effects? of|side effects? of"
    r"|complications? of|under\b|on\b|produced by|explained by|triggered by|after\b|from\b"
    r"|of\b(?=\s*$)"
)

CUES: Mapping[str, Cues] = MappingProxyType(
    {
        "isa": Cues(
            forward=_words(_IS_A),
            backward=_words(
                r"such as|including|includes?|compris\w+|namely|for example|especially|like\b|:"
                r"|called|known as|,\s*(?:particularly|notably)"
            ),
        ),
        "cause_of": Cues(
            forward=_words(_CAUSES),
            backward=_words(_CAUSED),
        ),
        "interprets": Cues(
            forward=_words(
                r"defin\w+|suggest\w*|reflect\w*|mean(?:s|t)?\b|indicat\w+|is a (?:raised|high|low)"
                r"|quantif\w+|range|measured|names? for"
            ),
            backward=_words(r"defin\w+|suggest\w*|show\w*|indicat\w+|mark\w*|diagnos\w+|tests?\b"),
        ),
        "associated_finding_of": Cues(
            forward=_words(r"history of|recorded|past"), backward=_words(r"history of|of\b")
        ),
        "has_disposition": Cues(
            forward=_words(
                _IS_A + r"|inhibit\w*|block\w*|activat\w+|antagoni\w+|acts? as|acts? on"
            ),
            backward=_words(r"such as|including|like\b|for example"),
        ),
        "has_focus": Cues(
            forward=_words(
                r"aim\w*|for\b|in\b|of\b|against|target\w*|directed|people with|patients with"
                r"|recovering|teach\w*|address\w*|lower\w*|to (?:detect|treat|prevent)"
            ),
            backward=_words(
                r"treated (?:with|by)|managed|requir\w+|by\b|receiv\w+|led to|for\b|leaves?"
            ),
        ),
        "has_associated_morphology": Cues(
            forward=_words(
                r"shows?|showed|characteri\w+|marked by|with\b|consists? of|reveal\w*|presents? as"
                r"|leads? to|caus\w+|lesion|denotes|combines?|is a\b|comes first|predominate|,"
            ),
            backward=_words(
                r"(?:is|are) seen|seen (?:in|at)|in\b|of\b|lesion|characteri\w+|define|mark\b"
            ),
        ),
        "causative_agent_of": Cues(
            forward=_words(
                _CAUSES
                + r"|agent|pathogen|the (?:usual|most frequent) (?:isolate|pathogen)|invade\w*"
                r"|infect\w*|isolate\b"
            ),
            backward=_words(_CAUSED + r"|infection\b|with\b|mostly by|by\b"),
        ),
        "has_finding_site": Cues(
            forward=_words(
                r"affect\w*|involv\w*|of the|of\b|in the|in\b|at\b|on the|on\b|within|invad\w*"
                r"|locat\w*|confin\w*|damag\w*|destr\w+|loss of|from loss|to the|appears?"
            ),
            backward=_words(
                r"(?:is|are|was|were) (?:\w+ )?(?:affected|involved|damaged|destroyed|the site)"
                r"|in\b|with\b|for\b|of\b|show\w*|site of|is destroyed"
            ),
        ),
        "has_method": Cues(
            forward=_words(
                r"by\b|us(?:es|ing|ed)\b|measur\w+|perform\w+|records?|with\b|infus\w+|is\b"
            ),
            backward=_words(r"us(?:ed|es)? (?:for|in|to)|for\b"),
        ),
        "possibly_equivalent_to": Cues(
            forward=_words(
                r"may be|might be|one entity|the same|interchangeab\w+|equivalent|refers? to|and\b"
            ),
            symmetric=True,
        ),
        "same_as": Cues(
            forward=_words(
                r"also|called|known as|or\b|the same|synonym\w*|formerly|i\.e\.|two names|termed"
                r"|\(|refers? to|another name"
            ),
            symmetric=True,
        ),
        "has_component": Cues(
            forward=_words(
                r"measur\w+|record\w*|quantif\w+|reflect\w*|of\b|for\b|detect\w*|determin\w+|reli\w+"
                r"|components?|consists? of|compris\w+|contain\w*|composed of|includ\w+|made up"
            ),
            backward=_words(r"measured by|is used to|by\b|\(|components? of|parts? of|found in"),
        ),
        "has_part": Cues(
            forward=_words(
                r"consists? of|compris\w+|contain\w*|composed of|includ\w+|combin\w+|ha(?:s|ve)"
                r"|made up|is built"
            ),
            backward=_words(
                r"parts? of|within|in the|through the|of the|lie|found in|make up|belongs? to"
                r"|components? of|of\b"
            ),
        ),
        "has_modification": Cues(
            forward=_words(
                r"modif\w+|analogue|analog|derivative|altered|differs?|attached|pegylat\w+"
            ),
            backward=_words(r"modif\w+|analogue|analog|derivative|derived|altered|differs? from"),
        ),
        "associated_with": Cues(
            forward=_words(
                r"associat\w+|link\w*|correlat\w+|relat\w+|more (?:often|frequent\w*|common\w*)"
                r"|risk|accompan\w+|common|coexist\w*|predict\w*|found in|frequent|present|marker"
                r"|times|affects?|occur together|two-way|both\b"
            ),
            symmetric=True,
        ),
        "plays_role": Cues(
            forward=_words(
                r"acts? as|act as|serv\w+ as|used as|role|functions? as|is an?\b|is the"
            ),
            backward=_words(r"such as|:|including"),
        ),
        "occurs_before": Cues(
            forward=_words(
                r"preced\w+|before|followed by|progress\w* to|go(?:es)? on to|develop\w*"
                r"|turns? into|conver\w+|then\b|appears? (?:months|years)|leads? to"
            ),
            backward=_words(r"after|follows?|preceded by|following|reached after"),
        ),
        "has_clinical_course": Cues(
            forward=_words(r"(?:is|are|was|were|remains?|runs?|has)\b|course|resolv\w+|lasts?"),
            backward=r"^\s*(?:[\w-]+\s+){0,2}$",
        ),
        "occurs_in": Cues(
            forward=_words(r"in\b|during|among|at\b|of\b|before"),
            backward=_words(r"with|develop\w*|present\w*|at (?:the )?onset"),
        ),
        "has_symptom": Cues(
            forward=_words(
                r"present\w*|symptom\w*|complain\w*|with\b|characteri\w+|includ\w+|marked|caus\w+"
                r"|typical|manifest\w*|experienc\w+|report\w*|features?|begin\w*|:"
            ),
            backward=_words(
                r"(?:is|are|were) (?:also )?(?:the )?(?:classic|typical|common|frequent|usual|main)"
                r"|complaints?|symptoms?|signs? of|point to|suggest|seen in|warn\w*|in\b|define"
            ),
        ),
        "treats": Cues(
            forward=_words(
                r"treat\w*|improv\w*|reliev\w+|relief|lower\w*|reduc\w+|control\w*|revers\w+|correct\w*"
                r"|heal\w*|effective|restor\w+|first-line|first choice|(?:drug|treatment) of choice"
                r"|remission|cur(?:e|es|ed|ative)\b|slow\w*|help\w*|manage\w*|prescribed|for\b"
                r"|respond\w*|replaces?|basis of|standard treatment|sooth\w*|delays?|value\w*"
            ),
            backward=_words(
                r"treated (?:with|by)|treatment|therapy|respon\w+ to|manag\w+|requir\w+|reliev\w+"
                r"|rests on|corrected by|improves? (?:with|by|under)|for which|should be started"
                r"|switched|mainstay|:"
            ),
        ),
        "prevents": Cues(
            forward=_words(
                r"prevent\w*|reduc\w+|lower\w*|delay\w*|cut\b|fewer|protect\w*|less\b|decreas\w+|fell"
            ),
            backward=_words(r"prevented (?:by|with)|reduced (?:by|with|under)|fell|lower with"),
        ),
    }
)
