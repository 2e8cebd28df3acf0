"""What the MCP tools return: the shapes of their content, how they are filled, their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, Field

from factmark.ehds.catalogue import Dataset, Policy, value_name
from factmark.ehds.policies import decide
from factmark.ehds.reader import Row, cell_number
from factmark.ehds.replica.writing import NAMESPACES
from factmark.stores.terms import Rows, local_name

FREE_CHARS = 1_000_000  # of all cells of a free query's result


class DatasetSummary(BaseModel):
    """One dataset in a list; fields that the catalogue does not fill are empty."""

    id: str = Field(description="Short name, to be used in the other tools.")
    title: str
    iri: str
    patients: int | None = Field(None, description="Population size, as the catalogue says.")
    health_category: list[str] = Field(description="Codes of the conditions it is about.")
    keywords: list[str]
    start: str = Field("", description="First day covered.")
    end: str = Field("", description="Last day covered.")
    standard: list[str] = Field(description="The data standard, such as FHIR R4.")
    policy: list[str] = Field(description="Names of its ODRL policies; see ehds_check_policy.")
    licence: list[str]

    @classmethod
    def of(cls, dataset: Dataset, **more: Any) -> Self:
        """Returns the summary of a dataset; `more` fills the further fields of a longer answer."""
        if dataset.periods:
            start, end = dataset.periods[-1]
        else:
            start, end = ("", "")
        return cls(
            id=dataset.id,
            title=dataset.title,
            iri=dataset.iri,
            patients=dataset.patients,
            health_category=list(map(_code_in_words, dataset.values("hdcat:healthCategory"))),
            keywords=dataset.values("dcat:keyword"),
            start=start,
            end=end,
            standard=dataset.values("hdcat:dataStandard"),
            policy=[policy.name for policy in dataset.policies],
            licence=dataset.values("dct:license"),
            **more,
        )


class DatasetList(BaseModel):
    """A page of datasets, by title."""

    total: int = Field(description="All datasets of the data space.")
    next_offset: int | None = Field(None, description="Where the next page starts, if any.")
    datasets: list[DatasetSummary]


class FoundDataset(DatasetSummary):
    """A dataset that a search found."""

    description: str = ""
    matched: list[str] = Field(description="The words of the search that it holds.")


class SearchResult(BaseModel):
    """What a search found, best first."""

    total: int = Field(description="Datasets that hold at least one of the words.")
    datasets: list[FoundDataset]


class PolicyRules(BaseModel):
    """A policy's rules, each an action and the conditions under which the rule applies."""

    policy: str
    iri: str
    permitted: list[str]
    prohibited: list[str]
    obligations: list[str] = Field(description="What users of the data must do.")

    @classmethod
    def of(cls, policy: Policy, **more: Any) -> Self:
        """Returns the rules of a policy in words."""
        return cls(
            policy=policy.name,
            iri=policy.iri,
            permitted=[rule.text for rule in policy.of("permission")],
            prohibited=[rule.text for rule in policy.of("prohibition")],
            obligations=[rule.text for rule in policy.of("obligation")],
            **more,
        )


class DatasetDescription(DatasetSummary):
    """All that is known about a dataset."""

    description: str = ""
    graph: str = Field("", description="IRI of the graph with its records, where known.")
    records: dict[str, int] = Field(description="Records in that graph, by class.")
    policies: list[PolicyRules]


class PolicyAnswer(PolicyRules):
    """A policy, whose datasets it governs, and what it says about the asked use."""

    datasets: list[str] = Field(description="Titles of the datasets under this policy.")
    verdict: Literal["allowed", "prohibited", "unknown"] | None = None
    reason: str = ""
    deciding_rules: list[str] = Field([], description="The rules that the verdict rests on.")

    @classmethod
    def about(
        cls, policy: Policy, datasets: Sequence[Dataset], action: str | None, purpose: str | None
    ) -> Self:
        """Returns a policy with the datasets that it governs, and what it says of a use that was
        asked about."""
        governed = []
        for d in datasets:
            if any(policy.iri == held.iri for held in d.policies):
                governed.append(d.title)
        if action is None and purpose is None:
            return cls.of(policy, datasets=governed)
        decision = decide(policy, action=action, purpose=purpose)
        return cls.of(
            policy,
            datasets=governed,
            verdict=decision.verdict,
            reason=decision.reason,
            deciding_rules=decision.rules,
        )


class PolicyCheck(BaseModel):
    """The policies of one dataset or of all."""

    total_policies: int = Field(description="Distinct policies that this answer covers.")
    action: str | None = None
    purpose: str | None = None
    policies: list[PolicyAnswer]


