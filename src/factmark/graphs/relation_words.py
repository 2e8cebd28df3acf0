"""Which words of a question speak of a relation. Pure.

A relation is met by the words of its own name and wording; less surely by words of the same family
(`founder`, `founded`) or of the same group: `therapy` asks for `treats`, `where` for a site.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from factmark.graphs.claims import relation_key
from factmark.graphs.linking import FUNCTION_WORDS, Word, name_keys
from factmark.graphs.wordings import WORDINGS

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
def _groups() -> Mapping[str, int]:
    """Word -> the groups that it is in, as bits."""
    found: dict[str, int] = {}
    for number, line in enumerate(_GROUPS):
        for word in line.split():
            for key in name_keys(word):
                found[key] = found.get(key, 0) | 1 << number
    return found


@lru_cache(maxsize=65_536)
def relation_words(relation: str) -> tuple[str, ...]:
    """The words that name a relation: of its own name, and of its wording where it has one.

    >>> relation_words("hasFindingSite")
    ('find', 'site', 'found')
    """
    key = relation_key(relation)
    if key in ("isa", "is_a", "inverse_isa", "subclass_of", "instance_of", "type", "rdf_type"):
        return ("isa",)
    said = f"{key.replace('_', ' ')} {WORDINGS.get(key, '')}"
    for field in ("{head}", "{tail}", "{a_head}", "{a_tail}"):
        said = said.replace(field, " ")
    words = [word for word in said.split() if word.casefold() not in FUNCTION_WORDS]
    words = words or key.split("_")  # `same_as`
    return tuple(dict.fromkeys(found for word in words for found in name_keys(word)))


def asks_for_relation(key: str) -> bool:
    """Whether a word of a question hints at relations, as `where` and `therapy` do."""
    return key in _groups()


class RelationWords:
    """The words of one question, to be held against relations.

    Args:
        words: of the question.
        bits: key of a word -> its bit.
    """

    def __init__(self, words: Sequence[Word], bits: Mapping[str, int]) -> None:
        self._bits = bits
        self._families: dict[str, int] = {}
        self._grouped: dict[int, int] = {}
        groups = _groups()
        for word in words:
            bit = bits.get(word.key, 0)
            if not bit:
                continue
            if len(word.key) >= _FAMILY:
                family = word.key[:_FAMILY]
                self._families[family] = self._families.get(family, 0) | bit
            rest = groups.get(word.key, 0)
            while rest:
                group = rest & -rest
                self._grouped[group] = self._grouped.get(group, 0) | bit
                rest ^= group

    def of(self, relation: str) -> tuple[int, int]:
        """The bits of the words that name a relation, and of those that hint at it."""
        sure = hinted = 0
        groups = _groups()
        for key in relation_words(relation):
            sure |= self._bits.get(key, 0)
            if len(key) >= _FAMILY:
                hinted |= self._families.get(key[:_FAMILY], 0)
            rest = groups.get(key, 0)
            while rest:
                group = rest & -rest
                hinted |= self._grouped.get(group, 0)
                rest ^= group
        return sure, hinted & ~sure
