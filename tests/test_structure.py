"""The shape of the package: how long a file or function may be, and which way imports point.

Growth is free within a folder's budget of `LINES` and a tenth more; a commit that raises a budget
says what it bought. Docstrings, comments and blank lines count nowhere. CONTRIBUTING has the bands.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import factmark

SOURCE = Path(factmark.__file__).parent

MOST = {
    "files in a folder": 16,
    "lines of a file": 400,
    "lines of a function": 60,
    "lines of the median function": 10,
    "parameters": 8,
    "class names used twice": 0,
    "imports against the bands": 0,
    "files with SQL outside of ledger/": 0,
    "files that import aiohttp": 2,
    "vague names": 2,
    "names of functions that are riddles": 0,
    "lines kept from the formatter": 0,
    "functions without a docstring": 0,
}

ADVICE = {  # what an honest change does that meets a bound
    "files in a folder": "Put those that belong together into a folder of their own.",
    "lines of a file": "Give a part that has a name of its own a file.",
    "lines of a function": "Give a part that has a name of its own a function.",
    "parameters": "Put those that go together into a record.",
    "functions without a docstring": "Say in a sentence what the caller gets.",
}

LINES = {  # of code, by folder
    ".": 890,  # judges opened elsewhere; the registry of secrets, and how escapes are undone
    "analysis": 2760,  # its functions of the API, pages, next steps; the systems of claims
    "answers": 6240,  # answers as units of any judge; columns of users; what a denial leaves out
    "ask": 4575,  # recipes of judges; the outcomes of calls: unusable replies, streams; weights
    "claim_support": 1370,  # claims anchored in their sentence, abstentions, what nobody judges
    "cli": 1065,  # the one place where judges are opened; who judges a user's rows; interrupts
    "data": 0,
    "ehds": 2603,
    "files": 1140,  # nested rows, Arrow, separators, quotes left open, what damaged ones hold
    "graph_answers": 6100,  # paths of four triples, passages of open graphs, others' contexts
    "graphs": 7040,  # what OWL says; several files as one graph; plain rows; a licence to assert
    "http": 600,  # what a key looks like
    "interop": 866,
    "ledger": 2200,  # guests that leave no file, links as hashes, passages once, rows of users
    "passages": 930,
    "people": 9985,  # practice, first reader, webhooks; imports with rows, codes, scales
    "replies": 2940,  # tool calls as text: 24 dialects, what tells of one; errors of programs
    "runs": 2368,
    "stats": 2440,
    "stores": 1460,
    "report": 1380,  # what cannot be told or compared and why; narrow tables without zeros
    "text": 795,
}
SLACK = 1.1

COMPOSED = ("main", "demo", "annotate", "score")  # of cli/: what puts slices together

# From the ground up. A folder imports only from bands below its own; in its own band only itself
# or, for the kernel, its neighbours. Of the slices, two build on others.
BANDS = (
    ("model", "label_values", "campaign_model", "errors", "lazily", "redaction", "version"),
    ("text", "stats", "replies", "report", "files"),
    ("http", "ledger", "ask", "stores", "passages"),
    ("cli",),  # the frame of commands: console, options
    ("ehds",),
    ("answers", "runs", "people", "graphs", "graph_answers", "claim_support"),
    ("analysis", "interop"),  # over what the slices made
    (*COMPOSED, "measured", "judges", "api", "__init__"),
    ("__main__",),
)
KERNEL = 3
ALSO = {
    ("graph_answers", "graphs"),
    ("graph_answers", "runs"),
    ("runs", "answers"),
    ("claim_support", "graphs"),  # its judges, rubrics and scores
    ("main", "demo"),
    ("demo", "measured"),
    ("__init__", "api"),
    ("__init__", "measured"),
    ("api", "measured"),
    ("api", "annotate"),
    ("judges", "annotate"),  # which protocol has units of a kind
    ("score", "annotate"),
}

# What is where in a slice; `core/` beside it is pure. CONTRIBUTING says what each is for.
FILES = (
    *("options", "reading", "judges", "study", "results"),
    *("tables", "page", "result_files", "command"),
)
SLICES = ("answers", "runs", "people", "graphs", "graph_answers", "claim_support", "analysis")
WITHOUT = {
    "runs/judges": "a run's answers are judged as all answers are, in answers/",
    "runs/results": "what a run comes to are the results of answers/",
    "runs/page": "its report is that of answers/, with the table of runs",
    "runs/result_files": "its files are those of answers/",
    "people/command": "they are many: people/commands/ has a file for each group",
    "analysis/judges": "it judges nothing; it reads what was judged",
    "analysis/study": "it has three, each by its name: agree, compare, plan",
    "analysis/page": "its results are shown in a terminal and as files",
}

VAGUE = {"one", "found", "told", "made", "said"}
# As names of functions these tell nobody what the call gives; a method may be called `of`.
RIDDLES = {*VAGUE, "announces", "ended", "joined", "learn", "marked", "of", "owned", "readable"}

NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|BEGIN|COMMIT)\b(?! ?[?{])")


Function = ast.FunctionDef | ast.AsyncFunctionDef
KINDS = Function | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Constant | ast.Name | ast.arg


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every file."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """The nodes that are looked at, by file."""
    return {
        path: [node for node in ast.walk(tree) if isinstance(node, KINDS)]
        for path, tree in trees().items()
    }


def of_kind(*kinds: type) -> Iterator[tuple[Path, Any]]:
    return ((path, node) for path, held in nodes().items() for node in held if type(node) in kinds)


def functions() -> Iterator[tuple[str, Function]]:
    for path, node in of_kind(ast.FunctionDef, ast.AsyncFunctionDef):
        yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", node


@cache
def n_lines(path: Path) -> int:
    """Lines of code: without docstrings, comments and blank lines."""
    text = path.read_text("utf-8")
    kept = {
        line
        for token in tokenize.generate_tokens(StringIO(text).readline)
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(trees()[path]):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                kept -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(kept)


def folder_lines() -> Counter[str]:
    """Lines of code by folder of the package; those of its root under `.`."""
    sizes: Counter[str] = Counter()
    for path in nodes():
        folder, *rest = path.relative_to(SOURCE).parts
        sizes[folder if rest else "."] += n_lines(path)
    return sizes


def n_of_parameters(node: Function) -> int:
    """Of a function that is handed them; typer reads a command's options from its own."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    count = len([name for name in names if name not in {"self", "cls"}])
    return 0 if count > 8 and is_command(node) else count


