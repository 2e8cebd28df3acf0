"""What factmark prints as the next command works as it is typed: a shell splits it, and the program
takes it, whatever the names of the user's files, columns and campaigns hold."""

from __future__ import annotations

import ast
import csv
import os
import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.text.shell import quote, quote_path
from shell import Done, run

SOURCE = Path(__file__).parents[2] / "src" / "factmark"
PRINTED = re.compile(r"(?:(?<=`)|(?<=: ))factmark (?:[^`\n]|(?<=[\"'])`)+?(?=`|$)", re.MULTILINE)
JUDGE = re.compile(r"--judge (?:'[^']*'|\"[^\"]*\"|[^\s;.,'\"])+")
FOLDERS = ["my files, it's $1", "-x", "a\nb", '"; rm *', "new\\n\N{RIGHT-TO-LEFT OVERRIDE}x"]

# Hostile names, in UTF-8 and beyond: what `os.fsdecode` makes of bytes that are no text, too.
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
BROKEN = st.sampled_from([chr(0xDC80 + byte) for byte in range(128)])
NAMES = st.text(LETTERS | BROKEN, max_size=12)


def typed(line: str) -> list[str]:
    """The words that bash makes of a line."""
    script = f"factmark() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    done = subprocess.run(["bash", "-c", os.fsencode(script)], capture_output=True, check=True)
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]


def commands(done: Done) -> list[list[str]]:
    """The words of the commands with a path that were printed."""
    lines = PRINTED.findall(done.stderr + done.stdout)
    return [words for words in map(typed, lines) if any("/" in word for word in words)]


@given(st.lists(NAMES, min_size=1, max_size=20))
@settings(max_examples=30, deadline=None)
def test_a_shell_reads_a_quoted_name_as_that_name(names: list[str]) -> None:
    line = " ".join(["factmark", *map(quote, names)])
    assert line.isprintable()
    assert [os.fsencode(word) for word in typed(line)] == list(map(os.fsencode, names))


@given(NAMES.filter(bool))
def test_a_quoted_path_is_no_option(name: str) -> None:
    assert not quote_path(name).startswith("-")


@pytest.fixture(params=FOLDERS, ids=range(len(FOLDERS)))
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose name shells would take apart, relative to the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = Path(request.param)
    folder.mkdir()
    return folder


def written(path: Path, rows: Sequence[Sequence[object]]) -> str:
    """A CSV file, as it is given on a command line."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return f"./{path}"


def works(words: Sequence[str], *more: str) -> Done:
    """What a printed command does; fails where the program refuses it."""
    done = run(*words, *more)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done


def marked(path: Path, column: str, value: str) -> None:
    """Fills in one column of a sheet."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        head, *rows = csv.reader(file)
    at = head.index(column)
    for row in rows:
        row[at] = value
    written(path, [head, *rows])


def test_what_analyse_prints_works(place: Path) -> None:
    """The sheet that it advises, and what then reads it; of a refusal each way."""
    rows = [[f"q{n}", *(["no", "yes"][n % of > 0] for of in (3, 4, 5))] for n in range(60)]
    heads = ["id", "the judge's", "$1 judge", "label"]
    table = written(place / "my table.csv", [heads, *rows])
    refused = run("analyse", table, COLUMNS="2000")
    assert refused.returncode == 2
    options = [typed(f"factmark {option}") for option in JUDGE.findall(refused.stderr)]
    assert [name for _, name in options] == ["the judge's", "$1 judge"]
    done = works(["analyse", table, *options[0], "--column", "people=none"])
    (draw,) = commands(done)
    drawn = works(draw)
    marked(Path("next.csv"), "label", "yes")
    (again,) = commands(drawn)
    assert "people alone" in works(again).stdout.casefold()


