"""What is told while pulling again and again, without a server."""

from __future__ import annotations

from typing import Any

from factmark.people.labelstudio.pull import Pulled, PulledFrom, changes


def pulled(**fields: Any) -> Pulled:
    base: dict[str, Any] = {
        "code": "A1", "name": "Ada", "projects": (1,), "user": "", "tasks": 3, "answered": 1,
        "new": 0, "refused": (), "gone": (), "missing": 0, "problem": "",
    }  # fmt: skip
    one = PulledFrom(**{**base, **fields})
    return Pulled(url="http://127.0.0.1:1", annotators=(one,), refused_new=0)


def test_what_keeps_answers_out_is_told_once() -> None:
    before: dict[str, tuple[int, int, int, str]] = {}
    assert changes(pulled(), before) == ["A1 Ada: 1 of 3"]
    assert changes(pulled(), before) == []
    assert changes(pulled(problem="it cannot be read"), before) == [
        "A1 Ada: 1 of 3; it cannot be read"
    ]
    assert changes(pulled(problem="it cannot be read"), before) == []
    assert changes(pulled(answered=2, new=1), before) == ["A1 Ada: 2 of 3, 1 new or changed"]
