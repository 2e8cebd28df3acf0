"""Writes docs/numbers.md and its pictures from docs/numbers.template.md (`make docs`).

Every figure of the page is computed here by the package; `--check` only compares, and runs the
page's Python examples.
"""

from __future__ import annotations

import doctest
import math
import random
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from plots import coverage_plot, curve_plot, interval_plot
from published_corrections import ppi_plus_plus, rogan_gladen

from factmark.model import Estimate
from factmark.stats import (
    Agreement,
    Ratings,
    corrected_share,
    correction,
    difference,
    expected_strata,
    holm,
    measure_agreement,
    needs,
    ratio_over_clusters,
    sequential_interval,
    stopping,
    wilson,
)
from factmark.stats.corrections import Method
from factmark.stats.intervals import ShareInterval, beta_quantile, clopper_pearson, normal_quantile

DOCS = Path(__file__).parent
AGREEMENTS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
SHARES = (0.5, 0.8, 0.95)
METHODS: dict[str, Method] = {
    "judge alone": "judge-only",
    "people alone": "human-only",
    "corrected": "mover",
}
Figures = dict[str, str]
_PLACE = re.compile(r"\{\{ *([^{} ][^{}]*?) *\}\}")


def shown(estimate: Estimate | None) -> str:
    return (
        "–"
        if estimate is None
        else f"{share(estimate.value)} [{share(estimate.low)}–{share(estimate.high)}]"
    )


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def named(prefix: str, estimate: Estimate | None) -> Figures:
    if estimate is None:
        return {}  # what the page then asks for is told as unknown
    parts = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {f"{prefix}.{name}": share(part) for name, part in parts.items()} | {
        prefix: shown(estimate)
    }


def by_hand() -> Figures:
    """The worked example: 1,000 triples, 800 called supported, 100 labels."""
    verdicts = ["supported"] * 800 + ["not supported"] * 200
    people = {i: i < 72 for i in range(75)} | {800 + i: i < 10 for i in range(25)}
    found = correction(verdicts, people)
    return (
        named("hand.corrected", found.corrected)
        | named("hand.judge", found.judge_only)
        | named("hand.people", found.human_only)
        | {
            "hand.sensitivity": shown(found.sensitivity),
            "hand.specificity": shown(found.specificity),
            "hand.effective": f"{found.effective_labels:.0f}",
        }
    )


def simulated() -> tuple[dict[str, Estimate], float]:
    """5,000 triples of which 4,500 are true, a judge that errs in a tenth, 300 labels; seed 0."""
    drawn = random.Random(0)
    truth = [place < 4_500 for place in range(5_000)]
    verdicts = ["supported" if one == (drawn.random() < 0.9) else "not supported" for one in truth]
    people = {place: truth[place] for place in drawn.sample(range(len(truth)), 300)}
    made = {name: corrected_share(verdicts, people, method=how) for name, how in METHODS.items()}
    worth = [float(verdict == "supported") for verdict in verdicts]
    made |= {"PPI++": ppi_plus_plus(worth, people), "Rogan-Gladen": rogan_gladen(worth, people)}
    return made, sum(truth) / len(truth)


def plan(true: float, agreement: float) -> tuple[int, int, int]:
    """Labels for ±0.02: people alone, with the judge at random, with the judge by verdict."""
    made = needs(expected_strata(true, agreement, agreement), 0.02, verdicts=100_000)
    alone, at_random, by_verdict = (need.labels or 0 for need in made)
    return alone, at_random, by_verdict


def helps() -> Figures:
    rows = []
    for true in SHARES:
        for agreement in (0.5, 0.7, 0.8, 0.9, 0.95):
            alone, at_random, by_verdict = plan(true, agreement)
            rows.append(
                f"| {true:g} | {agreement:g} | {alone:,} | {at_random:,} | {by_verdict:,} |"
            )
    common = needs(expected_strata(0.95, 0.9, 0.9), 0.01)
    return {"helps.rows": "\n".join(rows)} | {
        f"plan.{name}": f"{need.labels:,}"
        for name, need in zip(("people", "random", "verdict"), common, strict=True)
    }


def chance() -> Figures:
    """A judge that tosses a coin, over 1,000 triples; 100 labels, 80 of them true."""
    verdicts = ["supported", "not supported"] * 500
    people = {place: place < 80 for place in range(100)}
    found = correction(verdicts, people)
    return (
        named("chance.corrected", found.corrected)
        | named("chance.people", found.human_only)
        | named("chance.judge", found.judge_only)
        | {"chance.effective": f"{found.effective_labels:.0f}"}
    )