def n_of_body(node: Function) -> int:
    """The lines of a function without its signature and docstring."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_command(node: Function) -> bool:
    """Whether typer reads the command's options from the function's parameters."""
    return "typer." in "".join(map(ast.unparse, [*node.decorator_list, node.args]))


def part(module: str) -> str:
    """The folder of a module, as `BANDS` name it."""
    first, *rest = module.split(".")
    return rest[0] if first == "cli" and rest and rest[0] in COMPOSED else first


def place(path: Path) -> str:
    return part(".".join(path.relative_to(SOURCE).with_suffix("").parts))


def band(name: str) -> int:
    return next((level for level, names in enumerate(BANDS) if name in names), len(BANDS))


def imports() -> list[tuple[str, str, Path]]:
    """Who imports whom, folder by folder, once per file."""
    found = {
        (place(path), part(f"{node.module}.{name.name}".removeprefix("factmark.")), path)
        for path, node in of_kind(ast.ImportFrom)
        if (node.module or "").startswith("factmark")
        for name in node.names
        if not (node.module == "factmark" and name.name.startswith("__"))
    }
    return sorted(triple for triple in found if triple[0] != triple[1])


@cache
def modules() -> dict[str, Path]:
    """Module -> its file; a package is its `__init__`."""
    return {
        ".".join(("factmark", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in nodes()
    }


def imported(path: Path) -> set[str]:
    """Every module of ours that a file names: for its types only and inside functions, too."""
    names: set[str] = set()
    for node in nodes()[path]:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = node.module or ""
            whole = [f"{package}.{alias.name}" for alias in node.names]
            names |= {name if name in modules() else package for name in whole}
    return names & modules().keys()


def circles() -> list[list[str]]:
    """Modules that need each other. The one exception: a module may stand in a package that lists
    it for its users, since such a list is loaded when somebody uses it (`lazily`).
    """
    edges = {name: imported(path) - {name} for name, path in modules().items()}
    reached = {name: reachable(name, edges) for name in edges}
    rings = {
        tuple(sorted({name, *(other for other in reached[name] if name in reached[other])}))
        for name in edges
        if name in reached[name]
    }
    return sorted(map(list, rings))


def reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    """All that a module imports, and what that imports."""
    reached: set[str] = set()
    ahead = [start]
    while ahead:
        ahead += (new := edges[ahead.pop()] - reached)
        reached |= new
    return reached


def against_the_bands() -> list[str]:
    return [
        f"{path.relative_to(SOURCE)} imports {other}"
        for here, other, path in imports()
        if (here, other) not in ALSO
        and (band(other) > band(here) or band(other) == band(here) >= KERNEL)
    ]


def with_sql() -> set[Path]:
    """Files that read or write the ledger by statements of their own."""
    return {
        path
        for path, node in of_kind(ast.Constant)
        if isinstance(node.value, str)
        and SQL.match(node.value)
        and place(path) != "ledger"
        and "factmark.ledger" in path.read_text("utf-8")
    }


def with_aiohttp() -> set[Path]:
    return {
        path for path, node in of_kind(ast.Import, ast.ImportFrom) if "aiohttp" in ast.unparse(node)
    }


def vague_names() -> Counter[str]:
    """Locals and parameters that say nothing of what they hold, by folder."""
    return Counter(
        place(path)
        for path, node in of_kind(ast.Name, ast.arg)
        if (isinstance(node, ast.arg) and node.arg in VAGUE)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE)
    )


def riddles() -> list[str]:
    """Functions, and methods other than `of`, whose name tells nobody what they give."""
    top = {id(node) for tree in trees().values() for node in tree.body}
    return [
        name
        for name, node in functions()
        if node.name.strip("_") in RIDDLES - (set() if id(node) in top else {"of"})
    ]


def undocumented() -> list[str]:
    """Functions of modules, and methods, that do not say what their caller gets."""
    return [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path, tree in trees().items()
        for top in tree.body
        for node in (top.body if isinstance(top, ast.ClassDef) else [top])
        if isinstance(node, Function)
        and not (node.name.startswith("__") or ast.get_docstring(node))
    ]


def kept_from_the_formatter() -> Counter[str]:
    """Lines that say how they are to be set, by folder: the formatter is to have them all."""
    return Counter(
        place(path)
        for path in nodes()
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"# fmt: (skip|off)", line)
    )


@cache
def largest() -> dict[str, tuple[int, object]]:
    """Figure -> how much of it there is, and where."""
    folders = Counter(path.parent for path in nodes())
    lengths = {path: n_lines(path) for path in nodes()}
    long = {name: n_of_body(node) for name, node in functions()}
    wide = {name: n_of_parameters(node) for name, node in functions()}
    classes = Counter(node.name for _, node in of_kind(ast.ClassDef))
    twice = sorted(name for name, count in classes.items() if count > 1)
    wrong = against_the_bands()
    return {
        "files in a folder": (max(folders.values()), folders.most_common(4)),
        "lines of a file": (max(lengths.values()), max(lengths, key=lengths.__getitem__)),
        "lines of a function": (max(long.values()), sorted(long, key=long.__getitem__)[-4:]),
        "lines of the median function": (int(median(long.values())), len(long)),
        "parameters": (max(wide.values()), sorted(wide, key=wide.__getitem__)[-4:]),
        "class names used twice": (len(twice), twice),
        "imports against the bands": (len(wrong), wrong),
        "files with SQL outside of ledger/": (len(with_sql()), with_sql()),
        "files that import aiohttp": (len(with_aiohttp()), with_aiohttp()),
        "vague names": (vague_names().total(), vague_names()),
        "names of functions that are riddles": (len(riddles()), riddles()),
        "lines kept from the formatter": (
            kept_from_the_formatter().total(),
            kept_from_the_formatter(),
        ),
        "functions without a docstring": (len(undocumented()), undocumented()),
    }


@pytest.mark.parametrize("name", MOST)
def test_nothing_is_larger_than_agreed(name: str) -> None:
    amount, where = largest()[name]
    advice = ADVICE.get(name, "")
    assert amount <= MOST[name], f"{name}: {amount}, and at most {MOST[name]} ({where}). {advice}"


def test_each_folder_keeps_its_budget() -> None:
    over = {
        name: f"{lines} lines of code, budget {LINES.get(name, 0)}"
        for name, lines in folder_lines().items()
        if lines > SLACK * LINES.get(name, 0)
    }
    assert not over, f"{over}: raise LINES in a commit that says what the lines buy"


def test_no_two_modules_need_each_other() -> None:
    """A circle hides in imports for types only or inside a function: they count like any other."""
    assert circles() == []


def test_every_slice_has_the_same_names() -> None:
    """Who knows one slice finds the way in all: a file of each name, or a reason why there is none.

    A reason for a file that is there is out of date, and fails too.
    """
    lacking = {
        f"{folder}/{name}"
        for folder in SLICES
        for name in FILES
        if SOURCE / folder / f"{name}.py" not in nodes()
    }
    assert lacking == WITHOUT.keys()


def test_only_commands_need_a_command() -> None:
    """Options, studies and all else of a slice work without typer's commands, as from Python."""
    of_commands = re.compile(r"factmark\.\w+\.commands?(\.|$)")
    needing = [
        name
        for name, path in modules().items()
        if place(path) in SLICES and not of_commands.match(name)
        for other in imported(path)
        if of_commands.match(other)
    ]
    assert needing == []


