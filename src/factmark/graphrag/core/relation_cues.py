"""By which words a question asks for a relation, and for which of its ends. Pure.

A relation is met by the words of its own name and wording; less surely by words of the same family
(`founder`, `founded`) or of the same group: `therapy` asks for `treats`, `where` for a site.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from factmark.graphrag.core.names import akin, content
from factmark.graphrag.core.question_words import name_keys
from factmark.graphs.core.claims import IS_A, WORDINGS, relation_key
from factmark.graphs.core.cues import CUES, FUNCTION_WORDS, TURNED
from factmark.graphs.core.mentions import read_passage

Side = Literal["head", "tail"]
_Form = tuple[str, Side | None, Side | None, float]


class Cue(NamedTuple):
    """A word of a question that asks for a relation.

    Attributes:
        relations: that it may mean, none of them one that is another turned round.
        start: where, in characters.
        after, before: the end that is asked for where the known entity stands after it, or before
            it; None for any.
        weight: how surely it asks for them, to 1.
    """

    relations: frozenset[str]
    start: int
    after: Side | None
    before: Side | None
    weight: float = 1.0

    def asks(self, known: int | None) -> Side | None:
        """The end that is asked for where the known entity stands at `known`."""
        if known is None or self.after == self.before:
            return self.after if self.after == self.before else None
        return self.after if known > self.start else self.before


def straight(head: str, relation: str, tail: str) -> tuple[str, str, str]:
    """A triple with its relation's key, turned round where the relation is another's inverse."""
    key = relation_key(relation)
    return (tail, TURNED[key], head) if key in TURNED else (head, key, tail)


def is_symmetric(relation: str) -> bool:
    """Whether a relation says the same in both directions."""
    return relation in CUES and CUES[relation].symmetric


def _active(words: str) -> _Form:
    return words, "head", "tail", 1.0


def _passive(words: str) -> _Form:
    return words, "tail", "head", 1.0


def _noun(words: str, side: Side | None, weight: float = 1.0) -> _Form:
    return words, side, side, weight


_TABLE: tuple[tuple[str, tuple[_Form, ...]], ...] = (
    ("cause_of causative_agent_of", (
        _passive(r"caused by|due to|results? (?:from|of)|resulting from|triggered by|induced by|secondary to|attributed to|brought about by|produced by"),
        _active(r"caus(?:e|es|ing)\b(?! by)|leads? to|leading to|results? in|triggers?\b|induces?|provokes?|responsible for|precipitates?|brings? about|gives? rise to|produces?|contributes? to|increases? the risk"),
        _noun(r"complications?|consequences?|(?:side |adverse )effects?|sequelae", "tail"),
        _noun(r"risk factors?|precipitants?|pathogens?|organisms?|etiology|aetiology|why", "head"),
    )),
    ("treats", (
        _passive(r"treated|managed|relieved|cured|controlled"),
        _active(r"treats?\b|treating|manages?\b|managing|relieves?|cures?\b|used (?:for|in|to)|given (?:for|in)|indicated (?:for|in)|prescribed (?:for|to)|helps? (?:with|against)"),
        _noun(r"treatments?|therap(?:y|ies)|remed(?:y|ies)", "head"),
        _noun(r"drugs?|medications?|medicines?", "head", 0.3),
    )),
    ("prevents", (
        _passive(r"prevented|delayed|avoided"),
        _active(r"prevents?\b|preventing|protects? (?:against|from)|(?:reduces?|lowers?|cuts?) the risk|wards? off|delays?\b"),
        _noun(r"prevention|prophylaxis", "head"),
    )),
    ("has_symptom", (
        _passive(r"symptoms?|signs?|complaints?|clinical features?"),
        _active(r"presents? with|presenting with|manifests? (?:as|with)|experience"),
    )),
    ("has_finding_site", (
        _passive(r"affected|damaged|involved|destroyed"),
        _active(r"affects?\b|affecting|involves?|damages?|attacks?|harms?|located|found in|found"),
        _noun(r"where|sites?|locations?|organs?|tissues?|body parts?|part of the body", "tail"),
    )),
    ("isa", (
        _noun(r"(?:kinds?|types?|class(?:es)?|sorts?|categor(?:y|ies)|groups?) of|what (?:kind|type|class|sort|category)", "tail"),
        _active(r"belongs? to|classified as|classed as|counts? as"),
        _noun(r"examples? of|members? of|subtypes? of|forms? of", "head"),
        (r"(?:is|are) an?\b", "head", "tail", 0.4),
        _noun(r"^what (?:is|are)", "tail", 0.3),
    )),
    ("has_part", (
        _passive(r"parts? of|components? of|contained in|within"),
        _active(r"consists? of|contains?|comprises?|made (?:up )?of|composed of|includes?"),
    )),
    ("occurs_before", (
        _active(r"precedes?|preceding|(?:comes?|occurs?|appears?|stands?) before|precursors?|develops? into|progress\w* to|goes before"),
        _passive(r"preceded by|follows?|(?:comes?|occurs?|appears?) after"),
    )),
    ("occurs_in", (
        _active(r"(?:occurs?|arises?|appears?|develops?|seen|common|begins?|diagnosed) (?:in|during|at)"),
        _noun(r"when|at what age|in whom|age group|stage of life|which (?:people|patients|population)|life stage", "tail"),
    )),
    ("has_clinical_course", (_noun(r"clinical course|course|acute or chronic|chronic or acute|how long", "tail"),)),
    ("has_component", (
        _passive(r"measured"), _active(r"measures?\b|measuring|quantif(?:y|ies)|tests? for"),
    )),
    ("interprets", (
        _passive(r"interpreted|reflected|indicated by"),
        _active(r"reflects?|interprets?|indicates?|tells? about"),
    )),
    ("same_as possibly_equivalent_to", (
        _noun(r"same as|synonyms?|other names?|another (?:name|word)|(?:stands?|short) for|abbreviat\w+|also (?:called|known)|equivalent|full name", None),
    )),
    ("has_method", (_noun(r"methods?|techniques?|how (?:is|are)|carried out|performed|done by", "tail", 0.6),)),
    ("has_associated_morphology", (
        _passive(r"morpholog\w+|lesions?|structural changes?|histolog\w+|abnormalit\w+"),
    )),
    ("has_focus", (_active(r"aims? at|aimed at|focus(?:es)? on|targets?|directed at"),)),
    ("has_disposition plays_role", (
        _active(r"acts? as|acting as|functions? as|serves? as"),
        _noun(r"roles?|mechanisms?|mode of action|how does", "tail"),
    )),
    ("has_modification", (_passive(r"modifi\w+ forms?|analogues?|analogs?|derivatives?|derived from"),)),
    ("associated_with", (_noun(r"associat\w+|linked|related|correlat\w+|accompan\w+|coexists?", None),)),
    ("associated_finding_of", (_noun(r"findings?|history", None, 0.6),)),
)  # fmt: skip

_KNOWN = tuple(
    (
        frozenset(names.split()),
        re.compile(rf"\b(?:{words})(?![\w-])", re.IGNORECASE),
        after,
        before,
        weight,
    )
    for names, entries in _TABLE
    for words, after, before, weight in entries
)


@lru_cache(maxsize=1_024)
def _known_cues(question: str) -> tuple[Cue, ...]:
    return tuple(
        Cue(relations, match.start(), after, before, weight)
        for relations, pattern, after, before, weight in _KNOWN
        for match in pattern.finditer(question)
    )


def cues(question: str, relations: Iterable[str]) -> tuple[Cue, ...]:
    """The cues of a question; a relation that the table does not have is asked for by its name.

    Args:
        relations: keys of the relations at hand, none turned round.

    >>> [(sorted(cue.relations), cue.asks(20)) for cue in cues("Which drug treats gout?", ())]
    [(['treats'], 'head'), (['treats'], 'head')]
    """
    known = {name for names, *_ in _KNOWN for name in names}
    passage = read_passage(question)
    places = [(key, start) for key, (start, _) in zip(passage.words, passage.spans, strict=True)]
    named = []
    for relation in dict.fromkeys(relations):
        name = () if relation in known else content(relation.replace("_", " "))
        at = (start for key, start in places if any(akin(key, word) for word in name))
        if (start := next(at, None)) is not None:
            named.append(Cue(frozenset({relation}), start, "head", "tail"))
    return (*_known_cues(question), *named)


_FAMILY = 5  # letters that words of one family share
_GROUPS = (
    "cause due lead result trigger etiology aetiology provoke produce responsible why agent "
    "culprit bring induce give rise consequence effect outcome stem arise origin factor",
    "treat therapy treatment drug medication medicine manage management cure prescribe remedy "
    "first-line administered given against",
    "symptom sign manifestation manifest present presentation finding complaint feature "
    "experience notice complain",
    "site location located locate where place organ body anatomy anatomical region area "
    "structure tissue affect found part seat",
    "part component contain consist comprise made include composed ingredient constituent "
    "element member belong",
    "isa kind type class category form subtype variety variant example belong classified "
    "group sort family subclass instance broader narrower parent child",
    "prevent prevention avoid protect guard stop ward",
    "measure measurement test interpret interpretation reading assess evaluate estimate gauge "
    "indicate quantify reflect show value diagnose diagnosis detect",
    "method technique way procedure performed carried technique means how",
    "morphology morphologic structure structural lesion change abnormality tissue damage look "
    "pathological",
    "course clinical chronic acute progress progression develop evolve duration long",
    "before precede after follow earlier prior next later then",
    "occur when age period stage time population who people group life onset patient person "
    "develop",
    "role function act serve action purpose play",
    "same equivalent synonym called name known alias identical other",
    "associated associate relate related link connect correlate comorbid accompany go together tie",
    "disposition action mechanism act class work",
    "focus aim target purpose directed concern",
    "modify modification variant form change",
    "interact interaction combine affect",
    "born birth birthplace native",
    "die death dead died",
    "found founder founded establish start create build begin when year",
    "capital seat government city",
    "own owner belong possess",
    "direct director author write writer compose composer invent inventor discover discoverer "
    "who create creator make maker",
    "language speak spoken tongue",
    "currency money pay",
    "border neighbor neighbour adjacent next share",
    "population inhabitant people many live",
    "marry married spouse wife husband partner",
)
"""Words that ask for the same relations, a line a group."""


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, tuple[int, ...]]:
    """Word -> the groups that it is in."""
    groups: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for number, line in enumerate(_GROUPS):
        for key in {key for word in line.split() for key in name_keys(word)}:
            groups[key] += (number,)
    return groups


@lru_cache(maxsize=4_096)
def relation_words(relation: str) -> tuple[str, ...]:
    """The words that name a relation: of its own name, and of its wording where it has one.

    >>> relation_words("hasFindingSite")
    ('find', 'site', 'found')
    """
    key = relation_key(relation)
    if key in IS_A or key == "inverse_isa":
        return ("isa",)
    text = f"{key.replace('_', ' ')} {WORDINGS.get(key, '')}"
    for end in ("{head}", "{tail}", "{a_head}", "{a_tail}"):
        text = text.replace(end, " ")
    words = [word for word in text.split() if word.casefold() not in FUNCTION_WORDS]
    words = words or key.split("_")  # `same_as`
    return tuple(dict.fromkeys(key for word in words for key in name_keys(word)))


def asks_for_relation(key: str) -> bool:
    """Whether a word of a question hints at relations, as `where` and `therapy` do."""
    return key in _groups()


class RelationNames:
    """The relations of a graph by the words that ask for them.

    Args:
        relations: their names; results are places among them.
    """

    def __init__(self, relations: Sequence[str]) -> None:
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._families: defaultdict[str, list[int]] = defaultdict(list)
        self._groups: defaultdict[int, list[int]] = defaultdict(list)
        for place, relation in enumerate(relations):
            for key in relation_words(relation):
                self._named[key].append(place)
                if len(key) >= _FAMILY:
                    self._families[key[:_FAMILY]].append(place)
                for group in _groups().get(key, ()):
                    self._groups[group].append(place)

    def speaks(self, key: str) -> bool:
        """Whether a word speaks of a relation of the graph."""
        if key in self._named or key[:_FAMILY] in self._families:
            return True
        return any(group in self._groups for group in _groups().get(key, ()))

    def asked(self, bits: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """The relations that a question speaks of: the bits of the words that name each, and of
        those that hint at it.

        Args:
            bits: key of a word of the question -> its bit.
        """
        sure: defaultdict[int, int] = defaultdict(int)
        hinted: defaultdict[int, int] = defaultdict(int)
        for key, bit in bits.items():
            for place in self._named.get(key, ()):
                sure[place] |= bit
            hints = [self._families.get(key[:_FAMILY], ())] if len(key) >= _FAMILY else []
            hints += [self._groups.get(group, ()) for group in _groups().get(key, ())]
            for place in chain.from_iterable(hints):
                hinted[place] |= bit
        places = dict.fromkeys((*sure, *hinted))
        return {place: (sure[place], hinted[place] & ~sure[place]) for place in places}
