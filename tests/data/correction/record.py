"""What ppi-python says of the data in `data.json`, written to `ppi_python.json`.

    python3 -m venv ppi && ppi/bin/pip install ppi-python==0.2.3
    ppi/bin/python tests/data/correction/record.py

The examples that come with ppi-python are fetched from a file store when they are used, so they are
not here; the data is drawn below instead, in the shapes of two of them: yes/no labels with yes/no
predictions, and ratings in [0, 1] with predictions of few values.
"""

import json
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = [  # name, seed, labelled, others, share, how often the prediction is right
    ("a good judge", 1, 100, 900, 0.7, 0.9),
    ("a poor judge", 2, 60, 440, 0.6, 0.6),
    ("worse than chance", 3, 80, 420, 0.5, 0.2),
    ("nearly all true", 4, 50, 950, 0.95, 0.9),
    ("most of them labelled", 5, 300, 100, 0.4, 0.8),
    ("always right", 6, 40, 400, 0.3, 1.0),
]


def yes_no(seed, labelled, others, share, right):
    source = random.Random(seed)
    said, judged = [], []
    for _ in range(labelled + others):
        true = source.random() < share
        said.append(int(true))
        judged.append(int(true == (source.random() < right)))
    return {"people": said[:labelled], "judge": judged}


def ratings(seed, labelled, others):
    source = random.Random(seed)
    said, judged = [], []
    for _ in range(labelled + others):
        stars = source.choice([0, 2, 3, 4, 4, 5, 5])
        said.append(stars / 5)
        judged.append(min(5, max(0, stars + source.choice([-1, 0, 0, 1]))) / 5)
    return {"people": said[:labelled], "judge": judged}


def by_ppi(one):
    import numpy as np
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    people = np.array(one["people"], dtype=float)
    judge = np.array(one["judge"], dtype=float)
    parts = people, judge[: len(people)], judge[len(people) :]
    low, high = ppi_mean_ci(*parts, alpha=0.05)
    return {
        "value": float(np.squeeze(ppi_mean_pointestimate(*parts))),
        "low": float(np.squeeze(low)),
        "high": float(np.squeeze(high)),
    }


def write(name, what):
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in what.items())
    (HERE / name).write_text("{\n" + lines + "\n}\n", "utf-8")


def main():
    data = {name: yes_no(*rest) for name, *rest in CASES}
    data["ratings"] = ratings(7, 70, 630)
    data["few ratings"] = ratings(8, 20, 80)
    write("data.json", data)
    write("ppi_python.json", {name: by_ppi(one) for name, one in data.items()})


if __name__ == "__main__":
    main()
