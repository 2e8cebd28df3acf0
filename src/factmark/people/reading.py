"""What a campaign is made of: documents and people from files, units and labels from a ledger.

Documents come from JSON Lines, CSV, TSV or Parquet; all of a file, or nothing. Wide, as published:
a row a document, the source under `article`, each system under a key of its own. Long: a row a
summary, with columns for the document, the system and the summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.campaign_model import (
    Annotator,
    Campaign,
    CampaignProtocol,
    ProtocolOf,
    Shown,
    is_pseudonym,
)
from factmark.errors import InputError
from factmark.evaluated.coding import coded
from factmark.files.rows import TABLES, Row, has_broken_bytes, name_cell, strict_rows, text_cell
from factmark.files.text_files import without_surrogates
from factmark.ledger.campaigns import Pair, pairs_of_kind, pairs_shown, tasks_of
from factmark.ledger.doubts import count_doubts_shown
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.ratings import labels_by_people, revisions_of
from factmark.ledger.rows import rows_of_units
from factmark.ledger.verdicts import (
    judge_id_of,
    judges_in_words,
    judges_of,
    labelled_units,
)
from factmark.model import content_hash
from factmark.people.changes.campaign_lists import campaign_lists
from factmark.people.changes.queue import asked_tasks
from factmark.people.core.forms import FACTS
from factmark.people.core.material import Document
from factmark.people.core.scales import form_of
from factmark.people.imports.other_labels import with_other_labels
from factmark.people.practice.known import PRACTICE
from factmark.people.ratings.adjudication import with_decisions
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.entries import RatedTask, RatedUnit, rated_tasks, rated_unit
from factmark.people.ratings.joined_campaigns import RatedPart

_SENTENCE_END = re.compile(r"[.!?…][\"')\]}»”’]*(?:\s|<|\Z)|[。！？।]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryColumns:
    """The columns of a file with summaries.

    Attributes:
        id: of the document; where None `id` if there is such a column, else a hash of the source.
        systems: those to take; where there are none all other columns with text, but for those that
            hold no sentences (names of sections, a title, a year) while others do.
        system, summary: in a file with a row a summary, its system and its text.
        sections: names of the source's sections, a list or a line each; `section_names` where there
            is one and nothing is said.
    """

    source: str = "article"  # the source's text
    id: str | None = None
    systems: tuple[str, ...] = ()
    system: str | None = None
    summary: str | None = None
    sections: str | None = None

    @property
    def long(self) -> bool:
        """Whether a row is one summary."""
        return self.system is not None


def read_documents(
    path: Path,
    columns: SummaryColumns,
    encoding: str = "utf-8",
    *,
    note: Callable[[str], None] = lambda sentence: None,
) -> tuple[Document, ...]:
    """Returns the documents in the order of the file; `note` is told of columns that are no
    systems.

    Raises:
        InputError: with the line, a row that cannot be read, a column that is missing, a text that
            is empty or not in the encoding, a document or a summary that stands twice.
    """
    if (columns.system is None) != (columns.summary is None):
        raise InputError("--system-column and --summary-column go together; name both or neither.")
    if len(set(columns.systems)) < len(columns.systems):
        raise InputError("--systems: a system stands twice.")
    rows = list(strict_rows(path, encoding))
    named = columns.id
    if named is None and rows and "id" in rows[0][1] and "id" not in columns.systems:
        named = "id"
    sections = columns.sections
    if sections and not any(sections in row for _, row in rows):
        raise InputError(f"{path}: has no column {sections!r}; see --sections.")
    if sections is None and rows and _SECTIONS in rows[0][1] and _SECTIONS not in columns.systems:
        sections = _SECTIONS
    if columns.long:
        summaries_of = _reader_of_long_rows(columns)
    else:
        summaries_of = _reader_of_wide_rows(rows, columns, {named, sections}, note)
    documents: dict[str, tuple[str, str, dict[str, str]]] = {}
    names: dict[str, tuple[str, ...]] = {}
    places: dict[str, dict[str, str]] = {}
    for where, row in rows:
        source = text_cell(where, row, columns.source)
        if named:
            name = name_cell(where, row, named)
        else:
            name = f"document-{content_hash(source)[:12]}"
        first, place, summaries = documents.setdefault(name, (source, where, {}))
        if sections:
            names.setdefault(name, _names_of_sections(where, row, sections))
        if first != source:
            raise InputError(f"{where}: the document {name!r} has another source in {place}.")
        for system, text in summaries_of(where, row):
            if system in summaries:
                raise InputError(f"{where}: a second summary of {name!r} by {system!r}.")
            summaries[system] = text
            places.setdefault(name, {})[system] = where.rpartition(", ")[2]
    known = {system for _, _, summaries in documents.values() for system in summaries}
    missing = [system for system in columns.systems if system not in known]
    if missing:
        raise InputError(f"{path}: has no summary by {missing[0]!r}; see --systems.")
    if not known:
        raise InputError(f"{path}: holds no documents.")
    return tuple(
        Document(
            id=name,
            source=source,
            summaries=summaries,
            where=where,
            sections=names.get(name, ()),
            places=places.get(name, {}),
        )
        for name, (source, where, summaries) in documents.items()
        if summaries
    )


_SECTIONS = "section_names"  # as the published file has it


def _names_of_sections(where: str, row: Row, column: str) -> tuple[str, ...]:
    """The names in a cell: a list, or a line each; those that name nothing are left out."""
    cell = row.get(column)
    if isinstance(cell, str):
        names = cell.splitlines()
    else:
        names = cell or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: {column!r} holds no names of sections, a list or a line each.")
    tidy = (" ".join(name.split()) for name in names)
    return tuple(
        name
        for name in tidy
        if any(map(str.isalpha, name))
        and name.casefold() not in ("none", "nan", "null")
        and not has_broken_bytes(name)
    )


SummariesOf = Callable[[str, Row], Iterable[tuple[str, str]]]
"""Place and row -> the systems with their summaries in it."""


def _reader_of_long_rows(columns: SummaryColumns) -> SummariesOf:
    """Returns a function that reads the one summary in a row of a long file."""

    def summary_of(where: str, row: Row) -> list[tuple[str, str]]:
        system = name_cell(where, row, columns.system or "")
        if columns.systems and system not in columns.systems:
            return []
        return [(system, text_cell(where, row, columns.summary or ""))]

    return summary_of


def _reader_of_wide_rows(
    rows: Sequence[tuple[str, Row]],
    columns: SummaryColumns,
    about_document: Collection[str | None],
    note: Callable[[str], None],
) -> SummariesOf:
    """Returns a function that reads the summaries in a row of a wide file: one by each system.

    It raises InputError where a row has summaries by other systems than the rows before.
    """
    systems = columns.systems
    other = {columns.source, *about_document}
    first = ""
    if not columns.systems and (about := _columns_without_sentences(rows, other)):
        note(
            f"no system, since it holds no sentences: {', '.join(map(repr, about))}; name the "
            "systems with --systems if it is one"
        )
        other |= set(about)

    def summaries_of(where: str, row: Row) -> list[tuple[str, str]]:
        nonlocal systems, first
        if not columns.systems:
            here = _system_columns(where, row, columns.source, other)
            systems = systems or here
            first = first or where
            odd = sorted(set(here) ^ set(systems))
            if odd:
                raise InputError(
                    f"{where}: {odd[0]!r} is a summary here or in {first}, and not in the other. "
                    "Name the systems to take with --systems."
                )
        return [(system, text_cell(where, row, system)) for system in systems]

    return summaries_of


def _columns_without_sentences(
    rows: Iterable[tuple[str, Row]], other: Container[str | None]
) -> tuple[str, ...]:
    """Returns the columns most of whose texts have no end of a sentence; empty where no column has
    any."""
    texts: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for _, row in rows:
        for name, value in row.items():
            if isinstance(value, str) and name not in other:
                texts[name] += 1
                ended[name] += bool(_SENTENCE_END.search(value))
    columns = tuple(name for name in texts if 2 * ended[name] < texts[name])
    if len(columns) < len(texts):
        return columns
    return ()


def _system_columns(
    where: str, row: Row, source: str, other: Container[str | None]
) -> tuple[str, ...]:
    """Returns the names of the columns of a row that hold summaries; InputError where there are
    none."""
    systems = tuple(
        name for name, value in row.items() if isinstance(value, str) and name not in other
    )
    if not systems:
        raise InputError(f"{where}: no summary beside {source!r}; name the columns (--systems).")
    for name in systems:
        if has_broken_bytes(name) or not name.strip():
            raise InputError(f"{where}: {name!r} is no name for a system.")
    return systems


MOST_NAME = 200  # characters
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_EMAIL = re.compile(r"[^\s@,;<>\"]+@[^\s@,;<>\"]+")


def read_people(given: str, encoding: str = "utf-8") -> tuple[Annotator, ...]:
    """Returns the annotators in the order given, with the codes A1, A2, ...

    They come from a file with the column `name`, and maybe `email`, or from names between commas.

    Raises:
        InputError: with the line, nobody, an empty name, one that stands twice or cannot be
            written.
    """
    path = Path(given)
    if path.suffix.casefold() in TABLES or _is_there(path):
        rows = list(strict_rows(path, encoding))
    else:
        rows = [("--annotators", {"name": name}) for name in given.split(",")]
    people: list[Annotator] = []
    seen: dict[str, str] = {}
    for where, cells in rows:
        row = {}
        for column, cell in cells.items():
            row[str(column).strip().casefold()] = cell
        name = " ".join(text_cell(where, row, "name").split())
        email = str(row.get("email") or "").strip()
        if _CONTROL.search(name) or len(name) > MOST_NAME:
            raise InputError(
                f"{where}: the name {name[:MOST_NAME]!r} holds control characters, or more than "
                f"{MOST_NAME} characters."
            )
        if is_pseudonym(name):
            raise InputError(f"{where}: the name {name!r} stands for somebody who is forgotten.")
        if email and (has_broken_bytes(email) or not _EMAIL.fullmatch(email)):
            raise InputError(f"{where}: {email!r} is no e-mail address; leave it empty if unknown.")
        keys = [f"the name {name!r}"]
        if email:
            keys.append(f"the address {email!r}")
        for key in keys:
            folded = key.casefold()
            if folded in seen:
                raise InputError(f"{where}: {key} stands twice (first: {seen[folded]}).")
            seen[folded] = where
        people.append(Annotator(code=f"A{len(people) + 1}", name=name, email=email))
    if not people:
        raise InputError(f"{given}: names nobody.")
    return tuple(people)


def _is_there(path: Path) -> bool:
    """Whether there is a file of such a path, or a device, also where the text is too long to be
    a path."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # names can be longer than those of files
        return False


