"""Questions to a graph, what each was answered from, and what became of the answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from factmark.graphs.core.claims import Triple
from factmark.model import Status

QuestionKind = Literal["text", "choice", "yes-no"]

HeldBy = Literal["path", "words", "judge", ""]

LETTERS = "ABCDEFGHIJ"
"""Names of options; so many are the most that a question may have."""

CORRECT = "CORRECT"
INCORRECT = "INCORRECT"
VERIFIED: dict[str, float] = {CORRECT: 1.0, INCORRECT: 0.0}
"""Label of an answer -> its value."""

RULES = "rules"
"""What rules are called that answer or judge."""

NONE, TEXT = CONTROLS = ("none", "text")
"""The controls: the model alone, and passages in the place of triples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuestion:
    """One question with what counts as a right answer.

    Attributes:
        id: unique in its set.
        text: as people ask it, without its options.
        kind: answered in free text, by one of the options, or by yes, no or maybe.
        references: accepted answers, each by itself right; for a `choice` the text of the right
            option. Empty only where `answerable` is False and the file names no answer: then to
            abstain is right. What a graph does not hold may be true of the world all the same.
        triples: (head, relation, tail) of those that together answer it, where the file names them.
        entities: what the question is about, where the file names it.
        path: the relations that lead from there to the answer, where the file names them.
        support: the ids of the passages that together answer it, where the file names them.
        is_set: whether the references are a list in the file: answers, not spellings of one.
        answerable: whether the graph holds the answer, where the file says so.
        strata: what results are broken down by: topic, difficulty, hops.
        where: the place in the file, as `line 12`.
    """

    id: str
    text: str
    kind: QuestionKind
    references: tuple[str, ...]
    options: tuple[str, ...] = ()
    triples: tuple[tuple[str, str, str], ...] = ()
    entities: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    is_set: bool = False
    answerable: bool | None = None
    strata: Mapping[str, str] = field(default_factory=dict)
    where: str = ""

    @property
    def hops(self) -> int | None:
        """How many triples lead to the answer, as the file states it; None where it does not."""
        stated = self.strata.get("hops", "")
        if stated.isascii() and stated.isdecimal() and len(stated) < 3 and int(stated):
            return int(stated)
        return None

    @property
    def asked(self) -> str:
        """The question as a model is asked it: options stand below, one a line, with letters."""
        options = zip(LETTERS, self.options, strict=False)
        return "\n".join([self.text, *(f"{letter}. {option}" for letter, option in options)])

    @property
    def right(self) -> str | None:
        """The letter of the right option; None but for `choice`, and where no answer is right."""
        if self.kind != "choice" or not self.references:
            return None
        return LETTERS[self.options.index(self.references[0])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """An entity that a question names.

    Attributes:
        start, end: where, in characters of the question; 0 for what an option names.
        name: as the graph writes it.
        how: `name`, `alias`, `synonym` (of the ontology), `initials`, `fuzzy` (misspelt), `part`
            (most of its words), `option`.
    """

    start: int
    end: int
    name: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedTriple:
    """A triple that was found for a question.

    Attributes:
        number: of the triple in its index.
        text: the triple in plain language.
        score: how well it fits the question; comparable within one question only.
        hops: 1: it touches an entity that the question names; 2: an entity next to one, and so on;
            0: found by its words alone.
    """

    number: int
    triple: Triple
    text: str
    score: float
    hops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphContext:
    """What a graph says of a question, best first; `passages`: id and text of those that triples
    are from, where a graph is searched by them; `reached`: how many triples were ranked."""

    facts: tuple[RetrievedTriple, ...]
    passages: tuple[tuple[str, str], ...] = ()
    linked: tuple[Linked, ...] = ()
    reached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalLimits:
    """How much is retrieved: triples, entities of a question, triples around one of them (None for
    any), hops (1 to 4), tokens about (None for any).

    Attributes:
        by: how triples are found: along `paths`, by `passages`, or as the graph's own profile says.
    """

    top_k: int = 10
    entities: int = 50
    per_entity: int | None = None
    hops: int = 3
    tokens: int | None = None
    by: Literal["auto", "paths", "passages"] = "auto"


PAPER = RetrievalLimits(top_k=300, entities=30, per_entity=10, hops=1, tokens=12_000)
"""The setting of the GraphMERT paper: 30 entities, 10 relations each, at most 12,000 tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a system had to answer a question from.

    Attributes:
        context: the triples; None for a control.
        passages: id and text of each: of the control `text`, or of a graph that is searched by
            them.
        held: whether the reference answer is in it; None where that cannot be told.
        held_by: how that was told: along the path to the answer, by the reference's words, or by
            the judge; empty where it was not.
        carriers: places in `texts` of what holds it.
        named: whether the answer is a node or literal of the graph, by a name or an alias; None
            where that cannot be told, and for controls.
        reachable: whether one lies within so many hops of an entity of the question as are looked
            up; None where that cannot be told, and for controls.
    """

    context: GraphContext | None = None
    passages: tuple[tuple[str, str], ...] = ()
    held: bool | None = None
    held_by: HeldBy = ""
    carriers: tuple[int, ...] = ()
    named: bool | None = None
    reachable: bool | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What is given, as a model reads it, best first."""
        facts: tuple[RetrievedTriple, ...] = ()
        if self.context:
            facts = self.context.facts
        return (*(fact.text for fact in facts), *(text for _, text in self.passages))

    @property
    def passage_ids(self) -> tuple[str, ...]:
        """The ids of the passages that are given, or that what is given is from, best first."""
        facts: tuple[RetrievedTriple, ...] = ()
        if self.context:
            facts = self.context.facts
        names = [fact.triple.passage_id for fact in facts] or [name for name, _ in self.passages]
        return tuple(dict.fromkeys(filter(None, names)))

    @property
    def linked(self) -> tuple[Linked, ...]:
        """The entities that the question names."""
        if self.context:
            return self.context.linked
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswer:
    """One answer of a system to a question.

    Attributes:
        system: the graph's name, or a control.
        sample: which of several answers, from 0.
        reply: as the model wrote it; empty where none came.
        said: what was read from it: the text without its reasoning, the option's letter, yes, no.
        abstained: whether it says that it does not know.
        refused: whether the model or its provider declined to answer.
        status: of the verdict; `left`: not asked, for want of budget. An answer that never came is
            `failed`.
        label: CORRECT or INCORRECT where the status is `ok`.
        reason: the judge's, or why there is no verdict.
        unit: the id of what was judged, as the ledger has it.
    """

    question: GraphQuestion
    system: str
    given: Given
    sample: int = 0
    reply: str = ""
    said: str = ""
    abstained: bool = False
    refused: bool = False
    status: Status | Literal["left"] = "ok"
    label: str | None = None
    reason: str = ""
    unit: str = ""

    @property
    def value(self) -> float | None:
        """1 for a correct answer, 0 for an incorrect one, None without a verdict."""
        if self.label is None:
            return None
        return VERIFIED[self.label]

    @property
    def held(self) -> bool | None:
        """Whether the context holds the reference answer; None without one."""
        if self.question.references:
            return self.given.held
        return None

    @property
    def held_by(self) -> HeldBy:
        """How it was told whether the context holds it; empty where it could not be told."""
        if self.held is not None:
            return self.given.held_by
        return ""

    @property
    def came(self) -> bool:
        """Whether there is an answer, judged or not."""
        return bool(self.reply) or self.abstained or self.label is not None
