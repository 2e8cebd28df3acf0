"""docs/coverage.md from the rows of the simulations."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean

Row = dict[str, object]

COLUMNS = (
    "module",
    "statistic",
    "method",
    "setting",
    "n",
    "coverage",
    "mean_width",
    "used",
    "runs",
    "width_ratio",
    "may_widen",
    "undefined",
)
BAR, BAR_OF_ITEMS, WIDENED = 0.94, 0.935, 1.05
HEAD = """# How often the intervals hold the truth

<!-- `make coverage` writes this page and coverage.csv; edit benchmarks/coverage instead. -->

An interval of 95 % should hold the truth in 95 of 100 studies. Here studies are drawn, seeded, from
what has a known truth, and counted. `make coverage` does it again (`QUICK=1` for few runs);
[coverage.csv](coverage.csv) has every figure, those of methods that are not used included.
Simulated figures are uncertain themselves: at 95 % the standard error is 0.7 points with 1,000
runs, 0.35 with 4,000, 0.15 with 20,000. The lowest of many settings is low by chance too.
"""
ABOUT = {
    "corrected share over items": "As the bar's grid, but the 10,000 units come in items of eight "
    "whose truths correlate with 0.3; people label whole items, or units at random. n is units.",
    "corrected share, labels by verdict": "As the bar's grid, with as many labels on each verdict.",
    "corrected half credit": "People and judge say yes, maybe or no, worth 1, 1/2 and 0.",
    "corrected rating": "People and judge give 0 to 5, binomial; the judge is one off or agrees.",
    "mean corrected by a line": "A judge of ratings or scores, of 2,000 units; people say what n "
    "of them are worth. PPI++ and people alone on the same draws.",
    "mean corrected by a line, other draws": "The same with whole items of eight units (n is "
    "items), with strata labelled alike, or with a judge that leaves units open.",
    "corrected answers": "C, H and S of 200 answers of domains of which the rules had learnt "
    "nothing (of 3,732 marked answers, drawn with replacement); n of them are marked.",
    "corrected difference": "Two systems on 200 items, n of them labelled in both: answers of "
    "unseen domains, verdicts and scores of judges that share errors and favour B.",
    "slices at once": "2,000 units; coverage is how often the intervals of all slices hold, the "
    "width that of one. n is the labels of all slices.",
    "mean by labels drawn where people lie off": "2,000 units, 50 labels at random, then 100 more: "
    "at random, or as `factmark analyse --sheet` draws them, weighted by a line with steps. The "
    "truth is the mean of the units; so many fewer labels give as wide an interval as 150 at "
    "random. At any time: five looks on the way; the widths are the last ones.",
    "no bias of a judge": "Length, position, system and slice are tested, none of which matters; "
    "coverage is how often none is found.",
    "bias of a judge": "The judge gives the longer half 0.1 more; coverage is how often that is "
    "**not** found among four columns. Of yes or no verdicts such a bias is hard to see: beside it "
    "stands the most powerful test that there is (Neyman and Pearson's), which knows the halves, "
    "the judge's rates and the bias itself; where it misses over 20 %, none finds 80 %.",
    "corrected share": "A judge of yes and no; in the settings that say so, 5 % of its verdicts "
    "are none.",
    "share": "Independent units; exact, by adding up binomial probabilities. n is units.",
    "ratio over clusters": "Yes/no units in clusters. n is clusters.",
    "mean over clusters": "Scores of answers, between 0 and 1, some exactly 0 or 1. n is clusters.",
    "alpha": "Krippendorff's, of two raters who err independently. n is units.",
    "AC1": "Gwet's, of the same ratings.",
    "kappa": "Cohen's, of the same ratings.",
    "difference of two systems": "Differences on the same items. n is items.",
    "test of no difference": "Two systems that do not differ; coverage is how often no difference "
    "is claimed at the 5 % level.",
    "stopping": "Rules that look at the labels again and again and stop when the interval is "
    "narrow enough. n is the labels used on average; `worst of all` is over all accuracies.",
    "two-stage mean": "Clusters drawn by size, five units of each. n is labels.",
    "stratified mean": "Five strata that differ, labelled by their sizes. n is labels.",
    "simple random mean": "As many labels from the same strata, ignoring them.",
    "corrected share, for units": "A table of units of which a part is judged, and a part of these "
    "labelled. The truth is the mean of that very table.",
    "corrected share, for process": "The same, the truth being what tables are drawn from.",
    "mean over clusters, for units": "Questions of which a random part has an answer. n is "
    "questions. The truth is the mean of that very table.",
    "mean over clusters, for process": "The same, the truth being what tables are drawn from.",
    "ratio over clusters, for units": "Triples drawn at random from heads with three each. n is "
    "heads. The truth is the mean of that very table.",
    "ratio over clusters, for process": "The same, the truth being what tables are drawn from.",
}

PEERS = """## Beside other tools

