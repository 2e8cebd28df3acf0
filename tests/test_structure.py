"""The shape of the package: how large a file or function may be, and which way imports point.

Size is counted in tokens, not lines: a budget of lines is met by packing them. Comments,
docstrings and how lines are broken count nowhere. `structure.toml` has the budget of each folder,
and the files and functions that are larger than agreed; those may only shrink. CONTRIBUTING has
the bands.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import factmark

SOURCE = Path(factmark.__file__).parent

MOST = {
    "files in a folder": 17,
    "tokens of the median function": 90,
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
    "parameters": "Put those that go together into a record.",
    "functions without a docstring": "Say in a sentence what the caller gets.",
    "files": "Give a part that has a name of its own a file.",
    "functions": "Give a part that has a name of its own a function.",
}

TOKENS = {"files": 3000, "functions": 400}
"""How large a file and a function may be, in tokens."""

BUDGETS: dict[str, dict[str, int]] = tomllib.loads(
    Path(__file__).with_name("structure.toml").read_text("utf-8")
)
"""`folders`: the tokens that each may grow to. `files`, `functions`: those larger than `TOKENS`,
as large as they were. `dense`: how often each dense form stood in the package."""

DENSE = {  # what a reader has to take apart, and how it is written instead
    "a sequence times a truth value": "Append under an `if`.",
    "a conditional expression within another": "Write `if` and `elif`.",
    "a comprehension over more than two loops": "Write loops, or give the inner ones a name.",
    "a lambda kept in a name": "Write a function.",
    "a name `some`": "Call it what it is: the group, the units, the tasks of one.",
}

COMPOSED = ("main", "demo", "annotate", "score")  # of cli/: what puts slices together

# From the ground up. A folder imports only from bands below its own; in its own band only itself
# or, for the kernel, its neighbours. Of the slices, two build on others.
BANDS = (
    ("model", "label_values", "campaign_model", "errors", "lazily", "redaction", "version"),
    ("text", "stats", "replies", "files", "evaluated"),
    ("http", "ledger", "ask", "stores", "passages"),
    ("report", "intake"),
    ("cli",),  # the frame of commands: console, options
    ("engine",),  # parts of a study side by side; loaded where --engine is given
    ("ehds",),
    ("answers", "runs", "people", "graphs", "graph_answers", "claim_support"),
    ("analysis", "interop"),  # over what the slices made
    (*COMPOSED, "judges", "api", "__init__"),
    ("__main__",),
)
KERNEL = 3
ALSO = {
    ("graph_answers", "graphs"),
    ("graph_answers", "runs"),
    ("runs", "answers"),
    ("claim_support", "graphs"),  # its judges, rubrics and scores
    ("main", "demo"),
    ("__init__", "api"),
    ("api", "annotate"),
    ("api", "score"),
    ("judges", "annotate"),  # which protocol has units of a kind
    ("score", "annotate"),
}

# What is where in a slice; `core/` beside it is pure. CONTRIBUTING says what each is for.
FILES = (
    *("options", "reading", "judges", "study", "results"),
    *("report", "command"),
)
SLICES = ("answers", "runs", "people", "graphs", "graph_answers", "claim_support", "analysis")
WITHOUT = {
    "runs/judges": "a run's answers are judged as all answers are, in answers/",
    "runs/results": "what a run comes to are the results of answers/",
    "people/command": "they are many: people/commands/ has a file for each group",
    "analysis/judges": "it judges nothing; it reads what was judged",
    "analysis/study": "it has three, each by its name: agree, compare, plan",
}

VAGUE = {"one", "found", "told", "made", "said"}
# As names of functions these tell nobody what the call gives; a method may be called `of`.
RIDDLES = {*VAGUE, "announces", "ended", "joined", "learn", "marked", "of", "owned", "readable"}

TOKEN = re.compile(
    r"""
    (?P<blank> [\s\\]+ | \#[^\n]* )
    | [rbfuRBFU]{0,2} (?: \"{3}(?:\\.|[^\\])*?\"{3} | \'{3}(?:\\.|[^\\])*?\'{3} )
    | [rbfuRBFU]{0,2} (?: "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    | \.?\d (?: (?<=[eE])[+-]\d | [\w.] )*
    | \w+
    | \.{3} | -> | := | (?: // | \*\* | << | >> )=? | [-+*/%@&|^=<>!]=? | .
    """,
    re.VERBOSE | re.DOTALL,
)
"""As `tokenize` has them, in a fifth of its time; a formatted string is one in every Python."""

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|BEGIN|COMMIT)\b(?! ?[?{])")


Function = ast.FunctionDef | ast.AsyncFunctionDef
KINDS = {  # of nodes that a test looks at; exact types, since there are 600,000 nodes
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Constant, ast.Name, ast.arg, ast.BinOp, ast.IfExp, ast.Assign, ast.AnnAssign),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file, read, parsed and counted once for all tests."""

    name: str
    """From the package on, with slashes."""
    text: str
    tree: ast.Module
    nodes: list[ast.AST]
    """Those that a test looks at."""
    tokens: list[int]
    """By line, from line 0 on: the tokens of code up to it and with it."""

    @property
    def size(self) -> int:
        """Its tokens of code."""
        return self.tokens[-1]

    def size_of(self, node: ast.stmt) -> int:
        """The tokens of a statement, without the docstrings in it."""
        return self.tokens[node.end_lineno or 0] - self.tokens[node.lineno - 1]


@cache
def files() -> dict[Path, SourceFile]:
    """Every file of the package."""
    return {path: read_source(path) for path in sorted(SOURCE.rglob("*.py"))}


def read_source(path: Path) -> SourceFile:
    """A file with its tree and its sizes."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    nodes = []
    by_line = tokens_by_line(text)
    for node in ast.walk(tree):
        if type(node) in KINDS:
            nodes.append(node)
        match node:
            case ast.Expr(value=ast.Constant(value=str())):  # a docstring
                by_line[node.lineno] -= 1
    summed = [0]
    for line in range(1, text.count("\n") + 2):
        summed.append(summed[-1] + by_line[line])
    name = path.relative_to(SOURCE).as_posix()
    return SourceFile(name=name, text=text, tree=tree, nodes=nodes, tokens=summed)


def tokens_by_line(text: str) -> Counter[int]:
    """How many tokens of code begin on each line; a string is one, whatever is formatted in it."""
    counts: Counter[int] = Counter()
    line = 1
    for match in TOKEN.finditer(text):
        token = match[0]
        if match["blank"] is None:
            counts[line] += 1
        if "\n" in token:
            line += token.count("\n")
    return counts


def nodes() -> dict[Path, list[ast.AST]]:
    """The nodes that are looked at, by file."""
    return {path: file.nodes for path, file in files().items()}


def of_kind(*kinds: type) -> Iterator[tuple[Path, Any]]:
    return (
        (path, node)
        for path, file in files().items()
        for node in file.nodes
        if isinstance(node, kinds)
    )


def functions() -> Iterator[tuple[str, Function]]:
    for path, node in of_kind(ast.FunctionDef, ast.AsyncFunctionDef):
        yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", node


@cache
def sizes() -> dict[str, Counter[str]]:
    """Tokens of code by `folders` (the package's root is `.`), `files` and `functions`.

    Functions of one name in a file count as the largest of them.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in ("folders", "files", "functions")}
    for file in files().values():
        folder, *rest = file.name.split("/")
        found["folders"][folder if rest else "."] += file.size
        found["files"][file.name] = file.size
        for node in file.nodes:
            if isinstance(node, Function):
                name = f"{file.name}:{node.name}"
                found["functions"][name] = max(found["functions"][name], file.size_of(node))
    return found


@cache
def dense() -> dict[str, list[str]]:
    """Where each of the dense forms stands."""
    places: dict[str, list[str]] = {name: [] for name in DENSE}
    for file in files().values():
        for node in file.nodes:
            form = dense_form(node)
            if form:
                places[form].append(f"{file.name}:{node.lineno}")
    return places


def dense_form(node: Any) -> str:
    """Which of the dense forms an expression or statement is; empty where it is none."""
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            for thing, times in ((left, right), (right, left)):
                if is_truth(times) and not is_number(thing):
                    return "a sequence times a truth value"
        case ast.IfExp():
            if any(isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse)):
                return "a conditional expression within another"
        case ast.arg(arg="some") | ast.Name(id="some", ctx=ast.Store()):
            return "a name `some`"
        case ast.Assign(value=ast.Lambda()) | ast.AnnAssign(value=ast.Lambda()):
            return "a lambda kept in a name"
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            if len(node.generators) > 2:
                return "a comprehension over more than two loops"
    return ""


def is_truth(node: ast.expr) -> bool:
    """Whether an expression is true or false by its form."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id="bool" | "any" | "all" | "isinstance")):
            return True
        case ast.BoolOp():
            return all(is_truth(part) for part in node.values)
    return False


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number, or a constant by its name, so that it may be counted."""
    match node:
        case ast.Constant():
            return not isinstance(node.value, str)
        case ast.Name():
            return node.id.isupper() and node.id[0] != "_"
    return False


def n_of_parameters(node: Function) -> int:
    """Of a function that is handed them; typer reads a command's options from its own."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    count = len([name for name in names if name not in {"self", "cls"}])
    return 0 if count > 8 and is_command(node) else count


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
        and "factmark.ledger" in files()[path].text
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
    top = {id(node) for file in files().values() for node in file.tree.body}
    return [
        name
        for name, node in functions()
        if node.name.strip("_") in RIDDLES - (set() if id(node) in top else {"of"})
    ]


def undocumented() -> list[str]:
    """Functions of modules, and methods, that do not say what their caller gets."""
    return [
        f"{file.name}:{node.lineno} {node.name}"
        for file in files().values()
        for top in file.tree.body
        for node in (top.body if isinstance(top, ast.ClassDef) else [top])
        if isinstance(node, Function)
        and not (node.name.startswith("__") or ast.get_docstring(node))
    ]


def kept_from_the_formatter() -> Counter[str]:
    """Lines that say how they are to be set, by folder: the formatter is to have them all."""
    return Counter(
        place(path)
        for path, file in files().items()
        for line in file.text.splitlines()
        if re.search(r"# fmt: (skip|off)", line)
    )


@cache
def largest() -> dict[str, tuple[int, object]]:
    """Figure -> how much of it there is, and where."""
    folders = Counter(path.parent for path in nodes())
    wide = {name: n_of_parameters(node) for name, node in functions()}
    classes = Counter(node.name for _, node in of_kind(ast.ClassDef))
    twice = sorted(name for name, count in classes.items() if count > 1)
    wrong = against_the_bands()
    return {
        "files in a folder": (max(folders.values()), folders.most_common(4)),
        "tokens of the median function": (
            int(median(sizes()["functions"].values())),
            len(sizes()["functions"]),
        ),
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
        name: f"{size} tokens, budget {BUDGETS['folders'].get(name, 0)}"
        for name, size in sizes()["folders"].items()
        if size > BUDGETS["folders"].get(name, 0)
    }
    assert not over, f"{over}: raise structure.toml in a commit that says what the tokens buy"


@pytest.mark.parametrize("kind", TOKENS)
def test_what_is_too_large_only_shrinks(kind: str) -> None:
    """A file or function is no larger than agreed, or one of those that were, and did not grow."""
    most = TOKENS[kind]
    known = BUDGETS[kind]
    over = {
        name: f"{size} tokens, at most {known.get(name, most)}"
        for name, size in sizes()[kind].items()
        if size > known.get(name, most)
    }
    assert not over, f"{over}. {ADVICE[kind]}"
    done = [name for name in known if sizes()[kind][name] <= most]
    assert not done, f"{done}: small enough now; take them out of structure.toml"


@pytest.mark.parametrize("form", DENSE)
def test_no_dense_form_is_added(form: str) -> None:
    places = dense()[form]
    known = BUDGETS["dense"].get(form, 0)
    assert len(places) <= known, f"{form}: {len(places)}, at most {known} ({places}). {DENSE[form]}"


@pytest.mark.parametrize(
    ("code", "form"),
    [
        ("parts + [note] * bool(note)", "a sequence times a truth value"),
        ("'s' * (n != 1)", "a sequence times a truth value"),
        ("(n > 1) * ', …'", "a sequence times a truth value"),
        ("f'{n} more' * (not known and n > 1)", "a sequence times a truth value"),
        ("[0] * len(labels)", ""),
        ("SCALE * (x > 0)", ""),
        ("2 * (people or 0)", ""),
        ("a if b else c if d else e", "a conditional expression within another"),
        ("a if b else f(c if d else e)", ""),
        ("[a for b in c for d in b for a in d]", "a comprehension over more than two loops"),
        ("{a: d for b in c for a, d in b}", ""),
        ("key = lambda row: row.id", "a lambda kept in a name"),
        ("key: Key = lambda row: row.id", "a lambda kept in a name"),
        ("sorted(rows, key=lambda row: row.id)", ""),
        ("[row for some in groups for row in some]", "a name `some`"),
    ],
)
def test_a_dense_form_is_known_by_its_shape(code: str, form: str) -> None:
    forms = {dense_form(node) for node in ast.walk(ast.parse(code))} - {""}
    assert forms == ({form} - {""})


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("x = 1.5e-3 + .5 - 1_000", 7),
        ("a **= b // c != d", 7),
        ("t = ('it''s', \"a # b\", r'\\d', f'{x!r:>{n}}')", 12),
        ('x = """one\n# "two"\n"""; y = ...', 7),
        ("def f(a: int, /, *, b: str = '') -> None: ...  # (no code)", 21),
        ("if (n := len(x)) \\\n > 1: pass", 13),
    ],
)
def test_tokens_are_counted_as_python_does(code: str, count: int) -> None:
    """Of the last Python in which `tokenize` has a formatted string as one: counted by hand."""
    assert tokens_by_line(code).total() == count


def test_a_size_is_of_code_alone() -> None:
    """Neither words nor the breaks between lines count, so neither is saved."""
    packed = 'def add(a, b): return f"{a + b}"'
    spread = 'def add(\n    a,  # the first\n    b\n):\n\n    return f"{a + b}"  # a sum\n'
    assert tokens_by_line(packed).total() == tokens_by_line(spread).total() == 10


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
        f"{file.name}: {exit}"
        for file in files().values()
        for exit in re.findall(r"(?:\bExit|SystemExit|sys\.exit)\(\d+\)", file.text)
    ]
    assert numbers == []


