"""By which words a question asks for a relation. Pure.

A relation is met by the words of its own name and wording; less surely by words of the same family
(`founder`, `founded`) or of the same group: `therapy` asks for `treats`, `where` for a site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from factmark.graph_answers.core.question_words import QuestionWord, name_keys
from factmark.graph_answers.core.retrieval import Masks, Twice
from factmark.graphs.core.claims import IS_A, WORDINGS, relation_key
from factmark.graphs.core.cues import FUNCTION_WORDS

_FAMILY = 5  # letters that words of one family share
_ROOT = 3  # letters of a root, at least
_HEAD = 4  # letters of the root that a compound ends with, at least
_ENDINGS = ("ation", "ition", "ion", "ress", "or", "er", "ist", "ment", "ing", "ance", "ence")
_SHARING = frozenset(
    "also same share shares shared sharing together co common fellow another both joint jointly "
    "mutual alike too".split()
)
_BACK = 0.6  # what a relation that is asked for twice adds
_IRREGULAR = {
    form: base
    for base, forms in (
        line.split(":")
        for line in (
            "writ:wrot written,speak:spok spoken,sing:sang sung song,win:won,lead:led,"
            "teach:taught,build:built,buy:bought,draw:drew drawn,fly:flew flown flight,"
            "grow:grew grown,los:lost,meet:met,run:ran,see:saw seen,shoot:shot,tell:told,"
            "think:thought,throw:threw thrown,wear:wore worn,fight:fought,catch:caught,"
            "choos:chos chosen,break:brok broken,driv:drov driven,eat:ate eaten,"
            "fall:fell fallen,begin:began begun,becom:becam,bring:brought,breed:bred,feed:fed,"
            "bleed:bled,hid:hidden,ris:ros risen,swim:swam swum,understand:understood,"
            "bear:bore born,giv:gave given,tak:took taken,hold:held,keep:kept,mak:made,"
            "sell:sold,send:sent,spend:spent,leav:left,choose:choice"
        ).split(",")
    )
    for form in forms.split()
}
"""Key of an irregular form -> of its base."""
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
    words = []
    for word in text.split():
        if word.casefold() not in FUNCTION_WORDS:
            words.append(word)
    words = words or key.split("_")  # `same_as`
    return tuple(dict.fromkeys(key for word in words for key in name_keys(word)))


def asks_for_relation(key: str) -> bool:
    """Whether a word of a question hints at relations, as `where` and `therapy` do."""
    return key in _groups()


@lru_cache(maxsize=65_536)
def root_of(key: str) -> str:
    """What words of one family share: without the ending that makes an actor or an action of a
    verb, and of an irregular verb the base.

    >>> root_of("director") == root_of("direct"), root_of("wrot") == root_of("writer")
    (True, True)
    """
    root = _IRREGULAR.get(key, key)
    for ending in _ENDINGS:
        if root.endswith(ending) and len(root) - len(ending) >= _ROOT:
            root = root.removesuffix(ending)
            break
    if len(root) > _ROOT and root[-1] in "ei":
        root = root[:-1]
    if len(root) > _ROOT and root[-1] == root[-2]:
        return root[:-1]
    return root


class Meant(NamedTuple):
    """The relations that a word names, and those that it hints at, by their places."""

    named: frozenset[int]
    hinted: frozenset[int]


class RelationNames:
    """The relations of a graph by the words that ask for them.

    Args:
        relations: their names; results are places among them.
    """

    def __init__(self, relations: Sequence[str]) -> None:
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._families: defaultdict[str, list[int]] = defaultdict(list)
        self._roots: defaultdict[str, list[int]] = defaultdict(list)
        self._groups: defaultdict[int, list[int]] = defaultdict(list)
        for place, relation in enumerate(relations):
            for key in relation_words(relation):
                self._named[key].append(place)
                self._roots[root_of(key)].append(place)
                if len(key) >= _FAMILY:
                    self._families[key[:_FAMILY]].append(place)
                for group in _groups().get(key, ()):
                    self._groups[group].append(place)
        self.relations_meant = lru_cache(maxsize=65_536)(self._relations_meant)
        """What a word says of relations."""

    def _relations_meant(self, key: str) -> Meant:
        """Returns the relations that a word names, and those of its family; without any, those of
        its synonyms."""
        root = root_of(key)
        named = frozenset(self._named.get(key, ()))
        family = set(self._roots.get(root, ()))
        if len(key) >= _FAMILY:
            family.update(self._families.get(key[:_FAMILY], ()))
        for at in range(2, len(root) - _HEAD + 1):  # a screenwriter is a writer
            family.update(self._roots.get(root[at:], ()))
        if named or family:  # then it is no synonym of others
            return Meant(named, frozenset(family - named))
        groups = (self._groups.get(group, ()) for group in _groups().get(key, ()))
        return Meant(named, frozenset(chain.from_iterable(groups)))

    def speaks(self, key: str) -> bool:
        """Whether a word speaks of a relation of the graph."""
        return any(self.relations_meant(key))

    def masks(self, relations: Sequence[int], bits: Mapping[str, int]) -> Masks:
        """The bits of the words that name each of some relations, or hint at it."""
        masks = [0] * len(relations)
        for key, bit in bits.items():
            meant = self.relations_meant(key)
            for place, relation in enumerate(relations):
                if relation in meant.named or relation in meant.hinted:
                    masks[place] |= bit
        return np.array(masks, dtype=np.uint64)

    def asked(self, bits: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """The relations that a question speaks of: the bits of the words that name each, and of
        those that hint at it.

        Args:
            bits: key of a word of the question -> its bit.
        """
        sure: defaultdict[int, int] = defaultdict(int)
        hinted: defaultdict[int, int] = defaultdict(int)
        for key, bit in bits.items():
            meant = self.relations_meant(key)
            for place in meant.named:
                sure[place] |= bit
            for place in meant.hinted:
                hinted[place] |= bit
        places = sorted({*sure, *hinted})
        return {place: (sure[place], hinted[place] & ~sure[place]) for place in places}


def places_of_relations(
    asked: Mapping[int, tuple[int, int]], bits: Sequence[int]
) -> dict[int, list[int]]:
    """Returns relation -> the places of the words that ask for it.

    Args:
        bits: of each word; none for the name of an entity.
    """
    places = {}
    for relation, (named, hinted) in asked.items():
        mask = named | hinted
        if mask:
            places[relation] = [place for place, bit in enumerate(bits) if bit & mask]
    return places


def twice_asked(
    words: Sequence[QuestionWord],
    spoken: Mapping[int, Sequence[int]],
    named: Collection[int],
    names: RelationNames,
) -> dict[int, Twice]:
    """The relations that a question asks for twice, as "the writer of Emma also wrote" or "written
    by the writer of Emma", or by a word of sharing that stands nearest to it: "co-writers", "the
    same writer"; if it names none, by such a word alone.

    Args:
        spoken: relation -> the places of the words that ask for it.
        named: places of words that are the names of entities.
    """
    sharing = []
    for n, word in enumerate(words):
        if n not in named and word.text.casefold() in _SHARING:
            sharing.append(n)
    roots = [root_of(word.key) for word in words]

    def alike(p: int, q: int) -> bool:
        return roots[p].endswith(roots[q]) or roots[q].endswith(roots[p])

    def nests(p: int, q: int) -> bool:
        """Whether the second word begins a clause of its own in that of the first: `of` follows,
        and they are no compound."""
        apart = q > p + 1 or words[q].start > words[p].end + 1
        following = ""
        if q + 1 < len(words):
            following = words[q + 1].text.casefold()
        return apart and following == "of"

    def is_repeated(relation: int, places: Sequence[int]) -> bool:
        for p, q in combinations(places, 2):
            if alike(p, q) and (nests(p, q) or any(p < n < q for n in named)):
                return True
            both = all(
                relation in names.relations_meant(words[place].key).named for place in (p, q)
            )
            if both and nests(p, q):  # "starring the actors of", of `starred actors`
                return True
        return False

    def away(places: Sequence[int]) -> int:
        """How many words away the next word of sharing is."""
        return min(abs(share - place) for share in sharing for place in places)

    out: dict[int, Twice] = {}
    asked = [places for places in spoken.values() if places]
    nearest = 0
    if sharing:
        nearest = min(map(away, asked), default=0)
    for relation, places in spoken.items():
        repeated = is_repeated(relation, places)
        if repeated or (sharing and places and away(places) == nearest):
            out[relation] = Twice(_BACK, _BACK if repeated else 0.0)
    return out


def relations_asked(
    spoken: Mapping[int, Sequence[int]], twice: Mapping[int, Twice], named: Collection[int]
) -> int:
    """How many relations of a path a question may ask for: words that speak of some, and one more
    where a word of sharing asks for one of them twice."""
    places = {place for spoken_places in spoken.values() for place in spoken_places} - set(named)
    shared = any(worth.onward == 0.0 for worth in twice.values())
    return len(places) + int(shared)
