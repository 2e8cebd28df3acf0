"""A campaign on a folder that others use: they may look, and its page works on or says why not."""

from __future__ import annotations

import encodings.idna  # noqa: F401  # what the forks need
import os
from functools import partial
from pathlib import Path

import pytest

import factmark.people.desk.app as page
from accounts import COLLEAGUE, OWNER, as_root, by, owners, shared_folder
from campaigns import campaign_in, people, rated, summaries
from factmark.campaign_model import Campaign
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import issue_links
from factmark.people.desk.desk import CampaignDesk
from factmark.people.desk.server import server_config
from factmark.people.desk.site import Site
from factmark.people.verdicts import take_ratings
from shell import run

SITE = Site(host="127.0.0.1", port=0)


def make(path: Path) -> None:
    with Ledger(path) as ledger:
        made = campaign_in(ledger, summaries(1), annotators=people("Ada", "Ben"))
        issue_links(ledger, made)  # a page that starts has nothing more to write
    path.chmod(0o644)  # the owner lets others look


def save(path: Path, places: list[int]) -> list[int]:
    """How many ratings the page keeps, of each of Ada's summaries that she rates."""

    def take(place: int, ledger: Ledger, campaign: Campaign) -> int:
        key = tasks_of(ledger, campaign, "A1")[place].key
        return len(take_ratings(ledger, campaign, [rated(key, "4", 1)], protocol_of).new)

    desk = CampaignDesk(path, None, protocol_of)
    return [desk.run_now(partial(take, place)) for place in places]


def serve(path: Path) -> list[object]:
    """What the command comes to, and what it says."""
    done = run("annotate", "serve", path, "--port", "0")
    return [done.returncode, done.stdout, done.stderr]


@as_root
def test_the_page_saves_on_after_a_colleague_looked() -> None:
    with shared_folder(0o777) as folder:
        path = folder / "c.db"
        by(OWNER, partial(make, path))
        looks = ("ledger", "info", path), ("annotate", "status", path)
        for look in looks:  # imports what the forks need
            assert run(*look).returncode == 0

        def look() -> list[int]:
            return [run(*look).returncode for look in looks]

        assert by(COLLEAGUE, look) == [0, 0]
        assert by(OWNER, partial(save, path, [0, 1]), killed=True) == [1, 1]
        assert by(COLLEAGUE, look) == [0, 0]
        assert by(OWNER, partial(save, path, [2])) == [1]
        assert set(owners(folder).values()) == {OWNER}


@as_root
def test_a_colleague_who_may_not_write_leaves_nothing_when_they_try() -> None:
    with shared_folder(0o777) as folder:
        path = folder / "c.db"
        by(OWNER, partial(make, path))
        told = by(COLLEAGUE, partial(save, path, [0]))
        assert f"may not write {path}, which belongs to the account {OWNER}" in told
        assert owners(folder) == {"c.db": OWNER, "c.db.links": OWNER}


@as_root
@pytest.mark.parametrize("ending", ["", "-shm", "-wal"])
def test_a_page_that_could_keep_nothing_prints_no_link(ending: str) -> None:
    desk = CampaignDesk(Path("none.db"), None, protocol_of)
    server_config(page.create_app(desk, SITE, print), SITE)  # imports what the fork needs
    with shared_folder(0o777) as folder:
        path = folder / "c.db"
        by(OWNER, partial(make, path))
        Path(f"{path}{ending}").touch(0o644)
        os.chown(f"{path}{ending}", COLLEAGUE, COLLEAGUE)  # as readers of before left it
        told = by(OWNER, partial(serve, path))
        assert isinstance(told, list), told
        status, out, errors = told
        assert (status, out) == (2, ""), errors
        words = " ".join(errors.split())
        assert f"{path}{ending}, which belongs to the account {COLLEAGUE}" in words