def ledger_pairs(ledger: Path, kind: str, sheet: Path | None = None) -> list[Pair]:
    """Returns the units of a kind that a ledger holds, or those of a sheet, with their items.

    Raises:
        InputError: there are none, or the sheet names one that the ledger does not have.
    """
    with open_existing(ledger, read_only=True) as opened:
        pairs = {unit.id: (item, unit) for item, unit in pairs_of_kind(opened, kind)}
    if not pairs:
        raise InputError(
            f"{ledger}: holds no units of the kind {kind!r}, which this form is for. (Claims of "
            "`factmark claims judge` are labelled on the sheet itself: fill in annotator and "
            "label, then `factmark ledger import`.)"
        )
    if sheet is None:
        return list(pairs.values())
    asked: dict[str, Pair] = {}
    for where, row in strict_rows(sheet):
        unit = name_cell(where, row, "unit")
        if unit not in pairs:
            raise InputError(f"{where}: {ledger} has no unit {unit!r} of the kind {kind!r}.")
        asked[unit] = pairs[unit]
    if not asked:
        raise InputError(f"{sheet}: names no units.")
    return list(asked.values())


def rated_units(
    ledger: Ledger, campaign: Campaign, shown: dict[str, Shown], protocol_of: ProtocolOf
) -> dict[str, RatedUnit]:
    """Returns the units that a campaign asks about, by their ids, as results see them; those with
    a known answer are left out."""
    marked = campaign.form == FACTS.name
    score_marks = None
    if marked:
        score_marks = protocol_of(FACTS.kind).score_marks
    rows = rows_of_units(ledger, shown)
    units = {}
    for item, unit in pairs_shown(ledger, campaign):
        if unit.id in shown and unit.kind != PRACTICE:
            units[unit.id] = rated_unit(
                item, unit, shown[unit.id], score_marks, rows.get(unit.id, ())
            )
    return units