class Patient(BaseModel):
    """One patient; fields are empty where the data do not say."""

    iri: str
    gender: str = ""
    birth_date: str = ""
    race: str = ""
    ethnicity: str = ""
    consent_flags: list[str] = Field(description="Patient-level policies, such as no-ai-training.")

    @classmethod
    def of(cls, iri: str, facts: Mapping[str, Sequence[str]]) -> Self:
        """Returns a patient from the values of their properties, by local name."""
        gender, birth_date, race, ethnicity = (
            ", ".join(facts.get(name, ())) for name in ("gender", "birthDate", "race", "ethnicity")
        )
        return cls(
            iri=iri,
            gender=gender,
            birth_date=birth_date,
            race=race,
            ethnicity=ethnicity,
            consent_flags=list(facts.get("hasPolicy", ())),
        )


class PatientPage(BaseModel):
    """Counts over all patients that fit, and one page of them."""

    total: int = Field(description="Distinct patients that fit the filters.")
    birth_years: list[int] = Field(description="Earliest and latest year of birth.")
    by_gender: dict[str, int]
    by_race: dict[str, int]
    by_ethnicity: dict[str, int]
    by_consent_flag: dict[str, int]
    offset: int
    next_offset: int | None = None
    patients: list[Patient]


class StatsEntry(BaseModel):
    """One kind of condition, medication or observation."""

    display: str
    code: str = ""
    patients: int = Field(description="Distinct patients that have it.")
    records: int

    @classmethod
    def of(cls, row: Row) -> Self:
        """Returns the entry of a row of the counts of one display."""
        display, code, patients, records = row
        return cls(
            display=display.value if display else "",
            code=code.value if code else "",
            patients=cell_number(patients),
            records=cell_number(records),
        )


class Stats(BaseModel):
    """The most frequent entries of one kind, most patients first."""

    kind: str
    distinct: int = Field(description="Different entries there are in all.")
    entries: list[StatsEntry]


class ConditionStats(BaseModel):
    """What the records of a dataset hold."""

    dataset: str | None
    patients: int = Field(description="Distinct patients of the dataset.")
    stats: list[Stats]


class QueryResult(BaseModel):
    """The rows of a SELECT, or the boolean of an ASK."""

    dataset: str
    columns: list[str]
    row_count: int
    truncated: bool = Field(description="Whether there are more rows than are shown.")
    boolean: bool | None = None
    rows: list[list[str | None]]

    @classmethod
    def of(cls, name: str, rows: Rows) -> Self:
        """Returns a result with as many rows as stay within the limit of characters."""
        kept: list[list[str | None]] = []
        size = 0
        for row in rows.rows:
            cells = []
            for cell in row:
                cells.append(None if cell is None else cell.value)
            size += sum(len(cell) for cell in cells if cell)
            if size > FREE_CHARS:
                break
            kept.append(cells)
        return cls(
            dataset=name,
            columns=list(rows.variables),
            row_count=len(kept),
            truncated=rows.truncated or len(kept) < len(rows.rows),
            boolean=rows.boolean,
            rows=kept,
        )


def counts_by(rows: Rows, name: str) -> dict[str, int]:
    """Returns how many there are of each value of one property, given by its local name."""
    return {
        value_name(value): cell_number(number)
        for predicate, value, number in rows.rows
        if predicate and value and local_name(predicate.value) == name
    }


def _code_in_words(iri: str) -> str:
    """Returns a coded condition as people write it: `SNOMED CT 44054006`."""
    base = NAMESPACES["snomed"]
    if iri.startswith(base):
        return f"SNOMED CT {iri.removeprefix(base)}"
    return iri


_ALWAYS = frozenset({"datasets", "patients", "rows", "entries", "policies"})


def answer_text(answer: BaseModel) -> str:
    """Returns the answer as compact JSON: a line for each field, and for each entry of a long list.

    Fields that are empty are left out, but no zero and no false.
    """
    value = _without_empty(answer.model_dump(mode="json"))
    lines = [f"{json.dumps(key)}: {_field_json(part)}" for key, part in value.items()]
    return "{" + ",\n".join(lines) + "}"


def _field_json(value: object) -> str:
    """Returns the value of a field as JSON; a list of records has a line for each."""
    if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict | list):
        return "[\n" + ",\n".join(json.dumps(part, ensure_ascii=False) for part in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _without_empty(value: dict[str, object]) -> dict[str, object]:
    """Returns the fields that hold something, in the records of a list too; zero and false are
    something.
    """
    kept: dict[str, object] = {}
    for key, part in value.items():
        if isinstance(part, list):
            part = [_without_empty(entry) if isinstance(entry, dict) else entry for entry in part]
        if part is not None and part != "" and (part not in ({}, []) or key in _ALWAYS):
            kept[key] = part
    return kept