def test_an_exit_status_is_named() -> None:
    """A command ends with a status of `cli/exit_status.py`, and so with one that the docs list."""
    numbers = [
        f"{path.relative_to(SOURCE)}: {exit}"
        for path in nodes()
        for exit in re.findall(r"(?:\bExit|SystemExit|sys\.exit)\(\d+\)", path.read_text("utf-8"))
    ]
    assert numbers == []


def test_what_is_imported_is_there() -> None:
    """A file that was moved while somebody else began to use it is told here, before it is met.

    Imports in tests, benchmarks and documents count, too.
    """
    root = Path(__file__).parent.parent
    files = [
        path
        for folder in ("tests", "benchmarks", "docs")
        for path in root.glob(f"{folder}/**/*.py")
    ]
    pattern = re.compile(r"^\s*(?:from|import) (factmark[\w.]*)", re.MULTILINE)
    lacking = {
        f"{path.relative_to(root)}: {module}"
        for path in (*files, *nodes())
        for module in pattern.findall(path.read_text("utf-8"))
        if module not in modules()
    }
    assert lacking == set()


def test_every_folder_has_its_band() -> None:
    names = {place(path) for path in nodes()}
    assert {name for name in names if band(name) == len(BANDS)} <= {"data"}


if __name__ == "__main__":  # the figures, to put into MOST and LINES
    for name, (amount, where) in largest().items():
        print(f"{name}: {amount}   {str(where)[:2000]}")
    print(dict(sorted(folder_lines().items())), folder_lines().total())
