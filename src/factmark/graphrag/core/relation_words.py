"""By which words a question asks for a relation. Pure.

A relation is met by the words of its own name and wording; less surely by words of the same family
(`founder`, `founded`) or of the same group: `therapy` asks for `treats`, `where` for a site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from factmark.graphrag.core.question_words import name_keys
from factmark.graphs.core.claims import IS_A, WORDINGS, relation_key
from factmark.graphs.core.cues import FUNCTION_WORDS

_FAMILY = 5  # letters that words of one family share
_GROUPS = (
    "cause due lead result trigger etiology aetiology provoke produce responsible why agent "
    "culprit bring induce give rise consequence effect outcome stem arise origin factor "
    "complication sequela pathogen organism precipitate secondary contribute",
    "treat therapy treatment drug medication medicine manage management cure prescribe remedy "
    "first-line administered given against used relieve control indicate help",
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
    ('find', 'site', 'locat')
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