def clusters() -> Figures:
    """20 heads of 10 triples: 14 all right, 4 half right, 2 all wrong."""
    heads = [[1.0] * 10] * 14 + [[1.0] * 5 + [0.0] * 5] * 4 + [[0.0] * 10] * 2
    tallies = {f"head {place}": values for place, values in enumerate(heads)}
    found, alone = ratio_over_clusters(tallies), wilson(0.8, 200)
    effect = found.design_effect or 1.0
    return named("clusters", found) | {
        "clusters.alone": f"[{share(alone[0])}–{share(alone[1])}]",
        "clusters.effect": f"{effect:.1f}",
        "clusters.worth": f"{200 / effect:.0f}",
    }


def missing() -> Figures:
    """1,000 triples, one of each head; 900 verdicts, 720 of them supported."""
    tallies = {f"head {place}": [float(place < 720)] for place in range(900)}
    found = ratio_over_clusters(tallies, n_missing=100)
    return named("missing", found) | {
        "missing.worst": share(found.worst),
        "missing.best": share(found.best),
    }


def rated(both: int, first: int, second: int, neither: int) -> Agreement:
    """Two people: yes twice, yes and no, no and yes, no twice."""
    sorts = (("yes", "yes", both), ("yes", "no", first), ("no", "yes", second))
    rows = [{"A": a, "B": b} for a, b, n in (*sorts, ("no", "no", neither)) for _ in range(n)]
    places = [str(place) for place in range(len(rows))]
    return measure_agreement(Ratings(labels=("yes", "no"), rows=rows, clusters=places))


def agreement() -> Figures:
    made: Figures = {}
    for name, counts in (("even", (46, 4, 4, 46)), ("rare", (92, 4, 4, 0))):
        found = rated(*counts)
        made |= named(f"{name}.exact", found.exact)
        made |= named(f"{name}.alpha", found.alpha)
        made |= named(f"{name}.ac1", found.ac1)
        made[f"{name}.yes"] = share(found.shares["yes"])
    return made


def comparison() -> Figures:
    """100 questions: both right 68, A alone 12, B alone 2, neither 18."""
    sorts = [(1, 1)] * 68 + [(1, 0)] * 12 + [(0, 1)] * 2 + [(0, 0)] * 18
    a, b = (
        {f"q{place}": {"answer": [float(one[side])]} for place, one in enumerate(sorts)}
        for side in (0, 1)
    )
    found = difference(a, b)
    raw = (0.004, 0.02, 0.03, 0.04, 0.3)
    return (
        named("pair.a", found.value_a)
        | named("pair.b", found.value_b)
        | named("pair.difference", found.difference)
        | {
            "pair.p": f"{found.p:.3f}",
            "holm.before": f"{sum(p < 0.05 for p in raw)}",
            "holm.after": f"{sum(p < 0.05 for p in holm(raw))}",
            "holm.raw": ", ".join(f"{p:g}" for p in raw),
            "holm.adjusted": ", ".join(f"{p:g}" for p in holm(raw)),
        }
    )


def missed(true: float, interval: Callable[[int, int], tuple[float, float]]) -> float:
    """How often looking after 30, 40, ..., 300 labels meets an interval without the truth; exact.

    The chances of all counts of yes so far whose intervals held the truth, look by look.
    """
    alive, wrong, last = {0: 1.0}, 0.0, 0
    for n in range(30, 301, 10):
        more, new = n - last, dict[int, float]()
        for yes, chance in alive.items():
            for k in range(more + 1):
                part = chance * math.comb(more, k) * true**k * (1 - true) ** (more - k)
                if part > 1e-12:
                    new[yes + k] = new.get(yes + k, 0.0) + part
        held = {yes for yes in new if interval(yes, n)[0] <= true <= interval(yes, n)[1]}
        wrong += math.fsum(chance for yes, chance in new.items() if yes not in held)
        alive, last = {yes: new[yes] for yes in held}, n
    return wrong


def peeking() -> Figures:
    drawn = random.Random(1)
    labels = [drawn.random() < 0.9 for _ in range(300)]
    early, end = stopping(labels[:100], 0.05), stopping(labels, 0.05)
    return {
        "peek.wilson": f"{100 * missed(0.9, lambda yes, n: wilson(yes / n, n)):.0f}",
        "peek.anytime": f"{100 * missed(0.9, sequential_interval):.0f}",
        "stop.n": f"{end.used}",
        "stop.value": share(end.estimate),
        "stop.low": share(end.low),
        "stop.high": share(end.high),
        "early.low": share(early.anytime[0]),
        "early.high": share(early.anytime[1]),
        "early.more": f"{early.expected_more}",
    }


