"""Which column of a table holds the claims, and which their evidence: proposed, tested, refused.

The gold answer is no evidence: a claim that it bears out is right, not supported. A `reference`
beside contexts is one; beside a response and no context it may be either, and the user says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from factmark.claim_support.options import ClaimsOptions
from factmark.files.own_columns import FOREIGN
from factmark.files.rows import OBJECTS
from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Check, Named, Reading, column_advice, settled_mapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import named_columns, role_names
from factmark.text.shell import quote
from factmark.text.shown_text import first_names

TRIPLE = ("head", "relation", "tail")
_WORDS = 3  # of a claim in the middle, at least
_VALUES = ("number", "flag")


def claim_mapping(table: TableFile, given: ClaimsOptions) -> TableMapping:
    """Returns which column of a table holds what.

    Raises:
        InputError: neither claims nor responses that are split; or two readings are left, such as
            of a `reference`, with the option for each.
    """
    named = Named(
        columns=given.columns,
        mapping=given.mapping,
        loose=table.path.suffix.casefold() in OBJECTS,
        free=(FOREIGN,),
    )
    checks = (partial(_check_text, given), _check_passage)
    return settled_mapping(table, "claims", named, partial(_readings, given), checks)


def text_role(columns: Mapping[str, object], *, is_split: bool) -> str:
    """Returns the role that holds what is judged: `claim`, `head` where a claim is a triple, or
    `response` where responses are split; empty where there is none of them."""
    if is_split and columns.get("response"):
        return "response"
    if columns.get("claim"):
        return "claim"
    if all(columns.get(name) for name in TRIPLE):
        return "head"
    return ""


def _readings(given: ClaimsOptions, sample: TableSample, base: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a table: a claim that stands in several lists, evidence that may be
    another column."""
    named = named_columns("claims", sample)
    flat = {role: _flat(sample, columns) for role, columns in named.items()}
    columns: dict[str, tuple[str, ...]] = {}
    for role, paths in flat.items():
        if paths and role != "passage":
            columns[role] = (paths[0],)
    columns |= base.columns
    claims: Sequence[str] = [""]
    if not text_role(columns, is_split=bool(given.split)) and not base.columns.keys() & {*TRIPLE}:
        claims = [column.path for column in named["claim"]] or [""]
    for claim in claims:
        of_claim = dict(columns)
        if claim:
            of_claim["claim"] = (claim,)
            of_claim.setdefault("label", _beside(claim, named["label"]))
        for passage, says in _passages(given, flat, of_claim):
            mapping = base.with_columns(of_claim | passage)
            options = [f"{role}={quote(paths[0])}" for role, paths in passage.items() if paths]
            if len(claims) > 1:
                options.append(f"claim={quote(claim)}")
            yield Reading(
                mapping=mapping,
                says=f"the claim is {claim!r}" if len(claims) > 1 else says,
                options=" ".join(f"--column {option}" for option in options),
            )


def _flat(sample: TableSample, columns: Sequence[TableColumn]) -> list[str]:
    """Returns the columns that are no paths within cells."""
    return [column.path for column in columns if column.path in sample.heads]


def _beside(claim: str, labels: Sequence[TableColumn]) -> tuple[str, ...]:
    """Returns the labels that stand in the same list as a claim."""
    place = claim.rpartition(".")[0]
    return tuple(c.path for c in labels if c.path.rpartition(".")[0] == place)[:1]


def _passages(
    given: ClaimsOptions,
    flat: Mapping[str, Sequence[str]],
    columns: Mapping[str, tuple[str, ...]],
) -> Iterator[tuple[dict[str, tuple[str, ...]], str]]:
    """Yields what may be the evidence, and that in words."""
    if "passage" in columns:
        yield {}, ""
        return
    taken = {path for paths in columns.values() for path in paths}
    usual = [path for path in flat["passage"] if path not in taken]
    if usual:
        yield {"passage": (usual[0],)}, ""
        return
    gold = [path for path in flat["reference"] if path == columns.get("reference", ("",))[0]]
    is_brought = given.passages or given.corpus or flat["passage_id"]
    if not gold or is_brought or not gold[0].casefold().startswith("reference"):
        yield {}, ""
        return
    evidence = {"passage": (gold[0],), "reference": ()}
    if text_role(columns, is_split=bool(given.split)) != "response" and not flat["question"]:
        yield evidence, ""
        return
    if "reference" in given.columns:
        yield {}, ""
        return
    yield {"passage": (gold[0],)}, f"{gold[0]!r} is the evidence"
    yield {"reference": (gold[0],)}, f"{gold[0]!r} is the gold answer, and there is no evidence"


def _check_text(given: ClaimsOptions, mapping: TableMapping, sample: TableSample) -> str:
    """A check: there is something to judge."""
    if text_role(mapping.columns, is_split=bool(given.split)):
        return ""
    if mapping.column("response"):
        return (
            f"holds responses ({mapping.column('response')!r}) and no claims. --split MODEL has a "
            "model cut them into claims, --split sentences takes each sentence."
        )
    advice = column_advice({"claim": _TRIALS}, mapping, sample)
    return (
        f"no column 'claim'. Found: {first_names(sample.columns)}. Say which column holds the "
        f"claims by {advice}."
    )


def _check_claim(mapping: TableMapping, sample: TableSample) -> str:
    """A check: claims are sentences, or triples."""
    column = sample.columns.get(mapping.column("claim"))
    if column is None or column.kind == "list" or column.words >= _WORDS:
        return ""
    return f"{column.path!r} holds no sentences."


def _check_passage(mapping: TableMapping, sample: TableSample) -> str:
    """A check: evidence is text."""
    column = sample.columns.get(mapping.column("passage"))
    if column is None or column.kind not in _VALUES:
        return ""
    name = quote(role_names("claims")["passage"][0])
    return (
        f"the evidence {column.path!r} holds numbers. Name another column: --column "
        f"passage={name}, or --column passage=none."
    )


_TRIALS: tuple[Check, ...] = (_check_claim, _check_passage)
"""What a column must pass that the advice names for the claims."""