def screened_tasks(
    ledger: Ledger, campaign: Campaign, units: Mapping[str, RatedUnit]
) -> tuple[RatedTask, ...]:
    """Returns what people answered who were screened out; of the units that others are asked."""
    rated: list[RatedTask] = []
    for person in campaign.screened:
        given = revisions_of(ledger, campaign, person.code, withdrawn=True)
        tasks = tasks_of(ledger, campaign, person.code, released=True)
        rated += rated_tasks([task for task in tasks if task.key in given], given, units)
    return tuple(rated)


def no_marks(kind: str) -> CampaignProtocol:
    """Stands for the protocols of marked units, which are not compared by ratings."""
    raise InputError(f"Units of the kind {kind} are marked, not rated.")


def rated_part(ledger: Ledger, campaign: Campaign, protocol_of: ProtocolOf) -> RatedPart:
    """Returns what a campaign asks, and all that people said of its units."""
    lists = campaign_lists(ledger, campaign)
    tasks = asked_tasks(ledger, campaign, lists)
    shown = {task.assignment.unit: task.shown for task in tasks}
    units = rated_units(ledger, campaign, shown, protocol_of)
    rated = rated_tasks(tasks, lists.answers, units)
    deciding = set()
    for person in campaign.annotators:
        if person.decides:
            deciding.add(person.code)
    return RatedPart(
        campaign=campaign,
        entries=tuple(entry for entry in rated if entry.assignment.annotator not in deciding),
        decisions=tuple(entry for entry in rated if entry.assignment.annotator in deciding),
        units=units,
        labels=labels_by_people(ledger, campaign) if form_of(campaign).values else (),
    )


