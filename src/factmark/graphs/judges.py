"""The judges of a graph: rules, a model with a rubric, a function or weights of the user's own,
or another program whose verdicts stand in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from factmark.ask.judges.own_judge import OwnJudge, open_own_judge
from factmark.ask.judges.recipe import Recipe
from factmark.ask.judges.unit_judge import (
    NamedJudge,
    UnitJudge,
    contrary_note,
    foreign_judge,
    rule_judge,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Task, rubric_task
from factmark.cli.judge_recipes import Openers
from factmark.evaluated.words import field_label, known_labels
from factmark.files.own_columns import FOREIGN, foreign_columns
from factmark.files.problems import Problems
from factmark.graphs.core.claims import WORDINGS, RuleVerdict, triple_of, without_evidence
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.rubrics import (
    RUBRICS,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
    ontology_entry,
    triple_words,
)
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.bundled import read_wordings
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.reading import GraphUnits
from factmark.label_values import label_values
from factmark.model import Judge, Unit, content_hash
from factmark.text.shown_text import count

if TYPE_CHECKING:  # with aiohttp: loaded by those who ask
    from factmark.ask.client import ChatClient

Measured = Literal["factscore", "validity"]
_OF_TRIPLES = ("ontology", "plain")
"""The modes that judge a triple, whatever its passages."""
RULES_VERSION = "9"  # part of the rule judges' identity: raise it when they judge otherwise


def graph_openers(
    recipe: Recipe,
    ontology: tuple[Ontology, str],
    wordings: Mapping[str, str] = WORDINGS,
    fields: Sequence[str] = ("head", "relation", "tail", "id"),
) -> Openers:
    """Returns how the judges of a graph's triples are opened.

    Args:
        ontology: and its identity, see `open_ontology`.
        wordings: of relations, see `read_wordings`.
        fields: what a function of the user's own is given of a unit beside `claim` and `evidence`.
    """
    measure: Measured = "factscore"
    if recipe.judges == "validity":
        measure = "validity"
    mode = str(recipe.parameter("mode"))
    many = {name: recipe.parameter(name) for name in ("batch", "samples")}

    def by_model(client: ChatClient) -> NamedJudge:
        from factmark.ask.judges.model_judge import asking_judge

        return asking_judge(client, graph_model_task(client.spec, mode, ontology, **many), **many)

    return Openers(
        rules=lambda: graph_rule_judge(measure, wordings, ontology),
        model=by_model,
        own=lambda own: graph_own_judge(own, mode, ontology, fields),
        foreign=lambda name, cells: foreign_judge(name, cells, label_values(measure)),
    )


@contextmanager
def open_graph_recipe(recipe: Recipe) -> Iterator[Openers]:
    """Opens what the judges of a graph need that a recipe names, for a `with` block."""
    index = recipe.parameters.get("ontology_index")
    wordings = recipe.path("wordings")
    with open_ontology(
        recipe.path("ontology"), Problems(), index=Path(index) if index else None
    ) as ontology:
        yield graph_openers(recipe, ontology, read_wordings(wordings) if wordings else WORDINGS)


def graph_rule_judge(
    measure: Measured, wordings: Mapping[str, str], ontology: tuple[Ontology, str]
) -> UnitJudge:
    """Returns the rules as a judge: of support by words, of validity by semantic types.

    Args:
        ontology: and its identity, see `open_ontology`.
    """
    types, identity = ontology
    values = label_values(measure)
    parameters = {"version": RULES_VERSION, "ontology": identity}
    if measure == "validity":
        judge = Judge.create("rule", "semantic types", **parameters)
        return rule_judge(judge, lambda unit: judge_types(triple_of(unit), types), values)
    from factmark.graphs.core.evidence import judge_support

    own = {}
    for key, text in wordings.items():
        if WORDINGS.get(key) != text:
            own[key] = text
    if own:
        parameters["wordings"] = content_hash(own)
    judge = Judge.create("rule", "lexical evidence", **parameters)

    def by_words(unit: Unit) -> RuleVerdict:
        why = without_evidence(unit)
        if why:
            return RuleVerdict(label=None, reason=why)
        triple = triple_of(unit)
        return judge_support(triple, triple.passage or "", types, wordings)

    return rule_judge(judge, by_words, values)


def graph_model_task(
    spec: ModelSpec, mode: str, ontology: tuple[Ontology, str], *, batch: int = 1, samples: int = 1
) -> Task:
    """Returns what a model is asked about units, and how its replies are read.

    Where several units go into one call, each stands beside its own passage. Nobody is asked about
    units of support that have no passage, but in the mode `general`, which goes by what is
    generally true.

    Args:
        mode: which rubric, see `RUBRICS`.
        ontology: and its identity, see `open_ontology`.
    """
    rubric = RUBRICS[mode]
    shown: Callable[[Unit], str] = {
        VALIDITY_ONTOLOGY.name: lambda unit: ontology_entry(triple_of(unit), ontology[0]),
        VALIDITY_PLAIN.name: lambda unit: triple_words(triple_of(unit), unit.text),
    }.get(rubric.name, lambda unit: unit.text)

    def passage(unit: Unit) -> str:
        return str(unit.data.get("passage") or "")

    def asked(units: Sequence[Unit]) -> Claims:
        return [shown(unit) for unit in units], [passage(unit) for unit in units]

    parameters = {}
    if rubric is VALIDITY_ONTOLOGY:
        parameters = {"ontology": ontology[1]}
    if batch > 1 and mode not in _OF_TRIPLES:
        parameters["passages"] = "each beside its claims"

    def unasked(unit: Unit) -> str:
        if mode in _OF_TRIPLES:
            return ""
        return without_evidence(unit, general=mode == "general")

    return rubric_task(
        spec,
        rubric,
        asked,
        batch=batch,
        samples=samples,
        group=passage,
        unasked=unasked,
        **parameters,
    )


def graph_own_judge(
    own: OwnJudge,
    mode: str,
    ontology: tuple[Ontology, str],
    fields: Sequence[str] = ("head", "relation", "tail", "id"),
) -> NamedJudge:
    """Returns a function or weights of the user's own as a judge.

    It is given the triple (`head`, `relation`, `tail`, the user's `id`), its `claim` in plain
    language and, as `evidence`, what a model would judge it by: the passage, or for validity the
    ontology's entry.

    Args:
        mode: which rubric's labels it may return, see `RUBRICS`.
        ontology: and its identity, see `open_ontology`.
        fields: what it is given of a unit beside `claim` and `evidence`.
    """
    rubric = RUBRICS[mode]
    with_entry = mode == "ontology"

    def shown(unit: Unit) -> dict[str, object]:
        evidence = str(unit.data.get("passage") or "")
        if with_entry:
            evidence = ontology_entry(triple_of(unit), ontology[0])
        named = {name: unit.data.get(name) for name in fields}
        return {"kind": unit.kind, "claim": unit.text, "evidence": evidence, **named}

    parameters: dict[str, object] = {}
    if with_entry:
        parameters = {"ontology": ontology[1], "entry": rubric.version}
    return open_own_judge(own, shown, rubric.values, **parameters)


def foreign_cells(name: str, graph: GraphUnits) -> dict[str, list[object]]:
    """Returns unit -> what another program said of it in the column `verdict:NAME`, in each row
    about it (see `foreign_judge`)."""
    cells: dict[str, list[object]] = {}
    for unit, _, cell in _foreign_cells(name, graph):
        cells.setdefault(unit, []).append(cell)
    return cells


def foreign_notes(name: str, graph: GraphUnits) -> Iterator[str]:
    """Yields what of the column `verdict:NAME` is not taken: words that are none of the labels, and
    contrary verdicts on one unit."""
    values = label_values(graph.source.measure)
    cells = list(_foreign_cells(name, graph))
    labels = [field_label(cell, values) for _, _, cell in cells]
    unread = []
    for cell, label in zip(cells, labels, strict=True):
        if label is None:
            unread.append(cell)
    if unread:
        _, place, word = unread[0]
        are = count(len(unread), "verdict is none", "verdicts are none")
        yield (
            f"{are} of the labels, such as {str(word)[:60]!r} ({place}); kept as unparsed. "
            + known_labels(values, f"{FOREIGN}{name}")
        )
    places = ((unit, at, label) for (unit, at, _), label in zip(cells, labels, strict=True))
    yield from contrary_note(name, places)


def _foreign_cells(name: str, graph: GraphUnits) -> Iterator[tuple[str, str, object]]:
    """Yields unit, place and cell of each row that has something in the column `verdict:NAME`."""
    for triple, unit, _ in graph.rows():
        column = foreign_columns(triple.given, {}).get(name, "")
        cell = triple.given.get(column)
        if cell is not None and str(cell).strip():
            yield unit, triple.where, cell
