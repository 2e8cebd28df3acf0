"""Writes src/factmark/__init__.pyi: every public function with its options by name.

Type checkers and editors read it; `docs/generate.py` writes and checks it.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import factmark

PATH = Path(factmark.__file__).with_suffix(".pyi")
_ELSEWHERE = {
    "corrected_share": "factmark.stats",
    "parse_reply": "factmark.replies",
    "score_answer": "factmark.answers",
    "Result": "factmark.report.result",
    "Estimate": "factmark.model",
    "FactmarkError": "factmark.errors",
}
"""Public names that are as they stand in their modules -> those."""

_HEAD = '''"""factmark measures how factual answers, summaries and knowledge graphs are.

`docs/generate.py` writes this file from the records of options; it is what type checkers and
editors read. The functions themselves stand in the study.py of their slices.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
'''


def stub_text() -> str:
    """The stub as it should be."""
    names = sorted(name for name in factmark.__all__ if not name.startswith("_"))
    functions = [name for name in names if name not in _ELSEWHERE]
    bodies = [_function(name, getattr(factmark, name)) for name in functions]
    used = {name for body in bodies for name in re.findall(r"\b[A-Z]\w+\b", body)}
    imports = [
        *(
            f"from {_ELSEWHERE[name]} import {name} as {name}"
            for name in names
            if name in _ELSEWHERE
        ),
        *(f"from {module} import {name}" for name, module in _types_of(functions) if name in used),
    ]
    listed = "".join(f'    "{name}",\n' for name in sorted(factmark.__all__))
    head = _HEAD + "\n" + "\n".join(sorted(set(imports)))
    text = f"{head}\n\n__version__: str\n__all__ = [\n{listed}]\n\n" + "\n".join(bodies)
    formatter = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(PATH), "-"]
    done = subprocess.run(formatter, input=text, capture_output=True, text=True, check=True)  # noqa: S603 - our own text
    return done.stdout


def _types_of(functions: list[str]) -> list[tuple[str, str]]:
    """The types of ours that the signatures name, with the modules that define them."""
    types: dict[str, str] = {"Rows": "factmark.files.frames"}
    for name in functions:
        function = inspect.unwrap(getattr(factmark, name))
        for word, value in vars(inspect.getmodule(function)).items():
            module = getattr(value, "__module__", "")
            if isinstance(value, type) and module.startswith("factmark") and word not in _ELSEWHERE:
                types.setdefault(word, module)
    return sorted(types.items())


def _function(name: str, function: FunctionType) -> str:
    """A function as a stub has it."""
    signature = inspect.signature(function)
    lines, by_name = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            by_name = True
            lines.append(f"    *{parameter.name}: {_type(parameter.annotation)},")
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            lines.append(f"    **{parameter.name}: {_type(parameter.annotation)},")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
            by_name = True
            lines.append("    *,")
        default = (
            "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        )
        lines.append(f"    {parameter.name}: {_type(parameter.annotation)}{default},")
    return (
        f"def {name}(\n" + "\n".join(lines) + f"\n) -> {_type(signature.return_annotation)}: ...\n"
    )


def _type(annotation: Any) -> str:
    """A type as a stub names it; paths may be texts, and lists of NAME=VALUE mappings."""
    if isinstance(annotation, str):
        return annotation
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = re.sub(r"\b(?:typing|pathlib|collections\.abc)\.", "", text)
    text = text.replace("list[str]", "str | list[str] | Mapping[str, Any]")
    text = text.replace("list[Path]", "str | Path | Sequence[str | Path]")
    return re.sub(r"(?<!\| )\bPath\b(?!\])", "str | Path", text).replace("str | str", "str")


def _default(value: Any) -> str:
    """A default as a stub names it: its text where it is plain, else dots."""
    plain = value is None or isinstance(value, bool | int | float | str)
    return repr(value).replace("'", '"') if plain else "..."


if __name__ == "__main__":
    PATH.write_text(stub_text(), encoding="utf-8")