def test_what_is_imported_is_there() -> None:
    """A file that was moved while somebody else began to use it is told here, before it is met.

    Imports in tests, benchmarks and documents count, too.
    """
    root = Path(__file__).parent.parent
    texts = {file.name: file.text for file in files().values()}
    for folder in ("tests", "benchmarks", "docs"):
        for path in root.glob(f"{folder}/**/*.py"):
            texts[str(path.relative_to(root))] = path.read_text("utf-8")
    pattern = re.compile(r"^\s*(?:from|import) (factmark[\w.]*)", re.MULTILINE)
    lacking = {
        f"{name}: {module}"
        for name, text in texts.items()
        for module in pattern.findall(text)
        if module not in modules()
    }
    assert lacking == set()


def test_every_folder_has_its_band() -> None:
    names = {place(path) for path in nodes()}
    assert {name for name in names if band(name) == len(BANDS)} <= {"data"}


def tables() -> Iterable[str]:
    """The lines of structure.toml, as the package is now, with a tenth to grow in each folder."""
    yield "# Tokens of code, as `python tests/test_structure.py` prints them."
    yield "# `folders` may grow to these; a commit that raises one says what the tokens buy."
    yield "# `files` and `functions` are larger than agreed and may only shrink."
    yield "\n[folders]"
    for name, size in sorted(sizes()["folders"].items()):
        yield f'"{name}" = {size + size // 10}'
    for kind, most in TOKENS.items():
        yield f"\n[{kind}]"
        for name, size in sorted(sizes()[kind].items()):
            if size > most:
                yield f'"{name}" = {size}'
    yield "\n[dense]"
    for form, places in dense().items():
        yield f'"{form}" = {len(places)}'


if __name__ == "__main__":  # what to put into MOST is told on stderr
    for name, (amount, where) in largest().items():
        print(f"{name}: {amount}   {str(where)[:2000]}", file=sys.stderr)
    for line in tables():
        print(line)
