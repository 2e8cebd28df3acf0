"""A campaign made from files: read, drafted without writing anything, then kept in one go."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from factmark.campaign_model import Annotator, Assignment, Campaign, ProtocolOf, Queued
from factmark.errors import InputError
from factmark.files.text_files import read_text, without_surrogates
from factmark.ledger.campaigns import check_name_is_new, create_campaign, pairs_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import file_name, keep_rows
from factmark.ledger.verdicts import items_of
from factmark.model import Item, Unit, UserRow, content_hash
from factmark.people.core.assign import ALONE, BATCH, OVERLAP, assign, queue_up
from factmark.people.core.forms import COARSE, FACTS, FINE, Form, fill_guidelines, form_named
from factmark.people.core.material import (
    Material,
    material_of_clauses,
    material_of_summaries,
    material_of_units,
    sample_material,
    with_hints,
)
from factmark.people.crowd.options import crowd_settings
from factmark.people.crowd.screening import rule_in_words
from factmark.people.linkers import WORDS, open_linker
from factmark.people.options import CampaignOptions
from factmark.people.practice.known import KnownUnit, with_known
from factmark.people.practice.known_files import read_check, read_known
from factmark.people.reading import SummaryColumns, ledger_pairs, read_documents, read_people
from factmark.stats.sampling import simple_random
from factmark.version import __version__

MOST_NAME = 100  # characters
MOST_TITLE = 30  # that leave room for a name in the 50 characters of a title on Label Studio
_WHOLE = (COARSE.name, FINE.name)  # forms of documents that are asked about whole


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDraft:
    """A campaign that could be kept; nothing of it is written yet."""

    campaign: Campaign
    material: Material
    assignments: tuple[Assignment, ...]  # what counts, as loads are told
    known: tuple[KnownUnit, ...]  # whose right answers are known; on everybody's list too
    notes: tuple[str, ...]
    queue: tuple[Queued, ...] = ()  # what is on nobody's list yet
    rows: tuple[UserRow, ...] = ()  # the rows of the file, each with a unit that it is about

    def lists(self) -> tuple[Assignment, ...]:
        """The lists of all annotators with what is known among them."""
        if not self.known:
            return self.assignments
        codes = [annotator.code for annotator in self.campaign.annotators]
        seed = int(str(self.campaign.settings["seed"]))
        whole = self.campaign.form in _WHOLE
        # Gold is drawn with the queue, among the work.
        known = []
        for k in self.known:
            if not (self.campaign.queues and k.role == "gold"):
                known.append(k)
        return with_known(self.assignments, known, codes, seed=seed, together=whole)


def draft_campaign(options: CampaignOptions, protocol_of: ProtocolOf) -> CampaignDraft:
    """Returns a campaign read from files and dealt out to its annotators; nothing is written.

    Raises:
        InputError: a file cannot be read, an option does not fit, or the name is taken.
    """
    form = form_named(options.form)
    people = _people_asked(options)
    if options.platform.crowd:
        options = replace(options, deal="queue")
    name = _campaign_name(options)
    material = _read_material(options, form, protocol_of)
    known = _read_known(options, form)
    crowd = _crowd_settings(options, known)
    notes = [*material.notes, *_notes_on_known(options, form, known)]
    whole = form in (COARSE, FINE)
    if options.sample is not None:
        size = len(material.documents if whole else material.units)
        if options.sample >= size:
            notes.append(f"--sample {options.sample}: there are only {size}, all are asked about")
        material = sample_material(material, options.sample, seed=options.seed, whole=whole)
    # Only documents have ids of the owner's; those of other items follow from their content.
    _reject_conflicts(options.ledger, name, material.items if whole else (), material.units)
    overlap = _share_for_several(options, people)
    batch = options.batch or (BATCH if whole else ALONE)
    source, sheet = (
        name_and_hash(path) if path else None for path in (options.files.source, options.sheet)
    )
    names = [person.name for person in people]  # two ledgers may be made of one file
    mark = content_hash(name, source, sheet, options.ledger.name, names, options.seed)[:4]
    title = _campaign_title(options, form, mark)
    dealt: dict[str, Any] = {"seed": options.seed, "overlap": overlap, "raters": options.raters}
    assignments, queue = _deal_out(options, people, material, batch, {**dealt, "together": whole})
    return CampaignDraft(
        campaign=Campaign(
            id="",
            name=name,
            form=form.name,
            annotators=people,
            guidelines=_guidelines_text(options, form, batch, material, known, title),
            settings={
                "title": title,
                "adjudicate": options.adjudicate,
                "deal": options.deal,
                **dealt,
                "batch": batch,
                "factmark": __version__,
                "source": source,
                "sheet": sheet,
                **crowd,
                **{
                    name: name_and_hash(path)
                    for name in ("training", "gold", "check")
                    if (path := getattr(options, name)) is not None
                },
                "asked": len(material.shown),
                "units": sum(unit.kind == form.kind for unit in material.units),
                **material.owners_settings(),
            },
        ),
        material=material,
        assignments=assignments,
        queue=queue,
        known=tuple(known),
        notes=tuple(notes),
        rows=_user_rows(options.files.source, material),
    )


def _people_asked(options: CampaignOptions) -> tuple[Annotator, ...]:
    """Returns the people who are named; nobody of a crowd, which comes by a link. InputError where
    both or none is given."""
    if options.platform.crowd is None:
        if not options.annotators:
            raise InputError(
                "Name who is asked with --annotators: a file, or names between commas; or where "
                "they come from by --crowd."
            )
        return read_people(options.annotators)
    if options.annotators:
        raise InputError("--crowd: people come by one link; leave out --annotators.")
    return ()


def _crowd_settings(options: CampaignOptions, known: Sequence[KnownUnit]) -> dict[str, object]:
    """Returns what a campaign keeps of its crowd, and of what everybody of it is asked first;
    nothing where people are named. InputError as `crowd_settings`."""
    crowd = crowd_settings(options.platform, has_gold=options.gold is not None)
    if crowd:
        crowd["practice"] = [practice.unit.id for practice in known if practice.role != "gold"]
    return crowd


def _share_for_several(options: CampaignOptions, people: Sequence[Annotator]) -> float:
    """Returns the share of documents that several people rate."""
    if options.overlap is not None:
        return options.overlap
    if options.platform.crowd or len(people) > 1:
        return OVERLAP
    return 0.0


def _deal_out(
    options: CampaignOptions,
    people: Sequence[Annotator],
    material: Material,
    batch: int,
    how: dict[str, Any],
) -> tuple[tuple[Assignment, ...], tuple[Queued, ...]]:
    """Returns the lists of the annotators, or the queue that they draw from."""
    codes = [annotator.code for annotator in people]
    if options.deal == "queue":
        return (), queue_up(material.documents, codes, **how)
    return assign(material.documents, codes, batch=batch, parts=material.parts, **how), ()


def _campaign_title(options: CampaignOptions, form: Form, mark: str) -> str:
    """Returns what annotators see the campaign called; InputError where that cannot be shown, or
    what is to be decided between cannot be compared."""
    if options.adjudicate is not None and not form.values:
        raise InputError(
            f"--adjudicate: `--form {form.name}` has marks, and no ratings to compare."
        )
    if len(options.title) > MOST_TITLE or not options.title.isprintable():
        raise InputError(
            f"--title {options.title!r}: has up to {MOST_TITLE} characters that can be read."
        )
    return options.title or f"{form.title} · {mark}"


def _user_rows(source: Path | None, material: Material) -> tuple[UserRow, ...]:
    """Returns the rows of the file by which its owner knows the units."""
    if source is None:
        return ()
    return tuple(
        UserRow(source=file_name(source), place=place, id=document, unit=unit)
        for unit, (document, place) in material.places.items()
    )


def keep_campaign(draft: CampaignDraft, ledger: Path) -> Campaign:
    """Writes a draft into its ledger, all of it or nothing; InputError where its name is taken."""
    clean = without_surrogates
    known = draft.known
    shown = {**draft.material.shown, **{practice.unit.id: practice.shown for practice in known}}
    with Ledger(ledger) as opened:
        campaign = create_campaign(
            opened,
            draft.campaign,
            items=[*draft.material.items, *(practice.item for practice in known)],
            units=[*draft.material.units, *(practice.unit for practice in known)],
            shown={
                unit: replace(what, evidence=clean(what.evidence), text=clean(what.text))
                for unit, what in shown.items()
            },
            assignments=draft.lists(),
            queue=draft.queue,
        )
        for kind in {unit.kind for unit in draft.material.units}:
            units = set()
            for unit in draft.material.units:
                if unit.kind == kind:
                    units.add(unit.id)
            keep_rows(opened, kind, [row for row in draft.rows if row.unit in units])
        return campaign


def default_guidelines(
    form: Form, *, batch: int = BATCH, together: int = 1, title: str = ""
) -> str:
    """Returns our guidelines of a form, as Markdown.

    Args:
        batch: documents in a batch.
        together: units of a document.
        title: of the campaign; the form's where empty.
    """
    folder = files("factmark.data") / "guidelines"
    template = (folder / f"{form.name}.md").read_text("utf-8")
    common = (folder / "common.md").read_text("utf-8")
    return fill_guidelines(template, common, form, batch=batch, together=together, title=title)


def _guidelines_text(
    options: CampaignOptions,
    form: Form,
    batch: int,
    material: Material,
    known: Sequence[KnownUnit],
    title: str,
) -> str:
    """Returns the owner's guidelines, or ours; InputError where the owner's are empty or
    no text."""
    if options.guidelines is None:
        together = max((len(units) for units in material.documents.values()), default=1)
        text = default_guidelines(form, batch=batch, together=together, title=title)
        roles = {practice.role for practice in known}
        if roles & _TOLD_OF_KNOWN.keys():
            text += "\n## Known answers\n"
        for role, words in _TOLD_OF_KNOWN.items():
            if role in roles:
                text += f"\n{words}\n"
        return text
    text = read_text(options.guidelines)
    if not text.strip() or "\0" in text:
        raise InputError(f"{options.guidelines}: is empty or no text; guidelines are Markdown.")
    return text


_TOLD_OF_KNOWN = {
    "training": "You begin with a few to practise on, marked *Training*: once you have answered, "
    "the right answer is shown, and why. They count in no result.",
    "gold": "Among the others there may be some whose right answer is known; they tell those who "
    "asked you how well the guidelines work, and count in no result.",
}


def _read_known(options: CampaignOptions, form: Form) -> list[KnownUnit]:
    """Returns the units whose right answers are known: the check, training and gold."""
    encoding = options.files.encoding
    known = []
    if options.check:
        known = read_check(options.check, encoding)
    if options.training:
        known += read_known(options.training, "training", form, encoding)
    if options.gold:
        known += read_known(options.gold, "gold", form, encoding)
    return known


def _notes_on_known(options: CampaignOptions, form: Form, known: Sequence[KnownUnit]) -> list[str]:
    """Returns the notes on how many questions, training and gold everybody is asked as well, and by
    which rule people are screened out."""
    if not known:
        return []
    counts = Counter(practice.role for practice in known)
    parts = ", ".join(f"{n} of {role}" for role, n in counts.items())
    notes = [f"everybody is asked units with a known answer too: {parts}"]
    if options.platform.screen is not None:
        notes.append(rule_in_words(form, options.platform.screen, counts["gold"]))
    return notes


def _read_material(options: CampaignOptions, form: Form, protocol_of: ProtocolOf) -> Material:
    """Returns what is asked about, from the source file or from units of the ledger; InputError
    where options do not fit the form."""
    if form != FINE and options.clauses != 1.0:
        raise InputError(f"--clauses is for `--form fine`; a campaign of {form.name!r} has none.")
    if form not in (COARSE, FINE) and options.linker != WORDS:
        raise InputError(
            f"--linker is for `--form coarse` and `fine`; a campaign of {form.name!r} has no hints."
        )
    source = options.files.source
    if source is None and form in (COARSE, FINE, FACTS):
        raise InputError(f"--form {form.name}: name the file with what people are to see.")
    if source is None or form not in (COARSE, FINE):
        known = None
        if not source:
            known = ledger_pairs(options.ledger, form.kind, options.sheet)
        if source and options.sheet:
            raise InputError("--sheet names units of the ledger; leave out the file.")
        return material_of_units(
            protocol_of(form.kind).units_asked(options.files, form.kind, known)
        )
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
    # Likely sentences are looked for only in documents that will be drawn.
    asked: Collection[str] = [document.id for document in documents]
    if options.sample is not None:
        asked = simple_random(asked, options.sample, seed=options.seed).keys
    if form == COARSE:
        material = material_of_summaries(documents)
        if options.linker != WORDS:  # by words the page itself finds them
            material = with_hints(material, open_linker(options.linker), asked=asked)
    else:
        if not 0.0 < options.clauses <= 1.0:
            raise InputError(f"--clauses {options.clauses:g}: is a share above 0, up to 1.")
        material = material_of_clauses(
            documents,
            share=options.clauses,
            seed=options.seed,
            asked=set(asked),
            linker=open_linker(options.linker),
        )
    settings = dict(material.settings)
    if form == FINE or options.linker != WORDS:
        kind, colon, rest = options.linker.partition(":")  # where a folder lies is kept nowhere
        settings["linker"] = f"{kind}{colon}{Path(rest).name}"
    return replace(material, settings=settings, notes=(*notes, *material.notes))


def _campaign_name(options: CampaignOptions) -> str:
    """Returns the name of the campaign, or of its file or form; InputError where it cannot be
    shown."""
    source = options.files.source
    name = options.name or (source.stem if source else options.form)
    tidy = " ".join(name.split())
    if not tidy or not tidy.isprintable() or len(tidy) > MOST_NAME:
        raise InputError(
            f"--name {name!r}: a campaign's name has 1 to {MOST_NAME} characters that can be read."
        )
    return tidy


def _reject_conflicts(
    ledger: Path, name: str, documents: Sequence[Item], units: Sequence[Unit]
) -> None:
    """Raises InputError where the ledger has something else under the same name.

    That is: the campaign, a document of that id with other texts, or the same summary cut
    otherwise.
    """
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
        clauses = {}
        for unit in units:
            if unit.kind == FINE.kind:
                clauses[unit.id] = unit.data["summary"]
        summaries = set(clauses.values())
        if clauses:
            for _, clause in pairs_of_kind(opened, FINE.kind):
                if clause.data.get("summary") in summaries and clause.id not in clauses:
                    raise InputError(
                        f"{ledger}: has clauses of a summary of {clause.item!r} that are cut "
                        "otherwise, by an earlier version. Name another ledger (--ledger)."
                    )


def name_and_hash(path: Path) -> dict[str, str]:
    """Returns the name of a file and the SHA-256 of its content."""
    with path.open("rb") as file:
        return {"name": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
