"""What two other packages say of the ratings in `ratings.json`, each written to a file by its name.

irrCAC pins an old scipy, so it is run apart, each package in an environment of its own:

    python3 -m venv irr && irr/bin/pip install irrCAC==0.4.4
    python3 -m venv kr && kr/bin/pip install krippendorff==0.9.0
    python3 tests/data/agreement/record.py ratings
    irr/bin/python tests/data/agreement/record.py irrCAC
    kr/bin/python tests/data/agreement/record.py krippendorff

The first command draws the ratings; the published tables in it are written out below.
"""

import json
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
N = None
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section D: four observers.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
# Fleiss 1971, "Measuring nominal scale agreement among many raters", table 1: the six diagnoses of
# each of thirty patients. Who gave which is not said; kappa does not ask.
FLEISS = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 "
    "144444 224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 "
    "111155 224444 133333 555555"
).split()


def of_table(cells):
    """Two raters' ratings from their table of counts."""
    pairs = [
        (a, b) for a, row in enumerate(cells) for b, count in enumerate(row) for _ in range(count)
    ]
    return [[a for a, _ in pairs], [b for _, b in pairs]]


def drawn(seed, raters, units, labels, missing, near):
    """Ratings near a true label, some of them missing."""
    source = random.Random(seed)
    truth = [source.choice(labels) for _ in range(units)]
    columns = []
    for _ in range(raters):
        column = []
        for label in truth:
            place = labels.index(label) + source.choice([-1, 0, 0, 0, 1])
            said = labels[min(max(place, 0), len(labels) - 1)] if near else source.choice(labels)
            column.append(N if source.random() < missing else said)
        columns.append(column)
    return columns


def ratings():
    six, five = [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5]
    return {
        name: {"labels": labels, "raters": raters}
        for name, labels, raters in [
            ("krippendorff 2011", five, KRIPPENDORFF),
            ("fleiss 1971", five, [[int(given[place]) for given in FLEISS] for place in range(6)]),
            ("two by two", [0, 1], of_table([[20, 5], [10, 15]])),
            ("one prevails", [0, 1], of_table([[118, 5], [2, 0]])),
            ("three by three", [0, 1, 2], of_table([[2, 1, 0], [0, 2, 1], [0, 0, 2]])),
            ("two raters, 0 to 5", six, drawn(1, 2, 60, six, 0, True)),
            ("uneven values", [0, 1, 4], drawn(2, 2, 40, [0, 1, 4], 0, True)),
            ("four raters, some missing", five, drawn(3, 4, 40, five, 0.35, True)),
            ("many raters, most missing", [0, 1, 2], drawn(4, 9, 60, [0, 1, 2], 0.75, True)),
            ("by chance", [0, 1, 2, 3], drawn(5, 3, 50, [0, 1, 2, 3], 0.1, False)),
        ]
    }


def by_irrcac(one):
    import numpy as np
    import pandas as pd
    from irrCAC import raw, table
    from irrCAC.weights import Weights

    found = {}
    frame = pd.DataFrame(one["raters"], dtype=float).T
    two = len(one["raters"]) == 2
    for weights in ("identity", "linear", "quadratic", "ordinal"):
        cac = raw.CAC(frame, weights=weights, categories=one["labels"], digits=12)
        for name in ("gwet", "fleiss", "krippendorff"):
            found[f"{name} {weights}"] = float(getattr(cac, name)()["est"]["coefficient_value"])
        found["exact agreement"] = float(
            raw.CAC(frame, categories=one["labels"], digits=12).gwet()["est"]["pa"]
        )
        if two:
            cells = np.zeros((len(one["labels"]), len(one["labels"])))
            for a, b in zip(*one["raters"], strict=True):
                cells[one["labels"].index(a), one["labels"].index(b)] += 1
            frame_of_cells = pd.DataFrame(cells, index=one["labels"], columns=one["labels"])
            cac = table.CAC(
                frame_of_cells, Weights(one["labels"])[weights], digits=12
            )  # else by place
            found[f"cohen {weights}"] = float(cac.cohen()["est"]["coefficient_value"])
    return found


def by_krippendorff(one):
    import krippendorff
    import numpy as np

    data = np.array(one["raters"], dtype=float)
    return {
        metric: float(
            krippendorff.alpha(data, value_domain=one["labels"], level_of_measurement=metric)
        )
        for metric in ("nominal", "ordinal", "interval")
    }


def write(name, what):
    text = json.dumps(what).replace('"}, "', '"},\n"').replace("}, ", "},\n")
    (HERE / name).write_text(text + "\n", "utf-8")


def main(package):
    if package == "ratings":
        write("ratings.json", ratings())
        return
    given = json.loads((HERE / "ratings.json").read_text("utf-8"))
    of = {"irrCAC": by_irrcac, "krippendorff": by_krippendorff}[package]
    write(f"{package}.json", {name: of(one) for name, one in given.items()})


if __name__ == "__main__":
    main(sys.argv[1])
