"""An extractor of the user's own, named `module:function`, in place of the rules."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import Extraction, Scorer
from factmark.answers.core.records import Answer, AnswerScore, Fact, Question
from factmark.answers.core.scores import score_with
from factmark.errors import InputError
from factmark.model import Judge, content_hash


def load_extractor(name: str) -> tuple[Scorer, str]:
    """A scorer, and the hash of the module's source, which is part of the judge's identity.

    The scorer takes F(r) from `module:function`; matching stays the rules' (M1-M5).
    The function gets the question, the ground truth and the answer as `(str, list[str], str)` and
    returns the facts: each a string that stands in the answer, or a pair `(start, end)` of
    positions in it.

    Raises:
        InputError: if there is no such function; and later, by the scorer, if it fails or returns
            something else.
    """
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise InputError(f"--extractor {name}: give it as module:function.")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
        function: Callable[..., Any] = getattr(module, function_name)
        source = inspect.getsource(module)
    except (Exception, SystemExit) as error:  # whatever the user's module does when it is loaded
        raise InputError(f"--extractor {name}: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise InputError(f"--extractor {name}: is no function.")

    def scorer(question: Question, answer: Answer) -> AnswerScore:
        truth = list(question.ground_truth or ())

        def extract() -> list[Fact]:
            return _facts(function(question.text, truth, answer.text), answer.text)

        try:
            return score_with(extract, question.text, truth, answer.text)
        except (Exception, SystemExit) as error:
            raise InputError(
                f"--extractor {name}: failed on answer {answer.id} to {answer.query_id}: "
                f"{type(error).__name__}: {error}"
            ) from error

    return scorer, content_hash(source)


def own_extraction(name: str) -> Extraction:
    """The extraction that `module:function` names; raises as `load_extractor`."""
    scorer, source = load_extractor(name)
    return Extraction(judge=Judge.create("rule", name, source=source), scorer=scorer)


def _facts(found: Iterable[str | Sequence[int]], answer: str) -> list[Fact]:
    facts = []
    for one in found:
        if isinstance(one, str):
            start = answer.find(one) if one else -1
            end = start + len(one)
        else:
            start, end = one
        if not 0 <= start < end <= len(answer):
            raise ValueError(f"{one!r} is not in the answer")
        facts.append(Fact(text=answer[start:end], start=start, end=end))
    return facts
