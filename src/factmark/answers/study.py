"""A study of answers from end to end: answers and ground truth -> facts -> scores -> results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from factmark import __version__
from factmark.answers.annotations import Annotations, open_annotations, read_annotations
from factmark.answers.core.averages import METRICS, Settings
from factmark.answers.core.evaluate import Extraction, corrected, evaluate
from factmark.answers.core.records import Results
from factmark.answers.derive import Reach, Truth, ground_truths
from factmark.answers.extractors import own_extraction
from factmark.answers.kept_results import keep_results
from factmark.answers.model_facts_command import by_model, forecast, model_of
from factmark.answers.reading import AnswerFile, read_answers
from factmark.cli.asking import Asking
from factmark.cli.console import progress as progress_bar
from factmark.cli.console import say
from factmark.errors import InputError
from factmark.files.overwriting import ANSWERS, check_files
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """What `factmark score` is asked for.

    Attributes:
        answers: the file, or a folder of logs.
        out: a folder for the report and all files; None for none.
        ledger: `out`/ledger.db where it is not given.
        extractor: a model, or `module:function`; the rules where it is None.
        annotations: facts that people marked, in place of the rules.
        people: facts that people marked in some answers, to correct the scores by.
        annotator: whose marks, in either file.
        model, condition: for answers that name none.
        encoding: of the answers.
        asking: how a model is asked.
        dry_run: to tell what a model would be asked, and ask nothing.
    """

    answers: Path
    reach: Reach = field(default_factory=Reach)
    out: Path | None = None
    ledger: Path | None = None
    extractor: str | None = None
    annotations: Path | None = None
    people: Path | None = None
    annotator: str | None = None
    model: str = ""
    condition: str = ""
    encoding: str = "utf-8"
    settings: Settings = field(default_factory=Settings)
    asking: Asking = field(default_factory=Asking)
    dry_run: bool = False

    @property
    def book(self) -> Path | None:
        """The ledger; None for none."""
        return self.out / "ledger.db" if self.ledger is None and self.out else self.ledger


def score_answers(options: ScoreOptions, *, json: bool = False) -> tuple[Results, Truth] | None:
    """Scores a file of answers by a ground truth, and writes the report.

    Of a dry run the forecast is told, and nothing else comes of it.

    Args:
        json: whether the forecast is told as JSON.

    Raises:
        FactmarkError: options that do not go together, files that cannot be read as meant, a store
            or a model that cannot be asked.
    """
    answers = read_answers(
        options.answers,
        encoding=options.encoding,
        model=options.model,
        condition=options.condition,
    )
    _check_outputs(options)
    spec = model_of(options.extractor, options.annotations, options.asking, dry_run=options.dry_run)
    extraction = None if spec is not None else _extraction(options)
    people = options.people and open_annotations(options.people, options.annotator)
    truth = asyncio.run(ground_truths(options.reach))
    if spec is not None and options.dry_run:
        forecast(spec, options.asking, truth.questions, answers.answers, options.book, json=json)
        return None
    if spec is not None:
        options.asking.free(options.book)
        asked = by_model(spec, options.asking, truth.questions, answers.answers, options.book)
        extraction = asyncio.run(asked)
    with progress_bar("scoring", len(answers.answers)) as step:
        results = score_study(
            truth,
            answers,
            extraction or Extraction.by_rule(),
            options.settings,
            ledger=options.book,
            people=people or None,
            progress=step,
        )
    if options.out is not None:
        write_report(results, options.out)
    return results, truth


def _check_outputs(options: ScoreOptions) -> None:
    """Tells a result that would take the place of an input."""
    if options.out is None or options.dry_run:
        return
    named = {
        "the answers": options.answers,
        "--benchmark": Path(options.reach.benchmark),
        "--store": options.reach.store,
        "--annotations": options.annotations,
        "--people": options.people,
        "--prices": options.asking.prices,
    }
    check_files(options.out, ANSWERS, [(option, path) for option, path in named.items() if path])


def _extraction(options: ScoreOptions) -> Extraction:
    """Who finds the facts, where no model does: a function, a person, or the rules."""
    annotator = None if options.people else options.annotator
    if annotator and not options.annotations:
        raise InputError("--annotator says whose facts in --annotations or --people; name one.")
    if options.extractor:
        return own_extraction(options.extractor)
    if options.annotations:
        name, scorer = read_annotations(options.annotations, annotator)
        marked = content_hash(options.annotations.read_text("utf-8"))
        return Extraction(judge=Judge.create("person", name, marked=marked), scorer=scorer)
    return Extraction.by_rule()


def score_study(
    truth: Truth,
    answers: AnswerFile,
    extraction: Extraction,
    settings: Settings,
    *,
    ledger: Path | None,
    people: Annotations | None = None,
    made: Mapping[str, object] | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Results:
    """Scores answers, keeps all of it in the ledger, and returns the results.

    Args:
        ledger: the file to keep it in, or None for none.
        people: facts that people marked in some of the answers, to correct the scores by.
        made: how the answers came about, for the signature.
    """
    results = evaluate(
        truth.benchmark,
        truth.questions,
        answers.answers,
        scorer=extraction.scorer,
        problems=(*truth.problems, *answers.problems, *extraction.problems),
        signature={
            "factmark": __version__,
            "benchmark": truth.benchmark,
            "ground_truth_from": truth.source,
            "judge": extraction.judge.name,
            "judge_id": extraction.judge.id,
            **_parameters(extraction.judge),
            **extraction.counts,
            **(made or {}),
        },
        settings=settings,
        progress=progress,
    )
    if not results.answers and not results.unscored:
        why = "; ".join(results.problems) or "there are none"
        raise InputError(f"None of the {len(answers.answers)} answers could be scored: {why}.")
    if people is not None:
        results = corrected(results, _scores_of_people(results, people), people.name)
    if ledger is not None:
        with Ledger(ledger) as opened:
            keep_results(opened, results, truth.questions, extraction.judge)
    return results


def _parameters(judge: Judge) -> dict[str, object]:
    """A judge's parameters in the signature; a model's seed is not that of the bootstrap."""
    mark = "judge_" if judge.kind == "model" else ""
    return {f"{mark}{name}": value for name, value in judge.parameters.items()}


def _scores_of_people(results: Results, people: Annotations) -> dict[str, dict[str, float]]:
    """Answer id -> metric -> value, for the answers that people marked.

    Raises:
        InputError: if they marked none of these answers.
    """
    scores = {}
    for row in results.answers:
        score = people.score(row.question, row.answer)
        if score is not None:
            scores[row.answer.id] = {key: metric.of(score) for key, metric in METRICS.items()}
    if not scores:
        raise InputError(f"{people.path}: none of its answers is among those that are scored.")
    return scores


def write_report(results: Results, out: Path) -> None:
    """Writes the report and the results in all formats into a folder."""
    from factmark.answers.html import render_html
    from factmark.answers.results import write_results
    from factmark.files.text_files import write_text

    write_results(results, out)
    write_text(out / "report.html", render_html(results))
    say(f"wrote {out / 'report.html'} and the results beside it")
