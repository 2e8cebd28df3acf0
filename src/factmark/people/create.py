"""A campaign made from files: read, drafted without writing anything, then kept in one go."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from factmark import __version__
from factmark.answers.core.records import Question
from factmark.campaign_model import Annotator, Assignment, Campaign
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import read_text, without_surrogates
from factmark.graphs.ontologies.bundled import open_ontology
from factmark.graphs.reading import Source
from factmark.ledger.campaigns import create_campaign, pairs_of_kind, reject_known_name
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import items_of
from factmark.model import Item, Unit
from factmark.people.core.assign import BATCH, OVERLAP, assign
from factmark.people.core.forms import COARSE, FACTS, FINE, GRAPHRAG, SUPPORT, Form, fill_guidelines
from factmark.people.core.material import Material, exchange_of, of_exchanges, sampled
from factmark.people.core.summary_material import Document, of_clauses, of_summaries
from factmark.people.reading import SummaryColumns, read_documents, too_long
from factmark.people.sources import (
    answers_material,
    graph_material,
    ledger_pairs,
    read_exchanges,
    read_pairs,
)
from factmark.stats.sampling import simple_random

MOST_NAME = 100  # characters
_ALONE = 30  # rows of a batch where units stand alone


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions:
    """What the owner asks for.

    Attributes:
        source: the file; None for units that the ledger has (pairs, triples, GraphRAG answers).
        name: of the campaign; empty for the file's, else the form's.
        overlap: None for the default where there are several people.
        batch: documents, or units where they stand alone; None for the default.
        clauses: the share of each summary's clauses, for `fine`.
        sample: how many documents (or units) are drawn; all where None.
        passages, sheet, ontology: files, for pairs and triples.
        benchmark, questions: of answers to mark facts in.
        guidelines: a file in place of ours.
    """

    form: Form
    people: tuple[Annotator, ...]
    ledger: Path
    source: Path | None = None
    name: str = ""
    seed: int = 0
    overlap: float | None = None
    raters: int = 2
    batch: int | None = None
    clauses: float = 1.0
    sample: int | None = None
    columns: SummaryColumns = field(default_factory=SummaryColumns)
    passages: Path | None = None
    sheet: Path | None = None
    ontology: Path | None = None
    benchmark: str = ""
    questions: tuple[Question, ...] = ()
    guidelines: Path | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDraft:
    """A campaign that could be kept; nothing of it is written yet."""

    campaign: Campaign
    material: Material
    assignments: tuple[Assignment, ...]
    notes: tuple[str, ...]


def draft_campaign(options: CampaignOptions) -> CampaignDraft:
    """Reads all that is needed and deals it out; writes nothing.

    Raises:
        InputError: what was given cannot be read as meant, or the ledger has such a campaign.
    """
    form, people = options.form, options.people
    if form != FINE and options.clauses != 1.0:
        raise InputError(f"--clauses is for `--form fine`; a campaign of {form.name!r} has none.")
    name = _name(options)
    material, notes = _material(options)
    whole = form in (COARSE, FINE)
    if options.sample is not None:
        here = len(material.documents if whole else material.units)
        if options.sample >= here:
            notes += (f"--sample {options.sample}: there are only {here}, all are asked about",)
        material = sampled(material, options.sample, seed=options.seed, whole=whole)
    # Only documents have ids of the owner's; those of other items follow from their content.
    _reject_known(options.ledger, name, material.items if whole else (), material.units)
    overlap = (OVERLAP if len(people) > 1 else 0.0) if options.overlap is None else options.overlap
    batch = options.batch or (BATCH if whole else _ALONE)
    assignments = assign(
        material.documents,
        [one.code for one in people],
        seed=options.seed,
        overlap=overlap,
        raters=options.raters,
        batch=batch,
        parts=material.parts,
        together=whole,
    )
    settings = {"overlap": overlap, "raters": options.raters, "batch": batch}
    long = too_long(people, form.title)
    told = [f"the title of {one!r} in Label Studio is cut to 50 characters" for one in long]
    return CampaignDraft(
        campaign=Campaign(
            id="",
            name=name,
            form=form.name,
            annotators=people,
            guidelines=_guidelines(options, batch, material),
            settings=settings | _settings(options, material),
        ),
        material=material,
        assignments=assignments,
        notes=(*notes, *material.notes, *told),
    )


def keep_campaign(draft: CampaignDraft, ledger: Path) -> Campaign:
    """Writes a draft into its ledger, all of it or nothing.

    Raises:
        InputError: the ledger has a campaign of that name.
        LedgerError: it cannot be written.
    """
    material = draft.material
    clean = without_surrogates
    shown = {
        unit: replace(what, evidence=clean(what.evidence), text=clean(what.text))
        for unit, what in material.shown.items()
    }
    with Ledger(ledger) as opened:
        return create_campaign(
            opened,
            draft.campaign,
            items=material.items,
            units=material.units,
            shown=shown,
            assignments=draft.assignments,
        )


def default_guidelines(form: Form, *, batch: int = BATCH, together: int = 1) -> str:
    """Our guidelines of a form, as Markdown."""
    folder = files("factmark.data") / "guidelines"
    template = (folder / f"{form.name}.md").read_text("utf-8")
    common = (folder / "common.md").read_text("utf-8")
    return fill_guidelines(template, common, form, batch=batch, together=together)


def _settings(options: CampaignOptions, material: Material) -> dict[str, object]:
    """What was given and drawn, for the owner and for whoever wants to know later."""
    return {
        "factmark": __version__,
        "seed": options.seed,
        "source": _file(options.source),
        "sheet": _file(options.sheet),
        "asked": len(material.shown),
        "units": sum(unit.kind == options.form.kind for unit in material.units),
        **material.owners_settings(),
    }


def _guidelines(options: CampaignOptions, batch: int, material: Material) -> str:
    if options.guidelines is None:
        together = max((len(units) for units in material.documents.values()), default=1)
        return default_guidelines(options.form, batch=batch, together=together)
    text = read_text(options.guidelines)
    if not text.strip() or "\0" in text:
        raise InputError(f"{options.guidelines}: is empty or no text; guidelines are Markdown.")
    return text


def _material(options: CampaignOptions) -> tuple[Material, tuple[str, ...]]:
    form, source = options.form, options.source
    if form.kind in ("pair", "triple"):
        return _graph(options)
    if form == GRAPHRAG and source is None:
        pairs = ledger_pairs(options.ledger, form.kind, options.sheet)
        return of_exchanges([exchange_of(*pair) for pair in pairs]), ()
    if source is None:
        raise InputError(f"--form {form.name}: name the file with what people are to see.")
    if form == FACTS:
        return answers_material(source, options.benchmark, options.questions, options.encoding)
    if form == GRAPHRAG:
        exchanges = read_exchanges(
            source, system=options.columns.system or "system", encoding=options.encoding
        )
        return of_exchanges(exchanges), ()
    notes: list[str] = []
    documents = read_documents(source, options.columns, options.encoding, note=notes.append)
    if form == COARSE:
        return of_summaries(documents), tuple(notes)
    if not 0.0 < options.clauses <= 1.0:
        raise InputError(f"--clauses {options.clauses:g}: is a share above 0, up to 1.")
    return _clauses(options, documents), tuple(notes)


def _clauses(options: CampaignOptions, documents: Sequence[Document]) -> Material:
    """Clauses; likely sentences are looked for only in documents that will be drawn."""
    asked = [one.id for one in documents]
    if options.sample is not None:
        asked = list(simple_random(asked, options.sample, seed=options.seed).keys)
    return of_clauses(documents, share=options.clauses, seed=options.seed, asked=set(asked))


def _graph(options: CampaignOptions) -> tuple[Material, tuple[str, ...]]:
    kind = options.form.kind
    notes: tuple[str, ...] = ()
    if options.source is None:
        pairs = ledger_pairs(options.ledger, kind, options.sheet)
    elif options.sheet is not None:
        raise InputError("--sheet names units of the ledger; leave out the file with triples.")
    else:
        source = Source(
            measure="factscore" if options.form == SUPPORT else "validity",
            triples=options.source,
            passages=options.passages,
            encoding=options.encoding,
        )
        pairs, notes = read_pairs(source)
        if not pairs:
            told = f": {notes[0]}" if notes else ""
            raise InputError(f"{options.source}: holds nothing to ask about{told}.")
    made = graph_material(kind, pairs, partial(open_ontology, options.ontology, Problems()))
    lost = len(pairs) - len(made.units)
    more = (f"{lost} claims have no passage and are left out",) if lost else ()
    return made, (*notes, *more)


def _name(options: CampaignOptions) -> str:
    name = options.name or (options.source.stem if options.source else options.form.name)
    tidy = " ".join(name.split())
    if not tidy or not tidy.isprintable() or len(tidy) > MOST_NAME:
        raise InputError(
            f"--name {name!r}: a campaign's name has 1 to {MOST_NAME} characters that can be read."
        )
    return tidy


def _reject_known(
    ledger: Path, name: str, documents: Sequence[Item], units: Sequence[Unit]
) -> None:
    """So that nothing is doubled, and no document stands for another."""
    if not ledger.is_file():
        return
    with Ledger(ledger, read_only=True) as opened:
        reject_known_name(opened, name)
        kept = items_of(opened, [item.id for item in documents])
        for item in documents:
            known = kept.get(item.id)
            if known is not None and known.data != json.loads(json.dumps(item.data)):
                raise InputError(
                    f"{ledger}: has another document {item.id!r}. Give documents other ids "
                    "(--id), or name another ledger (--ledger)."
                )
        _reject_other_cut(opened, [unit for unit in units if unit.kind == FINE.kind])


def _reject_other_cut(ledger: Ledger, clauses: Sequence[Unit]) -> None:
    """A summary that an earlier version cut otherwise would enter with two sets of clauses."""
    mine = {clause.id for clause in clauses}
    summaries = {clause.data["summary"] for clause in clauses}
    for _, clause in pairs_of_kind(ledger, FINE.kind) if mine else ():
        if clause.data.get("summary") in summaries and clause.id not in mine:
            raise InputError(
                f"{ledger.path}: has clauses of a summary of {clause.item!r} that are cut "
                "otherwise, by an earlier version. Name another ledger (--ledger)."
            )


def _file(path: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    with path.open("rb") as file:
        return {"name": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
