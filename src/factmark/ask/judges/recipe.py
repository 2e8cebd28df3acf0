"""A judge written down as plain data, so that another process opens the same one.

A recipe names who judges and what decides the verdicts: parameters, files by their hash, how a
model is asked. It holds no function, no connection and no key, and goes through pickle and JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from factmark.ask.judges.own_function import names_function
from factmark.ask.weights.known_weights import names_local
from factmark.ask.weights.nli_folder import names_nli_folder
from factmark.ask.weights.weight_files import file_hash
from factmark.errors import InputError
from factmark.files.own_columns import is_foreign
from factmark.model import Judge, content_hash
from factmark.redaction import redacted
from factmark.version import __version__

JudgedBy = Literal["rules", "model", "function", "weights", "foreign", "marks"]

RULES = "rules"
"""What `--judge` calls the built-in rules."""


def judged_by(name: str) -> JudgedBy:
    """Returns what sort of judge `--judge` names; what it does not know is taken for a model.

    >>> judged_by("rules"), judged_by("openai:gpt"), judged_by("my.judges:entails")
    ('rules', 'model', 'function')
    >>> judged_by("nli:models/nli"), judged_by("local"), judged_by("verdict:other")
    ('weights', 'weights', 'foreign')
    """
    if name == RULES:
        return "rules"
    if is_foreign(name):
        return "foreign"
    if names_nli_folder(name) or names_local(name):
        return "weights"
    if names_function(name):
        return "function"
    return "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFile:
    """A file that a judge needs: where it stands here, and the hash of what is in it."""

    path: str
    hash: str

    @classmethod
    def at(cls, path: Path) -> RecipeFile:
        """Returns a file, or a folder by the names and sizes of its files."""
        if path.is_dir():
            files = (file for file in path.iterdir() if file.is_file())
            sizes = sorted((file.name, file.stat().st_size) for file in files)
            return cls(path=str(path.absolute()), hash=content_hash(sizes))
        if not path.is_file():
            raise InputError(f"{path}: there is no such file.")
        return cls(path=str(path.absolute()), hash=file_hash(path)[:32])


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a judge is opened.

    Attributes:
        judges: what it judges, such as `factscore`: which protocol opens it.
        by: what sort of judge it is.
        name: as `--judge` names it.
        parameters: of the protocol, as JSON values: what a model is asked, how many at once.
        asking: how a model is asked, as JSON values.
        files: what it reads, by what each is for.
        material: id of a unit or an item -> what its units are judged by, as JSON values, where
            they do not bring it themselves.
        judge: the id of the judge that it opens; empty where that is not known yet.
        version: of the factmark that wrote it.
    """

    judges: str
    by: JudgedBy
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    asking: Mapping[str, Any] = field(default_factory=dict, repr=False)
    files: Mapping[str, RecipeFile] = field(default_factory=dict)
    material: Mapping[str, Any] = field(default_factory=dict, repr=False)
    judge: str = ""
    version: str = __version__

    def of_judge(self, identity: Judge) -> Recipe:
        """Returns the recipe with the id of the judge that it is to open."""
        return replace(self, judge=identity.id)

    def path(self, purpose: str) -> Path | None:
        """Returns the file for a purpose; None where the judge needs none."""
        file = self.files.get(purpose)
        if file is None:
            return None
        return Path(file.path)

    def file(self, purpose: str) -> RecipeFile:
        """Returns the file for a purpose; raises InputError where the recipe names none."""
        if purpose not in self.files:
            raise InputError(f"The recipe of the judge {self.name} names no file of {purpose}.")
        return self.files[purpose]

    def parameter(self, name: str) -> Any:
        """Returns a parameter; raises InputError where the recipe has none of that name."""
        if name not in self.parameters:
            raise InputError(f"The recipe of the judge {self.name} has no parameter {name!r}.")
        return self.parameters[name]

    def check(self) -> None:
        """Raises InputError where this process would open another judge: another version of
        factmark, or a file that is gone or has another content."""
        if self.version != __version__:
            raise InputError(
                f"The judge {self.name} was written down by factmark {self.version}, and this is "
                f"{__version__}: its verdicts may differ. Install one version everywhere."
            )
        for purpose, file in self.files.items():
            if purpose in ("function", "weights"):  # whoever loads these hashes them
                continue
            if RecipeFile.at(Path(file.path)).hash != file.hash:
                raise self.other_content(purpose)

    def other_content(self, purpose: str, path: str = "") -> InputError:
        """Returns the error for a file that has another content than it had, to be raised.

        Args:
            path: where it stands here.
        """
        path = path or self.file(purpose).path
        return InputError(
            f"The judge {self.name}: {path} has another content than where its recipe was written. "
            "Give every process the same file."
        )

    def check_identity(self, identity: Judge) -> None:
        """Raises InputError where the judge is another one than the recipe is of."""
        if self.judge not in ("", identity.id):
            raise InputError(
                f"The judge {self.name} has the id {identity.id} here, and its recipe says "
                f"{self.judge}: something that decides its verdicts differs, such as the rubric or "
                "a file. Use one version of factmark, and the same files, everywhere."
            )

    def as_json(self) -> str:
        """Returns the recipe as JSON, which `read_recipe` reads.

        Raises:
            InputError: it would hold a secret, as a header's value.
        """
        text = json.dumps(asdict(self), ensure_ascii=False, default=str)
        if redacted(text) != text:
            raise InputError(
                f"The judge {self.name}: its recipe would hold a secret. Put that into an "
                "environment variable and name it: --header NAME=env:VARIABLE."
            )
        return text

    def __reduce__(self) -> tuple[Callable[[str], Recipe], tuple[str]]:
        """Pickles the JSON, so that no secret gets into a pickle."""
        return read_recipe, (self.as_json(),)


def read_recipe(text: str) -> Recipe:
    """Returns the recipe that `Recipe.as_json` wrote.

    Raises:
        InputError: it is none.
    """
    try:
        given = json.loads(text)
        files = {name: RecipeFile(**file) for name, file in given.pop("files", {}).items()}
        recipe = Recipe(files=files, **given)
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"This is no recipe of a judge: {error!s:.200}") from error
    texts = []
    for entry in fields(recipe):
        if "Mapping" not in entry.type:
            texts.append(getattr(recipe, entry.name))
    if not all(isinstance(value, str) for value in texts):
        raise InputError("This is no recipe of a judge: who judges what is not told by names.")
    return recipe
