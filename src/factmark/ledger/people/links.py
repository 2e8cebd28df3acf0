"""Annotators' links: the ledger keeps what a link's token hashes to, so that who reads the ledger
has nobody's link. The tokens themselves stand in a file beside it that its owner alone may read,
from which the same links are printed again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sqlite3
from collections.abc import Collection
from pathlib import Path

from factmark.campaign_model import Annotator, Campaign
from factmark.errors import LedgerError
from factmark.files.text_files import write_text
from factmark.ledger.campaigns import keyed_hash, links_of, secret_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.opening import keep_private
from factmark.text.shell import quote_path

DOORS = ("owner", "study")
"""Links that are no annotator's: the owner's page, and the way in for people of a crowd."""

Tokens = dict[str, dict[str, str]]
"""Campaign -> code of an annotator -> the token of that one's link."""


def link_file(ledger: Path) -> Path:
    """Returns the file of links beside a ledger."""
    return Path(f"{ledger}.links")


def issue_links(ledger: Ledger, campaign: Campaign) -> dict[str, str]:
    """Gives a link to each annotator who may answer and has none; returns code -> token, of those
    whose tokens the file of links has.

    Links that an earlier version made stay as they are.

    Raises:
        LedgerError: the ledger or the file of links cannot be written, or the file is damaged.
    """
    if not _is_issued(ledger, campaign):
        with ledger.writing() as db:  # so that two processes do not issue two links
            tokens = _read(ledger.path)
            if not _is_hashed(ledger, campaign):
                tokens[campaign.id] = _take_earlier_links(ledger, campaign)
            known = _valid(ledger, campaign, tokens)
            hashes = _hashes(ledger, campaign)
            new = []
            for person in campaign.active:
                if not hashes[person.code]:
                    new.append(person.code)
            known |= {code: secrets.token_hex(32) for code in new}
            # The file comes first: a link that it has and the ledger does not opens nothing.
            _write(ledger.path, tokens | {campaign.id: known})
            _keep_hashes(db, campaign, {code: known[code] for code in new})
    return _valid(ledger, campaign, _read(ledger.path))


def renew_links(ledger: Ledger, campaign: Campaign, codes: Collection[str]) -> None:
    """Makes the links of annotators, or of doors, void; `issue_links` gives others."""
    with ledger.writing() as db:
        if not _is_hashed(ledger, campaign):
            issue_links(ledger, campaign)
        db.executemany(
            "UPDATE annotators SET links = links + 1, link = '' WHERE campaign = ? AND code = ?",
            ((campaign.id, code) for code in codes),
        )
        db.executemany(
            "DELETE FROM doors WHERE campaign = ? AND name = ?",
            ((campaign.id, name) for name in codes),
        )


def issue_door(ledger: Ledger, campaign: Campaign, name: str) -> str | None:
    """Returns the token of a link that is no annotator's, one of DOORS, and makes it where there is
    none; None where the file of links does not have it.

    Raises:
        LedgerError: as of `issue_links`.
    """
    if name not in _hashes(ledger, campaign):
        with ledger.writing() as db:
            tokens = _read(ledger.path)
            token = secrets.token_hex(32)
            known = _valid(ledger, campaign, tokens) | {name: token}
            _write(ledger.path, tokens | {campaign.id: known})
            row = (campaign.id, name, _hash(token))
            db.execute("INSERT OR IGNORE INTO doors VALUES (?, ?, ?)", row)
    return _valid(ledger, campaign, _read(ledger.path)).get(name)


def opens_door(ledger: Ledger, campaign: Campaign, name: str, token: str) -> bool:
    """Whether a token is that of the link of this name."""
    link = _hashes(ledger, campaign).get(name, "")
    return hmac.compare_digest(link.encode(), _hash(token).encode())


def keep_link(ledger: Ledger, campaign: Campaign, code: str, token: str) -> None:
    """Has a token open an annotator's page: of who comes by an id of a platform, from which the
    token follows. No file has it."""
    if _hashes(ledger, campaign).get(code) != _hash(token):
        with ledger.writing() as db:
            _keep_hashes(db, campaign, {code: token})


