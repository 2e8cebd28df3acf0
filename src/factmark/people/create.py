"""A campaign made from files: read, drafted without writing anything, then kept in one go."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from factmark import __version__
from factmark.campaign_model import Assignment, Campaign
from factmark.errors import InputError
from factmark.files.rows import name_cell, strict_rows
from factmark.files.text_files import read_text, without_surrogates
from factmark.ledger.campaigns import Pair, check_name_is_new, create_campaign, pairs_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import items_of
from factmark.model import Item, Unit
from factmark.people.core.assign import BATCH, OVERLAP, assign
from factmark.people.core.forms import COARSE, FACTS, FINE, Form, fill_guidelines, form_named
from factmark.people.core.material import Material, of_clauses, of_summaries, of_units, sampled
from factmark.people.reading import SummaryColumns, read_documents, read_people
from factmark.stats.sampling import simple_random

if TYPE_CHECKING:
    from factmark.campaign_model import ProtocolOf
    from factmark.people.commands.create import CampaignOptions

MOST_NAME = 100  # characters
_ALONE = 30  # rows of a batch where units stand alone


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDraft:
    """A campaign that could be kept; nothing of it is written yet."""

    campaign: Campaign
    material: Material
    assignments: tuple[Assignment, ...]
    notes: tuple[str, ...]


def draft_campaign(options: CampaignOptions, protocol_of: ProtocolOf) -> CampaignDraft:
    """Reads all that is needed and deals it out, and writes nothing; InputError where it cannot."""
    form = form_named(options.form)
    if not options.annotators:
        raise InputError("Name who is asked with --annotators: a file, or names between commas.")
    people = read_people(options.annotators)
    name = _name(options)
    material = _material(options, form, protocol_of)
    notes = list(material.notes)
    whole = form in (COARSE, FINE)
    if options.sample is not None:
        size = len(material.documents if whole else material.units)
        if options.sample >= size:
            notes.append(f"--sample {options.sample}: there are only {size}, all are asked about")
        material = sampled(material, options.sample, seed=options.seed, whole=whole)
    # Only documents have ids of the owner's; those of other items follow from their content.
    _reject_known(options.ledger, name, material.items if whole else (), material.units)
    overlap = (OVERLAP if len(people) > 1 else 0.0) if options.overlap is None else options.overlap
    batch = options.batch or (BATCH if whole else _ALONE)
    assignments = assign(
        material.documents,
        [annotator.code for annotator in people],
        seed=options.seed,
        overlap=overlap,
        raters=options.raters,
        batch=batch,
        parts=material.parts,
        together=whole,
    )
    return CampaignDraft(
        campaign=Campaign(
            id="",
            name=name,
            form=form.name,
            annotators=people,
            guidelines=_guidelines(options, form, batch, material),
            settings={
                "overlap": overlap,
                "raters": options.raters,
                "batch": batch,
                "factmark": __version__,
                "seed": options.seed,
                "source": _name_and_hash(options.files.source),
                "sheet": _name_and_hash(options.sheet),
                "asked": len(material.shown),
                "units": sum(unit.kind == form.kind for unit in material.units),
                **material.owners_settings(),
            },
        ),
        material=material,
        assignments=assignments,
        notes=tuple(notes),
    )


def keep_campaign(draft: CampaignDraft, ledger: Path) -> Campaign:
    """Writes a draft into its ledger, all of it or nothing; InputError where its name is taken."""
    clean = without_surrogates
    with Ledger(ledger) as opened:
        return create_campaign(
            opened,
            draft.campaign,
            items=draft.material.items,
            units=draft.material.units,
            shown={
                unit: replace(shown, evidence=clean(shown.evidence), text=clean(shown.text))
                for unit, shown in draft.material.shown.items()
            },
            assignments=draft.assignments,
        )


def default_guidelines(form: Form, *, batch: int = BATCH, together: int = 1) -> str:
    """Our guidelines of a form, as Markdown."""
    folder = files("factmark.data") / "guidelines"
    template = (folder / f"{form.name}.md").read_text("utf-8")
    common = (folder / "common.md").read_text("utf-8")
    return fill_guidelines(template, common, form, batch=batch, together=together)


def _guidelines(options: CampaignOptions, form: Form, batch: int, material: Material) -> str:
    if options.guidelines is None:
        together = max((len(units) for units in material.documents.values()), default=1)
        return default_guidelines(form, batch=batch, together=together)
    text = read_text(options.guidelines)
    if not text.strip() or "\0" in text:
        raise InputError(f"{options.guidelines}: is empty or no text; guidelines are Markdown.")
    return text


def _material(options: CampaignOptions, form: Form, protocol_of: ProtocolOf) -> Material:
    if form != FINE and options.clauses != 1.0:
        raise InputError(f"--clauses is for `--form fine`; a campaign of {form.name!r} has none.")
    source = options.files.source
    if source is None and form in (COARSE, FINE, FACTS):
        raise InputError(f"--form {form.name}: name the file with what people are to see.")
    if source is None or form not in (COARSE, FINE):
        known = None if source else ledger_pairs(options.ledger, form.kind, options.sheet)
        if source and options.sheet:
            raise InputError("--sheet names units of the ledger; leave out the file.")
        return of_units(protocol_of(form.kind).units_asked(options.files, form.kind, known))
    notes: list[str] = []
    columns = SummaryColumns(
        source=options.source_column,
        id=options.id_column,
        systems=tuple(name.strip() for name in (options.systems or "").split(",") if name.strip()),
        system=options.files.system_column,
        summary=options.summary_column,
        sections=options.sections_column,
    )
    documents = read_documents(source, columns, options.files.encoding, note=notes.append)
    if form == COARSE:
        material = of_summaries(documents)
    else:
        if not 0.0 < options.clauses <= 1.0:
            raise InputError(f"--clauses {options.clauses:g}: is a share above 0, up to 1.")
        # Likely sentences are looked for only in documents that will be drawn.
        asked: Collection[str] = [document.id for document in documents]
        if options.sample is not None:
            asked = simple_random(asked, options.sample, seed=options.seed).keys
        material = of_clauses(documents, share=options.clauses, seed=options.seed, asked=set(asked))
    return replace(material, notes=(*notes, *material.notes))


def ledger_pairs(ledger: Path, kind: str, sheet: Path | None = None) -> list[Pair]:
    """The units of a kind that a ledger holds, or those of a sheet, with their items.

    InputError: there are none, or the sheet names one that the ledger does not have.
    """
    if not ledger.is_file():
        raise InputError(
            f"{ledger}: there is no such ledger. Name one that `factmark graph` wrote, or a file "
            "with triples."
        )
    with Ledger(ledger, read_only=True) as opened:
        pairs = {unit.id: (item, unit) for item, unit in pairs_of_kind(opened, kind)}
    if not pairs:
        raise InputError(f"{ledger}: holds no units of the kind {kind!r}.")
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


def _name(options: CampaignOptions) -> str:
    source = options.files.source
    name = options.name or (source.stem if source else options.form)
    tidy = " ".join(name.split())
    if not tidy or not tidy.isprintable() or len(tidy) > MOST_NAME:
        raise InputError(
            f"--name {name!r}: a campaign's name has 1 to {MOST_NAME} characters that can be read."
        )
    return tidy


def _reject_known(
    ledger: Path, name: str, documents: Sequence[Item], units: Sequence[Unit]
) -> None:
    """So that nothing is doubled, no document stands for another, and no clause is cut twice."""
    if not ledger.is_file():
        return
    with Ledger(ledger, read_only=True) as opened:
        check_name_is_new(opened, name)
        kept = items_of(opened, [item.id for item in documents])
        for item in documents:
            known = kept.get(item.id)
            if known is not None and known.data != json.loads(json.dumps(item.data)):
                raise InputError(
                    f"{ledger}: has another document {item.id!r}. Give documents other ids "
                    "(--id), or name another ledger (--ledger)."
                )
        clauses = {unit.id: unit.data["summary"] for unit in units if unit.kind == FINE.kind}
        summaries = set(clauses.values())
        for _, clause in pairs_of_kind(opened, FINE.kind) if clauses else ():
            if clause.data.get("summary") in summaries and clause.id not in clauses:
                raise InputError(
                    f"{ledger}: has clauses of a summary of {clause.item!r} that are cut "
                    "otherwise, by an earlier version. Name another ledger (--ledger)."
                )


def _name_and_hash(path: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    with path.open("rb") as file:
        return {"name": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
