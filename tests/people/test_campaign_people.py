"""Who is asked: read as written, or refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.campaign_model import Annotator
from factmark.errors import InputError
from factmark.people.reading import read_people, too_long


def file(tmp_path: Path, text: str, name: str = "people.csv") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(path)


def test_a_file_with_names_and_addresses(tmp_path: Path) -> None:
    given = file(tmp_path, "\ufeffemail,name,note\nada@x.example,Ada  Löwe,\n,Ben,x\n")
    assert read_people(given) == (
        Annotator(code="A1", name="Ada Löwe", email="ada@x.example"),
        Annotator(code="A2", name="Ben"),
    )


def test_names_between_commas() -> None:
    assert [one.name for one in read_people("Ada, Ben ,Dr. C")] == ["Ada", "Ben", "Dr. C"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\nAda\nBen\nada\n", r"line 4: the name 'ada' stands twice \(first: .*line 2\)"),
        ("name\nAda\n \n", "line 3: an annotator without a name"),
        ("name,email\n,a@x.example\n", "line 2: an annotator without a name"),
        ("name,email\nAda,a@x.example\nBen,A@x.example\n", "address 'A@x.example' stands twice"),
        ("name,email\nAda,not an address\n", "line 2: 'not an address' is no e-mail address"),
        ("name\nA\x1b[31mda\n", "line 2: the name .* holds control characters"),
        ("name\nA\u202eda\n", "line 2: the name .* holds control characters"),
        ("name\nA\x00da\n", "line 2: a name is not UTF-8"),
        ("name\n" + "a" * 300 + "\n", "line 2: a name of 300 characters"),
        ("name\nL\udcf6we\n", "line 2: a name is not UTF-8"),
        ("person\nAda\n", "no column 'name'.* Found: person"),
        ("name;email\nAda;a@b.org\n", "semicolons.* Save it with commas"),
        ("name,email\nAda\n", "wrong number of cells"),
        ('name\n"Ada\n', "check the quotes"),
        ("name\n", "names nobody"),
        ("", "is empty"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_people(file(tmp_path, text))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"name": ["Ada"]}', "line 1: 'name' is a list, not a text"),
        ('{"name": NaN}', "line 1: 'name' is a float, not a text"),
        ('{"name": "Ada", "email": ["a@b"]}', "line 1: 'email' is a list, not a text"),
        ('{"name": null}', "line 1: an annotator without a name"),
    ],
)
def test_a_cell_that_is_no_text(tmp_path: Path, row: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_people(file(tmp_path, row + "\n", "people.jsonl"))


def test_names_that_a_title_cuts() -> None:
    people = read_people("A" * 23 + "," + "B" * 24)
    assert too_long(people, "Summarization Evaluation") == ("B" * 24,)  # 24 + 3 + 24 is 51