def annotator_of(ledger: Ledger, campaign: Campaign, token: str) -> Annotator | None:
    """Returns whose link token it is, if they may answer or were screened out; takes as long for a
    wrong one as for a right one."""
    given = _hash(token)
    hashes = _hashes(ledger, campaign)
    match = None
    for annotator in (*campaign.active, *campaign.screened):
        if hmac.compare_digest(hashes[annotator.code].encode(), given.encode()):
            match = annotator
    return match


def _is_issued(ledger: Ledger, campaign: Campaign) -> bool:
    """Whether everybody who may answer has a link, and the ledger nothing to make it from."""
    hashes = _hashes(ledger, campaign)
    return _is_hashed(ledger, campaign) and all(hashes[person.code] for person in campaign.active)


def _is_hashed(ledger: Ledger, campaign: Campaign) -> bool:
    """Whether a campaign's links do not follow from its secret, as they did in earlier versions."""
    query = "SELECT hashed FROM campaigns WHERE id = ?"
    return bool(ledger.rows(query, campaign.id).fetchone()[0])


def _hashes(ledger: Ledger, campaign: Campaign) -> dict[str, str]:
    """Returns an annotator's code, or the name of a door -> the hash of the link's token; empty
    where there is none."""
    query = (
        "SELECT code, link FROM annotators WHERE campaign = ? "
        "UNION ALL SELECT name, link FROM doors WHERE campaign = ?"
    )
    return dict(ledger.rows(query, campaign.id, campaign.id))


def _valid(ledger: Ledger, campaign: Campaign, tokens: Tokens) -> dict[str, str]:
    """Returns code -> token of those of a campaign's tokens that open a page."""
    known = tokens.get(campaign.id, {})
    hashes = _hashes(ledger, campaign)
    return {code: token for code, token in known.items() if hashes.get(code) == _hash(token)}


def _keep_hashes(db: sqlite3.Connection, campaign: Campaign, tokens: dict[str, str]) -> None:
    """Writes what the tokens of these annotators hash to."""
    db.executemany(
        "UPDATE annotators SET link = ? WHERE campaign = ? AND code = ?",
        ((_hash(token), campaign.id, code) for code, token in tokens.items()),
    )


def _take_earlier_links(ledger: Ledger, campaign: Campaign) -> dict[str, str]:
    """Returns code -> token of the links that follow from a campaign's secret, whose place another
    takes. Keys of tasks that there are stay; inside `writing`."""
    db = ledger.connection
    secret = secret_of(ledger, campaign)
    counts = links_of(ledger, campaign)
    people = [person.code for person in campaign.active]
    tokens = {}
    for code in people:
        tokens[code] = keyed_hash(secret, "link", code, str(counts[code]))
    keep_private(ledger.path)
    db.execute("PRAGMA secure_delete = ON")  # the secret must not remain on a free page
    _keep_hashes(db, campaign, tokens)
    query = "UPDATE campaigns SET secret = ?, hashed = 1 WHERE id = ?"
    db.execute(query, (secrets.token_bytes(32), campaign.id))
    return tokens


def _hash(token: str) -> str:
    """Returns the SHA-256 of a token: 64 hex digits. Tokens are random, so nobody can guess one."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _read(ledger: Path) -> Tokens:
    """Returns what the file of links beside a ledger holds; nothing where there is none."""
    file = link_file(ledger)
    try:
        tokens = json.loads(file.read_text("utf-8"))
        return {
            str(campaign): {str(code): str(token) for code, token in known.items()}
            for campaign, known in tokens.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise LedgerError(
            f"{file}: cannot be read ({error}). Move it away; `factmark annotate links "
            f"{quote_path(ledger)} "
            "--renew NAME` then makes other links."
        ) from error


def _write(ledger: Path, tokens: Tokens) -> None:
    """Writes the file of links beside a ledger, for this account alone."""
    write_text(link_file(ledger), json.dumps(tokens, indent=1) + "\n", private=True)
