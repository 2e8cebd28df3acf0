"""Which summary a digit rates: it is framed before it is typed, and a rating is not overwritten by
accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from factmark.campaign_model import Shown
from served_page import make, rated, served

pytestmark = pytest.mark.browser

SOURCE = "Of forty goats with a cough, twenty were fed on hay and coughed less. " * 40
TEXT = "Goats that were fed on hay coughed less than those that were not. " * 12
SIZES = {
    "laptop": {"width": 1280, "height": 720},
    "wide": {"width": 1920, "height": 1000},
    "phone": {"width": 360, "height": 740},
    "zoomed": {"width": 640, "height": 360},  # 1280 x 720 at 200 %
}
FRAMED = "() => [...document.querySelectorAll('.unit')].findIndex(n => n.matches('.current'))"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(2, source=SOURCE, text=TEXT), people=("Ada",))
    return path


def framed(one: Tab) -> int:
    place: int = one.page.evaluate(FRAMED)
    return place


def labels(path: Path) -> list[tuple[str, str | None]]:
    return [(unit, label) for _, unit, label, _ in rated(path)]


def test_side_by_side_each_digit_goes_to_the_next_that_is_not_rated(
    tab: Tabs, ledger: Path
) -> None:
    """Somebody reads A, B and C and types 4, 3 and 5, with the pointer where it was."""
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        one.page.mouse.move(900, 300)
        for place, label in enumerate("435"):
            assert framed(one) == place
            one.press(label)
        one.page.wait_for_function("() => progress.textContent.startsWith('3 of')")
        one.wait("saved")
    assert labels(ledger) == [("d0-0", "4"), ("d0-1", "3"), ("d0-2", "5")]


def test_a_rating_is_changed_by_choosing_it_first_and_by_nothing_else(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        one.press("435")
        one.press("2")  # all are rated, and none was chosen
        assert "Nothing was rated" in one.page.inner_text("#unrated")
        one.press("b2")
        assert one.checked(1) == "2"
        assert "Nothing was rated" not in one.page.inner_text("#unrated")
        one.press("1")  # chosen once, changed once
        one.press("k1")  # one that is gone to is not chosen
        one.page.locator(".judged").nth(2).click(position={"x": 2, "y": 2})
        one.press("0")
        assert "c, then the digit" in one.page.inner_text("#unrated")
        one.choice(2, "0").click()
        one.wait("saved")
        assert [one.checked(place) for place in range(3)] == ["4", "2", "0"]
    assert labels(ledger) == [
        *(("d0-0", "4"), ("d0-1", "3"), ("d0-1", "2")),
        *(("d0-2", "5"), ("d0-2", "0")),
    ]


def test_what_is_under_the_pointer_or_was_clicked_is_rated(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        one.page.locator(".judged").nth(2).hover()
        assert framed(one) == 2
        one.press("1")
        assert framed(one) == 0  # the next that is to do, round from the last
        one.page.locator(".judged").nth(1).click(position={"x": 2, "y": 2})
        assert framed(one) == 1
        one.press("3")
        one.page.wait_for_function("() => progress.textContent.startsWith('2 of')")
        one.wait("saved")
    assert labels(ledger) == [("d0-1", "3"), ("d0-2", "1")]


def test_a_notch_of_the_wheel_leaves_the_target_where_it_is(tab: Tabs, tmp_path: Path) -> None:
    """Most of A stays in view, and B, which is short, comes to be seen whole."""
    path = tmp_path / "short.db"
    first = Shown(evidence=SOURCE, text=TEXT)
    short = Shown(evidence=SOURCE, text="Goats cough.")
    longer = Shown(evidence=SOURCE, text=TEXT * 2)
    make(path, [("d0", [first, short, longer])], people=("Ada",))
    with served(path, people=1) as page:
        one = tab(viewport=SIZES["laptop"]).start(page.links["Ada"])
        box = one.page.locator("#units").bounding_box()
        one.page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 150)
        one.wheel(120)
        text = one.page.locator(".judged").first.bounding_box()
        hidden = box["y"] - text["y"]
        assert 0.15 < hidden / text["height"] < 0.5
        assert framed(one) == 0
        one.press("4")
        one.wait("saved")
    assert labels(path) == [("d0-0", "4")]


def test_enter_does_not_pass_what_is_not_rated(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        for _ in range(3):
            one.page.keyboard.press("Enter")
        assert one.page.inner_text("#where") == "Document 1 of 2"
        assert "Not rated yet: A, B, C" in one.page.inner_text("#unrated")
        one.press("45")
        for _ in range(4):
            one.page.keyboard.press("Enter")
        assert "Not rated yet: C" in one.page.inner_text("#unrated")
        assert one.page.inner_text("#where") == "Document 1 of 2"
        assert framed(one) == 2
        one.press("3")
        one.page.keyboard.press("Enter")
        one.page.keyboard.press("Enter")
        assert one.page.inner_text("#where") == "Document 2 of 2"


@pytest.mark.parametrize("name", list(SIZES))
def test_that_nothing_was_rated_is_seen(tab: Tabs, ledger: Path, name: str) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES[name]).start(page.links["Ada"])
        one.press("a4a4")  # the same again is no change
        one.press("b2")
        one.press("k3")
        told = one.page.locator("#unrated")
        assert "Nothing was rated: Summary" in told.inner_text()
        box = told.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= SIZES[name]["height"]
        assert "Nothing was rated" in one.page.inner_text("#said")
        one.wait("saved")
    assert labels(ledger) == [("d0-0", "4"), ("d0-1", "2")]


def test_back_goes_to_the_document_before(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        one.press("435")
        one.press("n")
        assert one.page.inner_text("#where") == "Document 2 of 2"
        one.page.go_back()
        assert one.page.inner_text("#where") == "Document 1 of 2"
        assert [one.checked(place) for place in range(3)] == ["4", "3", "5"]
        one.page.go_forward()
        assert one.page.inner_text("#where") == "Document 2 of 2"
        one.wait("saved")
        one.page.route("**/save", lambda route: None)  # no reply before the page is left
        one.press("1")
        one.page.goto("about:blank")
        one.page.unroute("**/save")
        one.page.go_back()
        one.page.wait_for_selector(".unit")
        one.wait("saved")
        assert one.checked(0) == "1"
    assert labels(ledger)[3:] == [("d1-0", "1")]


def test_a_screen_reader_hears_which_one_is_rated(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        assert one.page.inner_text("h1").startswith("Ada — ")
        assert one.page.title().startswith("Ada — ")
        for place, letter in enumerate("ABC"):
            session = one.page.context.new_cdp_session(one.page)
            tree = session.send("Accessibility.getFullAXTree")["nodes"]
            names = [node.get("name", {}).get("value", "") for node in tree]
            assert f"Summary {letter} to do · a digit rates it" in names
            one.press(str(place))
            heard = one.page.inner_text("#said")
            assert f"Summary {letter}: {place}." in heard
        assert "Next: Summary" not in heard


def test_by_keyboard_alone(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["zoomed"]).start(page.links["Ada"])
        one.press("c2")
        one.press("b1")
        one.press("w")
        one.page.keyboard.type("hay")
        one.page.keyboard.press("Escape")
        one.wait("saved")
        one.press("b3")
        one.wait("saved")
        assert [one.checked(place) for place in range(3)] == [None, "3", "2"]
    assert [said[1:] for said in rated(ledger)] == [
        *(("d0-1", "1", ""), ("d0-1", "1", "hay"), ("d0-1", "3", "hay")),
        ("d0-2", "2", ""),
    ]


# Random events, by a generator with a seed; tells in which state something is wrong.
SEQUENCES = """async () => {
  const { START, digit, isRated, isSeen, reduce } =
    await import(new URL('../../static/state.js', location));
  let seed = 1;
  const below = n => (seed = (seed * 48271) % 2147483647) % n;
  const counts = { rates: 0, shows: 0, rated: 0 };
  for (let run = 0; run < 500; run += 1) {
    const count = 2 + below(3);
    const keys = Array.from({ length: count }, (_, n) => `k${n}`);
    let state = reduce(START, { type: 'opened', keys });
    for (let step = 0; step < 40; step += 1) {
      const place = below(count);
      const seen = keys.map(() => below(5) / 4);
      const events = [
        { type: 'seen', seen }, { type: 'measured', seen }, { type: 'left' },
        { type: 'chosen', place }, { type: 'chosen', place, armed: true },
      ];
      state = reduce(state, events[below(events.length)]);
      const { target, armed } = state;
      const what = digit(state);
      counts[what] += 1;
      const free = !isRated(state, target) || armed;
      const wrong = what === 'rates' && !(isSeen(state, target) && free);
      if (!keys[target] || wrong) return state;
      if (what !== 'rates') continue;
      const key = keys[target];
      const fields = { label: `${below(6)}` };
      state = reduce(state, { type: 'changed', key, id: `${step}`, fields, at: '' });
      state = reduce(state, { type: 'rated', place: target });
      const dueInView = keys.some((_, n) => isSeen(state, n) && !isRated(state, n));
      if (state.armed || isRated(state, state.target) === dueInView) return state;
    }
  }
  return counts;
}"""


def test_in_any_order_a_digit_rates_only_what_is_in_view_and_due_or_chosen(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["wide"]).start(page.links["Ada"])
        counts = one.page.evaluate(SEQUENCES)
        assert set(counts) == {"rates", "shows", "rated"}, counts
        assert min(counts.values()) > 500, counts