The same {runs:,} draws of each setting given to factmark (`fm.correct`), to people's labels alone,
and to truescore 0.7.4, ppi-python 0.2.3 (PPI++) and judgy 0.1.0 (200 resamples), each called as its
documentation has it: the share of the intervals at 95 % that hold the truth / their mean width,
**bold** from 93.5 %. – is a design that a tool does not take. 2,000 units, n labels; of whole items
n items of eight units. A narrow interval that misses is no gain. In the last but three lines nobody
tells the tool that strata were labelled at unlike rates, which no interval is made for;
`factmark analyse` reports such rates. `benchmarks/coverage/peers.py` does it again.
"""


def number(row: Row, column: str) -> float:
    value = row[column]
    assert isinstance(value, (int, float))
    return float(value)


def coverage(row: Row) -> float:
    return number(row, "coverage")


def share(value: float) -> str:
    return f"{100 * value:.1f} %"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in rows) + "\n"


def cell(row: Row) -> str:
    n = number(row, "n")
    return f"{row['setting']}" + ("" if n != n else f", n {n:,.0f}")


def of_bar(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["width_ratio"] is not None]


def bar_of_correction(rows: Sequence[Row]) -> Iterator[str]:
    """The corrected share's grid against what it is held to."""
    grid = of_bar(rows)
    lowest = min(grid, key=coverage)
    bound = [row for row in grid if not row["may_widen"]]
    ratio = fmean(number(row, "width_ratio") for row in bound)
    met = coverage(lowest) >= BAR and ratio <= WIDENED
    settings = {row["setting"] for row in grid}
    others = [
        row
        for row in rows
        if row["module"] == "correction" and not row["used"] and row["setting"] in settings
    ]
    yield "## The bar: a share corrected for the judge\n"
    yield (
        "10,000 units, a judge of all and people's labels of n at random; the judge is right on "
        "80, 90 or 95 % either way, or lenient: it calls 98 % of the true units true and 80 % of "
        f"the false. `mover`, the default, at 95 %, {grid[0]['runs']:,} runs of each cell.\n"
    )
    yield (
        f"**The bar is {'met' if met else 'not met'}**: the lowest coverage is "
        f"{share(coverage(lowest))} ({cell(lowest)}; the bar is {share(BAR)}), and intervals are "
        f"on average {share(ratio - 1)} wider than with plain Jeffreys intervals in the cells (the "
        f"bar is {share(WIDENED - 1)}, over the {len(bound)} cells where it applies).\n"
    )
    judges = list(dict.fromkeys(str(row["setting"]).split(", ")[1] for row in grid))
    found = {(str(row["setting"]), row["n"]): row for row in grid}
    keys = list(dict.fromkeys((str(r["setting"]).split(", ")[0], r["n"]) for r in grid))
    yield table(
        ["truth", "labels", *judges],
        [
            [p, str(n), *(share(coverage(found[f"{p}, {judge}", n])) for judge in judges)]
            for p, n in keys
        ],
    )
    yield "The other methods on the same samples:\n"
    yield by_method([*grid, *others])


def bar_of_items(rows: Sequence[Row]) -> str:
    lowest = min(rows, key=coverage)
    met = "met" if coverage(lowest) >= BAR_OF_ITEMS else "not met"
    return (
        f"**The bar of {share(BAR_OF_ITEMS)} is {met}**: the lowest is {share(coverage(lowest))} "
        f"({cell(lowest)}).\n"
    )


def by_method(rows: Sequence[Row]) -> str:
    """A line per method: how low it goes and where."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row["method"]), []).append(row)
    lines = []
    for method, group in groups.items():
        lowest = min(group, key=coverage)
        widths = [number(r, "mean_width") for r in group if r["mean_width"] is not None]
        widths = [width for width in widths if width == width]
        lines.append(
            [
                f"**{method}**" if group[0]["used"] else method,
                str(len(group)),
                share(coverage(lowest)),
                cell(lowest),
                share(fmean(map(coverage, group))),
                f"{fmean(widths):.3f}" if widths else "",
                " and ".join(dict.fromkeys(f"{row['runs']}" for row in group)),
            ]
        )
    return table(["method", "settings", "lowest", "where", "mean", "width", "runs each"], lines)


def worst(rows: Sequence[Row]) -> str:
    """The lowest of each statistic among the methods that the package uses."""
    lines = []
    used = sorted((row for row in rows if row["used"]), key=lambda row: str(row["statistic"]))
    for statistic, group in groupby(used, key=lambda row: str(row["statistic"])):
        for row in sorted(group, key=coverage)[:2]:
            lines.append((coverage(row), [statistic, cell(row), share(coverage(row))]))
    return table(["statistic", "where", "coverage"], [line for _, line in sorted(lines)])


def page(rows: Sequence[Row], *, quick: bool = False) -> str:
    """The whole page."""
    parts = [HEAD]
    if quick:
        parts.append("**This page is from a quick run: the figures are rough.**\n")
    parts += ["## The lowest first\n", "Of each statistic the two settings held least.\n"]
    parts += [worst(rows), *bar_of_correction(rows)]
    done = {(row["setting"], row["n"]) for row in of_bar(rows)}
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["statistic"] != "corrected share" or (row["setting"], row["n"]) not in done:
            groups.setdefault(str(row["statistic"]), []).append(row)
    for statistic, group in groups.items():
        parts.append(f"## {statistic[0].upper()}{statistic[1:]}\n")
        parts.append(ABOUT.get(statistic, "") + "\n")
        if statistic == "corrected share over items":
            parts.append(bar_of_items(group))
        parts.append(by_method(group))
    return "\n".join([*parts, beside_peers()])


def beside_peers() -> str:
    """A line per setting, a column per tool: coverage, and the interval's mean width."""
    with Path(__file__).with_name("peers.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    figures: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        text = f"{100 * float(row['coverage']):.1f} / {float(row['mean_width']):.3f}"
        if float(row["coverage"]) >= BAR_OF_ITEMS:
            text = f"**{text}**"
        figures.setdefault((row["setting"], row["n"]), {})[row["tool"]] = text
    lines = [
        [setting, n, *(cells.get(tool, "–") for tool in tools)]
        for (setting, n), cells in figures.items()
    ]
    return f"{PEERS.format(runs=int(rows[0]['runs']))}\n{table(['setting', 'n', *tools], lines)}"