def tasks_and_decided_ones(
    ledger: Ledger, campaign: Campaign, protocol_of: ProtocolOf
) -> tuple[tuple[RatedTask, ...], tuple[RatedTask, ...]]:
    """Returns all that people said of a campaign's units, its annotators' answers and labels that
    came into the ledger otherwise; and the same with what was decided in place of ratings that lay
    far apart, nothing where nothing was."""
    part = rated_part(ledger, campaign, protocol_of)
    _, entries = with_other_labels(part.campaign, part.entries, part.units, part.labels)
    decided = any(decision.final for decision in part.decisions)
    return entries, with_decisions(entries, part.decisions) if decided else ()


def count_doubted(campaigns: Iterable[tuple[Ledger, Campaign]]) -> int:
    """Returns after how many first ratings people were shown what a judge doubts, as an earlier
    version of this package did."""
    return sum(count_doubts_shown(ledger, campaign) for ledger, campaign in campaigns)


def judge_labels(
    path: Path, ledger: Ledger, campaign: Campaign, wanted: Sequence[str]
) -> list[JudgeLabels]:
    """Returns the labels that rules and models gave the units of the campaign's kind.

    Args:
        path: of the ledger, for messages.
        wanted: names or beginnings of ids of judges; all rules and models where there are none.

    Raises:
        InputError: there is no such judge, it is a person, or it judged no such units.
    """
    kind = form_of(campaign).kind
    known = judges_of(ledger)
    machines = [judge for judge in known if judge.kind != "person"]
    if wanted:
        ids = []
        for name in dict.fromkeys(wanted):
            ids.append(judge_id_of(path, name, known))
        people = [judge for judge in known if judge.id in ids and judge.kind == "person"]
        if people:
            raise InputError(
                f"--judge {people[0].name}: is a person. Take a rule or a model: "
                f"{judges_in_words(machines)}. `factmark agree` compares people."
            )
        machines = [judge for judge in machines if judge.id in ids]
    systems = {}
    for _, unit in pairs_of_kind(ledger, kind):
        systems[unit.id] = unit.data.get("system")
    out = []
    for judge in machines:
        verdicts = labelled_units(ledger, judge.id, kind)
        if not verdicts and wanted:
            raise InputError(f"--judge {judge.name}: it judged no units of the kind {kind!r}.")
        out.append(
            JudgeLabels(
                id=judge.id,
                kind=judge.kind,
                name=without_surrogates(judge.name),
                table=replace(
                    verdicts,
                    system=coded("system", [str(systems[unit] or "") for unit in verdicts.ids]),
                ),
            )
        )
    return out