def test_what_a_plan_prints_works(place: Path) -> None:
    """A ledger with a judge's verdicts: a sheet, its labels brought in, or a page that asks."""
    claims = [[f"c{n}", f"Claim {n}.", f"Text {n}.", n % 3 and 1] for n in range(40)]
    table = written(place / "c.csv", [["id", "claim", "passage", "verdict:mine"], *claims])
    triples = [[f"Ada{n}", "knows", f"Ben{n}", f"Ada{n} knows Ben{n}."] for n in range(40)]
    graph = written(place / "t.csv", [["head", "relation", "tail", "passage"], *triples])
    ledger = f"./{place / 'my ledger.db'}"
    works(["graph", "factscore", graph, "--ledger", ledger])
    sheet = f"./{place / 'the sheet.csv'}"
    drawn = works(["plan", "--ledger", ledger, "--labels", "20", "--sheet", sheet])
    bring_in, on_page = commands(drawn)
    marked(Path(sheet), "label", "supported")
    marked(Path(sheet), "annotator", "Ada")
    works(bring_in)
    works([word.replace("NAMES", "Ada,Ben") for word in on_page])
    works(["claims", "judge", table, "--judge", "verdict:mine"])
    profiled = works(["graph", "profile", graph, "--ledger", ledger])
    for words in commands(profiled):
        if words[0] == "plan":
            works(words)


def test_what_campaigns_print_works(place: Path) -> None:
    """Several campaigns in one ledger: each printed command names its own."""
    rows = [[f"d{n}", "A text. It is short.", f"A summary {n}."] for n in range(6)]
    texts = written(place / "texts.csv", [["id", "article", "one"], *rows])
    ledger = f"./{place / 'r.db'}"
    for name in ("it's one", "the other"):
        people = ["--annotators", "Ada,Ben,Cleo", "--systems", "one", "--form", "coarse"]
        works(["annotate", "create", texts, *people, "--name", name, "--ledger", ledger])
    one = ["--campaign", "it's one"]
    for act in (["add", ledger, "--annotators", "Dora"], ["withdraw", ledger, "Ada"]):
        done = works(["annotate", act[0], *act[1:], *one])
        advised = commands(done)
        assert advised
        for words in advised:
            works(words)
    (deal,) = commands(works(["annotate", "forget", ledger, "Cleo"]))
    works(deal, *one)
    works(["annotate", "close", ledger, *one])
    refused = run("annotate", "add", ledger, "--annotators", "Eve", *one)
    assert refused.returncode == 2
    (reopen,) = commands(refused)
    works(reopen)


def test_what_an_import_prints_works(place: Path) -> None:
    rows = [[f"d{n}", name, 1 + (n + len(name)) % 5] for n in range(20) for name in ("Al", "Beth")]
    ratings = written(place / "r.csv", [["document", "annotator", "label"], *rows])
    ledger = f"./{place / 'r.db'}"
    done = works(["annotate", "import", ratings, "--ledger", ledger, "--name", "it's mine"])
    results, agree, _compare = commands(done)
    works(results)
    works(agree)


def test_no_command_is_printed_with_a_value_that_is_not_quoted() -> None:
    """Each value within a printed command is quoted where it stands, or is a name to which the same
    function gives a quoted text."""
    bare = []
    for path in sorted(SOURCE.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                known = _quoted_names(function)
                for text in ast.walk(function):
                    if isinstance(text, ast.JoinedStr):
                        bare += [f"{path.name}: {value}" for value in _bare_values(text, known)]
    assert not bare


QUOTES = {"quote", "quote_path", "campaign_argument", "ledger_argument", "analyse_again"}


def _is_quoted(value: ast.expr, known: Collection[str] = ()) -> bool:
    """Whether an expression has a quoted word, or is made of names alone that are known to be, or
    of what the source holds: texts, and constants in capitals."""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return bool(names & QUOTES) or all(name.isupper() or name in known for name in names)


def _quoted_names(function: ast.AST) -> set[str]:
    """The names to which a function gives only what is quoted, or written in the source."""
    quoted: dict[str, bool] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            known = {other for other, is_quoted in quoted.items() if is_quoted}
            quoted[name] = quoted.get(name, True) and _is_quoted(node.value, known)
    return {name for name, is_quoted in quoted.items() if is_quoted}


def _bare_values(text: ast.JoinedStr, known: set[str]) -> Iterator[str]:
    """The values of an f-string that stand in a command as they are."""
    before = ""
    for part in text.values:
        if isinstance(part, ast.Constant):
            before += str(part.value)
        if isinstance(part, ast.FormattedValue):
            in_command = re.search(r"`factmark [a-z][^`]*$", before)
            if in_command and not _is_quoted(part.value, known):
                yield f"{before[-40:]}{{{ast.unparse(part.value)}}}"
            before += "X"
