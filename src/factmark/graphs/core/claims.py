"""Triples, the claims that they make in plain language, and the units that are judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring
from string import Formatter
from types import MappingProxyType
from typing import Literal, NamedTuple

from factmark.model import Unit, content_hash, hash_of_json

IS_A = frozenset({"isa", "is_a", "subclass_of", "sub_class_of", "instance_of", "type", "rdf_type"})
"""The names under which graphs say that one thing is another."""
WORDINGS: Mapping[str, str] = MappingProxyType(
    {
        "isa": "{head} is {a_tail}",
        "inverse_isa": "{tail} is {a_head}",
        "cause_of": "{head} causes {tail}",
        "due_to": "{head} is caused by {tail}",
        "interprets": "{head} is an interpretation of {tail}",
        "is_interpreted_by": "{head} is interpreted by {tail}",
        "associated_finding_of": "{head} is the finding that {tail} is about",
        "has_disposition": "{head} acts as {a_tail}",
        "focus_of": "{head} is what {tail} is aimed at",
        "has_focus": "{head} is aimed at {tail}",
        "has_associated_morphology": "{head} shows the structural change {tail}",
        "associated_morphology_of": "{head} is a structural change seen in {tail}",
        "causative_agent_of": "{head} is the agent that causes {tail}",
        "has_causative_agent": "{head} is caused by the agent {tail}",
        "finding_site_of": "{head} is where {tail} is located",
        "has_finding_site": "{head} is located in the {tail}",
        "has_method": "{head} is done by {tail}",
        "possibly_equivalent_to": "{head} may be the same as {tail}",
        "same_as": "{head} is the same as {tail}",
        "has_component": "{head} has {tail} as a component",
        "has_part": "{head} has {tail} as a part",
        "part_of": "{head} is part of {tail}",
        "has_modification": "{tail} is a modified form of {head}",
        "associated_with": "{head} is associated with {tail}",
        "plays_role": "{head} plays the role of {a_tail}",
        "occurs_before": "{head} occurs before {tail}",
        "has_clinical_course": "The clinical course of {head} is {tail}",
        "occurs_in": "{head} occurs in {tail}",
        "has_symptom": "{head} has {tail} as a symptom",
        "treats": "{head} treats {tail}",
        "prevents": "{head} prevents {tail}",
        "method_of": "{tail} is done by {head}",
        "is_modification_of": "{head} is a modified form of {tail}",
        "has_pathological_process": "{head} involves the pathological process {tail}",
        "has_direct_procedure_site": "{head} is done directly on the {tail}",
        "direct_procedure_site_of": "{tail} is done directly on the {head}",
        "has_direct_substance": "{head} acts directly on the substance {tail}",
        "has_entire_anatomy_structure": "{head} taken as a whole is {tail}",
    }
)
"""How each relation reads; `{a_tail}` and `{a_head}` take an article where one fits."""
_FIELDS = frozenset({"head", "tail", "a_head", "a_tail"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")
_CONSONANT_SOUND = re.compile(r"(?:uni|use|usu|eu|one\b|ure|uri[nc]|u[bt]i)", re.IGNORECASE)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|heir)", re.IGNORECASE)
_ABBREVIATION = re.compile(r"[A-Z](?:[A-Z]|\d|-)")
_UNESCAPED = bytes(byte for byte in range(32, 256) if byte not in b'"\\')  # in JSON


@dataclass(slots=True, unsafe_hash=True)  # frozen and by keywords, it takes four times as long
class Triple:
    """One statement of a knowledge graph, and the passage that it was extracted from; not changed
    once it is made.

    Attributes:
        head, relation, tail: as people read them: labels where the source has labels.
        passage: its text, or None where there is none.
        passage_id: its name in its own file.
        confidence: what the extractor gave.
        id: the user's own name for the row.
        where: the place in the source: `line 12`, `row 3`.
        given: the row's other columns, which pass through to the results; no part of what is equal.
        head_id, tail_id: the nodes' own names where the source has them (IRIs, CUIs).
        statement: what an edge says in words of its own, where the source has a description in the
            place of a relation's name; it is the claim then.
    """

    head: str
    relation: str
    tail: str
    passage: str | None = None
    passage_id: str = ""
    confidence: float | None = None
    id: str = ""
    where: str = ""
    head_id: str = ""
    tail_id: str = ""
    statement: str = ""
    given: Mapping[str, object] = field(default_factory=dict, compare=False)
    _key: tuple[str, str, str] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """What two rows of the same triple have in common: the ids of its nodes, or else their
        names in lower case with single spaces."""
        if self._key is None:  # ids and scores need it
            self._key = (
                self.head_id or folded(self.head),
                relation_key(self.relation),
                self.tail_id or folded(self.tail),
            )
        return self._key


Role = Literal["head", "tail", "cue", "negation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMark:
    """A stretch of the passage to mark: `passage[start:end]`."""

    role: Role
    start: int
    end: int


class RuleVerdict(NamedTuple):
    """What a rule says of a triple.

    Attributes:
        label: None where the rule cannot tell; `reason` says why, what it is about after a colon.
    """

    label: str | None
    reason: str


@lru_cache(maxsize=65_536)
def folded(name: str) -> str:
    """Returns a name in lower case with single spaces, so that names which differ in nothing else
    are equal."""
    return " ".join(name.split()).casefold()


@lru_cache(maxsize=4_096)
def relation_key(relation: str) -> str:
    """Returns a relation's name as the tables of relations have it: the last part of an IRI, in
    lower case, with `_` between words.

    A name without a letter or digit (`->`) stays as it is.

    >>> relation_key("hasSymptom"), relation_key("http://x.org/v#finding-site-of")
    ('has_symptom', 'finding_site_of')
    """
    name = relation.strip()
    if "://" in name:
        name = re.split(r"[/#]", name.rstrip("/#"))[-1]
    return _NOT_WORD.sub("_", _CAMEL.sub("_", name).casefold()).strip("_") or name


def claim(triple: Triple, wordings: Mapping[str, str] = WORDINGS) -> str:
    """Returns the triple as a sentence, by its relation's wording or else by the relation's name.

    Its own statement, where it has one, is the claim.

    >>> claim(Triple(head="diabetes mellitus", relation="isa", tail="disease"))
    'Diabetes mellitus is a disease'
    >>> claim(Triple(head="insulin", relation="regulatesLevelOf", tail="glucose"))
    'Insulin regulates level of glucose'
    """
    if triple.statement:
        return " ".join(triple.statement.split())
    key = relation_key(triple.relation)
    head = " ".join(triple.head.split())
    tail = " ".join(triple.tail.split())
    wording = wordings.get(key)
    if wording is None:
        text = f"{head} {key.replace('_', ' ')} {tail}"
    else:
        named = {"head": head, "tail": tail}
        if "{a_" in wording:
            named |= {"a_head": with_article(head), "a_tail": with_article(tail)}
        text = wording.format_map(named)
    first = text.partition(" ")[0][1:]
    written = not first.islower() and any(letter.isupper() for letter in first)
    if written:
        return text
    return text[:1].upper() + text[1:]


def wording_problem(wording: str) -> str | None:
    """Returns what is wrong with a user's wording; None if nothing is."""
    try:
        names = {name for _, name, spec, _ in Formatter().parse(wording) if name is not None}
    except ValueError as error:
        return str(error)
    unknown = names - _FIELDS
    if unknown:
        return f"knows no {{{min(unknown)}}}; use {{head}}, {{tail}}, {{a_head}} or {{a_tail}}"
    for side in ("head", "tail"):
        if not names & {side, f"a_{side}"}:
            return f"says nothing of the {side}: {{{side}}} is missing"
    return None