def jeffreys(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The equal-tailed interval of the posterior under Beta(1/2, 1/2); to compare."""
    hits, rest, tail = share * n + 0.5, (1 - share) * n + 0.5, (1 - level) / 2
    low = beta_quantile(tail, hits, rest) if share > 0 else 0.0
    return low, 1 - beta_quantile(tail, rest, hits) if share < 1 else 1.0


def wald(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The textbook's share ± z standard errors; to compare."""
    half = normal_quantile((1 + level) / 2) * math.sqrt(share * (1 - share) / n)
    return share - half, share + half


def coverage(n: int = 50) -> dict[str, dict[str, float]]:
    """Exact: over all counts of yes in n labels, how likely the interval holds the share."""

    def held(interval: ShareInterval, true: float) -> float:
        return math.fsum(
            math.comb(n, k) * true**k * (1 - true) ** (n - k)
            for k in range(n + 1)
            if (bounds := interval(k / n, n, 0.95))[0] <= true <= bounds[1]
        )

    methods = {
        "wilson": wilson,
        "clopper-pearson": clopper_pearson,
        "jeffreys": jeffreys,
        "wald": wald,
    }
    return {
        f"share {true:g}": {name: held(interval, true) for name, interval in methods.items()}
        for true in (0.5, 0.8, 0.9, 0.95, 0.99)
    }


def pictures() -> dict[str, str]:
    made, truth = simulated()
    curves = {
        f"{true:g} of the triples are true": [
            (one, at_random / alone)
            for one in AGREEMENTS
            for alone, at_random, _ in [plan(true, one)]
        ]
        for true in SHARES
    }
    return {
        "intervals.svg": interval_plot(
            made,
            truth=truth,
            label="share of triples that are supported",
            title="One sample: 5,000 triples, a judge right in 90 of 100, 300 labels by people",
        ),
        "correction.svg": curve_plot(
            curves,
            reference=("without a judge", 1.0),
            x_label="how often the judge agrees with people",
            y_label="Labels needed for ±0.02, relative to people alone",
            title="A better judge saves more labels; a coin saves none",
        ),
        "coverage.svg": coverage_plot(
            coverage(), title="How often a 95 % interval from 50 labels holds the true share"
        ),
    }


def figures() -> Figures:
    made: Figures = {}
    for part in (by_hand, helps, chance, clusters, missing, agreement, comparison, peeking):
        made |= part()
    estimates, _ = simulated()
    for name, estimate in estimates.items():
        made[f"one.{name}"] = shown(estimate)
    exact = coverage()
    made["jeffreys.0.95"] = f"{100 * exact['share 0.95']['jeffreys']:.0f}"
    made["wilson.0.99"] = f"{100 * exact['share 0.99']['wilson']:.0f}"
    made |= {f"wald.{setting[6:]}": f"{100 * row['wald']:.0f}" for setting, row in exact.items()}
    return made


def page(made: Figures) -> str:
    """The template with its figures; a result that was typed by hand, or is unknown, ends it."""
    text = (DOCS / "numbers.template.md").read_text("utf-8")
    text = text[text.index("# ") :]
    bare = re.sub(r"^```.*?^```|\{\{.*?\}\}", "", text, flags=re.MULTILINE | re.DOTALL)
    if wrong := {*re.findall(r"\d\.\d{3}", bare), *(set(_PLACE.findall(text)) - made.keys())}:
        sys.exit(f"docs/numbers.template.md: not computed: {', '.join(sorted(wrong))}")
    note = "<!-- Made by `make docs` from numbers.template.md and figures.py; do not edit. -->\n\n"
    return note + _PLACE.sub(lambda found: made[found[1]], text)


def examples(text: str) -> Iterable[str]:
    """What is wrong with the page's Python examples."""
    unfenced = re.sub("^```.*$", "", text, flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(unfenced, {}, "numbers.md", None, 0)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return said


def main() -> None:
    text = page(figures())
    if wrong := "".join(examples(text)):
        sys.exit(f"an example in docs/numbers.template.md is wrong\n{wrong}")
    files = {"numbers.md": text} | {f"pictures/{name}": one for name, one in pictures().items()}
    for name, made in files.items():
        path = DOCS / name
        if "--check" not in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != made:
            sys.exit(f"docs/{name} is not what the package computes; run `make docs`")


if __name__ == "__main__":
    main()
