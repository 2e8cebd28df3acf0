"""What answers need of other slices, put together: logs of other harnesses, and campaigns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.answers.command import report_command, score_command
from factmark.answers.options import ReportOptions, ScoreOptions
from factmark.cli.console import judging_line_if
from factmark.cli.python import python_function
from factmark.cli.records import options_of, takes_options

if TYPE_CHECKING:
    from factmark.answers.reading import AnswerFile
    from factmark.files.frames import Rows
    from factmark.report.result import Result


@python_function(ScoreOptions)
def score(
    answers: Rows | Sequence[str],
    *,
    benchmark: Rows | Sequence[tuple[str, Sequence[str]]] = "ehds",
    judge: str | Callable[..., Any] = "rules",
    progress: bool = False,
    **options: Any,
) -> Result:
    """Completeness, hallucination rate and combined score of answers: `factmark score`.

    Args:
        answers: with `query_id` and `answer`, and `model` and `condition` where there are several;
            or plain texts, the first to the first question, and so on.
        benchmark: `ehds`; a file, rows or a frame of questions; or pairs of a question and its
            ground truth.
        judge: who finds the facts, as the command has it; or a function of yours that gets the
            question, the ground truth and the answer, and returns the facts.
        progress: whether a bar on stderr shows how far scoring is.
        options: those of the command.

    Returns:
        The averages "C", "H" and "S" (of several models or conditions: "S of MODEL, CONDITION"); a
        row per answer, those without a score last.

    Raises:
        FactmarkError: what cannot be read, asked or written, and options that there are none of.
    """
    from factmark.answers.questions.pairs import answer_rows, question_rows
    from factmark.answers.report import answers_report
    from factmark.answers.study import score_answers
    from factmark.files.frames import as_file

    rows = as_file(answer_rows(answers), "answers")
    asked = as_file(question_rows(benchmark), "benchmark")
    with rows as path, asked as questions:
        given = {"answers": path, "benchmark": str(questions), "judge": judge, **options}
        judging = judging_line_if(progress)
        scored = score_answers(options_of(ScoreOptions, given), read, judging=judging)
    assert scored is not None  # noqa: S101 - only a dry run has no results
    return answers_report(scored[0])


def read(
    path: Path,
    *,
    encoding: str,
    model: str,
    condition: str,
    columns: Mapping[str, str] | None = None,
) -> AnswerFile:
    """Returns the answers of a file, of other harnesses' logs too."""
    from factmark.interop.reading import read_answers

    return read_answers(
        path, encoding=encoding, model=model, condition=condition, columns=columns or {}
    )


def _show_campaign(given: ReportOptions) -> None:
    """Prints and writes the results of a campaign."""
    from factmark.cli.annotate import protocol_of
    from factmark.people.commands.standing import results
    from factmark.people.options import ResultsOptions

    results(protocol_of, ResultsOptions(ledgers=[given.ledger], out=given.out, json=given.json))


command = takes_options(score_command(read))
report = takes_options(report_command(_show_campaign))