def with_article(name: str) -> str:
    """Returns the name with `a` or `an` before it, or unchanged if it is a plural or has an
    article.

    >>> with_article("ulcer"), with_article("unilateral lesion"), with_article("SGLT2 inhibitor")
    ('an ulcer', 'a unilateral lesion', 'an SGLT2 inhibitor')
    """
    first, _, _ = name.partition(" ")
    last = name.rpartition(" ")[2]
    if first.casefold() in ("a", "an", "the") or not first:
        return name
    if last.endswith("s") and not last.endswith(("ss", "us", "is")):
        return name
    if _ABBREVIATION.match(first):
        vowel = first[0] in "AEFHILMNORSX"
    else:
        vowel = first[0] in "aeiouAEIOU" and not _CONSONANT_SOUND.match(first)
        vowel = vowel or bool(_VOWEL_SOUND.match(first))
    return f"{'an' if vowel else 'a'} {name}"


def without_evidence(unit: Unit, *, general: bool = False) -> str:
    """Returns why there is nothing to judge a unit of support by; empty where there is something.

    Args:
        general: what is generally true counts, but for a pair whose passage is named and not there.
    """
    if unit.data.get("passage"):
        return ""
    if unit.kind == "pair" and (name := unit.data.get("passage_id")):
        return f"no passage of that id: {name}"
    if general:
        return ""
    return "no passage"


def basis_of(passage: str | None) -> str:
    """Returns what a unit of support is judged by where general truth may count: its passage, or
    that alone."""
    if passage:
        return "with a passage"
    return "by general truth alone"


def pair_id(triple: Triple) -> str:
    """Returns the id of a triple together with its passage: the same for the same pair, whatever
    the file."""
    if triple.passage is None:
        evidence = triple.passage_id
    else:
        evidence = triple.passage
    head, relation, tail = map(encode_basestring, triple.key)
    before = f'["pair",{head},{relation},{tail},'.encode("utf-8", "surrogatepass")
    after = b"]"
    if triple.statement:
        after = b"," + _quoted(triple.statement) + b"]"
    # content_hash("pair", *triple.key, evidence, *statement) in a third of the time
    return hash_of_json(before, _quoted(evidence), after)


@lru_cache(maxsize=32)  # triples of one passage mostly stand together
def _quoted(text: str) -> bytes:
    """Returns a text as JSON; of a passage that takes a third of the encoder's time."""
    data = text.encode("utf-8", "surrogatepass")
    for sign in sorted(set(data.translate(None, _UNESCAPED)), reverse=True):  # the backslash first
        data = data.replace(bytes((sign,)), encode_basestring(chr(sign))[1:-1].encode())
    return b'"' + data + b'"'


def triple_id(triple: Triple) -> str:
    """Returns the id of a triple, which does not depend on its passage."""
    return content_hash("triple", *triple.key)


def pair_unit(triple: Triple, wordings: Mapping[str, str] = WORDINGS, id: str = "") -> Unit:
    """Returns the unit that FActScore* has judged: one triple with one passage.

    Args:
        id: its `pair_id`, where that is known.
    """
    more = {"passage": triple.passage, "passage_id": triple.passage_id}
    return _unit("pair", id or pair_id(triple), triple, wordings, **more)


def triple_unit(triple: Triple, wordings: Mapping[str, str] = WORDINGS, id: str = "") -> Unit:
    """Returns the unit that ValidityScore has judged: one triple, whatever its passages.

    Args:
        id: its `triple_id`, where that is known.
    """
    return _unit("triple", id or triple_id(triple), triple, wordings)


def _unit(
    kind: str, name: str, triple: Triple, wordings: Mapping[str, str], **more: object
) -> Unit:
    """Returns the unit of a triple; `more` is added to the data that it carries."""
    shown = ("head", "relation", "tail", "id", "where", "confidence")
    data = {field: getattr(triple, field) for field in shown} | more
    data |= {
        field: value
        for field in ("statement", "head_id", "tail_id")
        if (value := getattr(triple, field))
    }
    text = claim(triple, wordings)
    return Unit(id=name, item=folded(triple.head), kind=kind, text=text, data=data)


def triple_of(unit: Unit) -> Triple:
    """Returns the triple that a unit was made from, with the fields that judges need."""
    data = unit.data
    passage = data.get("passage")
    return Triple(
        head=str(data["head"]),
        relation=str(data["relation"]),
        tail=str(data["tail"]),
        passage=None if passage is None else str(passage),
        statement=str(data.get("statement", "")),
        head_id=str(data.get("head_id", "")),
        tail_id=str(data.get("tail_id", "")),
    )
