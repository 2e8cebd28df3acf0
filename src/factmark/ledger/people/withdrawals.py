"""People who leave: their answers left out or deleted, and who they are forgotten.

The one place where the ledger takes back what it was told. Verdicts of who has withdrawn stand
apart from `verdicts`, so that nothing that reads those counts them.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from factmark.campaign_model import PSEUDONYM, Annotator, Campaign
from factmark.errors import LedgerError
from factmark.ledger.campaigns import timestamp
from factmark.ledger.ledger import Ledger, cells_of_record, insert, records
from factmark.ledger.opening import sqlite_reason
from factmark.model import Judge
from factmark.text.shell import quote, quote_path

_VERDICT = "number, unit, judge, status, label, value, reason, time, call"
_KEYS = "(SELECT key FROM assignments WHERE campaign = :campaign AND annotator = :code)"
# Marks (`whole`) are verdicts on parts of the answer that is shown, which have its item in common.
# Of a unit that the person also answered in another campaign, those are this campaign's that came
# in with its ratings: a verdict has the time at which its rating was received.
_THEIRS = f"""judge = :judge AND unit IN (
    SELECT unit FROM shown WHERE campaign = :campaign
    UNION SELECT part.id FROM units part JOIN units answer ON answer.item = part.item
        JOIN shown s ON s.unit = answer.id WHERE :whole AND s.campaign = :campaign
) AND (time IN (SELECT received FROM ratings WHERE key IN {_KEYS}) OR unit NOT IN (
    SELECT part.id FROM ratings r JOIN assignments a ON a.key = r.key
        JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator
        JOIN units answer ON answer.id = a.unit
        JOIN units part ON part.id = a.unit OR :whole AND part.item = answer.item
        WHERE a.campaign <> :campaign AND p.name = :name AND p.withdrawn = ''
))"""  # noqa: S608 - constants
# The same said in two campaigns is one verdict: once it is gone with the one, the other says it.
_SAID_ELSEWHERE = """INSERT INTO verdicts (unit, judge, status, label, value, reason, time)
SELECT unit, :judge, 'ok', label, value, comment, received FROM (
    SELECT a.unit, json_extract(r.response, '$.label') AS label, r.value,
        json_extract(r.response, '$.comment') AS comment, r.received, r.seen, max(r.number)
        FROM ratings r JOIN assignments a ON a.key = r.key
        JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator
        JOIN units u ON u.id = a.unit
        WHERE p.name = :name AND p.withdrawn = '' AND p.decides = '' AND u.kind <> 'practice'
        AND a.unit IN (SELECT unit FROM shown WHERE campaign = :campaign) GROUP BY a.unit
) said WHERE label IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM newest_verdicts v WHERE v.unit = said.unit AND v.judge = :judge
        AND (v.number > said.seen OR v.label = said.label AND v.reason = said.comment)
)"""


def withdraw(
    ledger: Ledger,
    campaign: Campaign,
    people: Sequence[Annotator],
    *,
    marks: bool,
    screened: str = "",
) -> None:
    """Leaves the answers of people out of all that is read of a ledger, and closes their links.

    Args:
        marks: whether people mark texts in this campaign.
        screened: why they are screened out, where it is not by their own wish. Their link stays,
            and leads to nothing but this.
    """
    at = timestamp()
    with ledger.writing() as db:
        for person in people:
            row = _row(campaign, person, whole=marks) | {"at": at, "screened": screened}
            db.execute(
                f"INSERT INTO withdrawn_verdicts ({_VERDICT}, campaign) "  # noqa: S608
                f"SELECT {_VERDICT}, :campaign FROM verdicts WHERE {_THEIRS}",
                row,
            )
            db.execute(
                "DELETE FROM verdicts WHERE number IN (SELECT number FROM withdrawn_verdicts)"
            )
            db.execute(
                "UPDATE annotators SET withdrawn = :at, screened = :screened, "
                "links = links + (:screened = ''), "
                "link = CASE :screened WHEN '' THEN '' ELSE link END "
                "WHERE campaign = :campaign AND code = :code",
                row,
            )
            db.execute(_SAID_ELSEWHERE, row)


def take_back(ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]) -> None:
    """Counts the answers of people again who had withdrawn; what was deleted does not come back."""
    with ledger.writing() as db:
        for person in people:
            row = _row(campaign, person)
            where = "campaign = :campaign AND judge = :judge"
            columns = _VERDICT.removeprefix("number, ")
            # What was written since, of a rating that came before, stays before it.
            db.execute(
                f"INSERT INTO verdicts ({_VERDICT}) SELECT CASE WHEN EXISTS ("  # noqa: S608
                "SELECT 1 FROM verdicts v JOIN ratings r ON r.received = v.time "
                "JOIN assignments a ON a.key = r.key AND a.unit = v.unit "
                "WHERE v.unit = w.unit AND v.judge = w.judge AND v.number > w.number "
                "AND r.seen < w.number) THEN NULL ELSE number END, "
                f"{columns} FROM withdrawn_verdicts w WHERE {where} ORDER BY w.number",
                row,
            )
            db.execute(f"DELETE FROM withdrawn_verdicts WHERE {where}", row)  # noqa: S608
            db.execute(
                "UPDATE annotators SET withdrawn = '' WHERE campaign = :campaign AND code = :code",
                row,
            )
            db.execute(_SAID_ELSEWHERE, row)


def delete_answers(ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]) -> int:
    """Deletes all that people who have withdrawn answered in a campaign, comments and times too,
    and what of it was refused. Returns how many answers, changes of one included, that were.

    Raises:
        LedgerError: as `_erasing`.
    """
    count = 0
    with _erasing(ledger, "the same command again") as db:
        for person in people:
            row = _row(campaign, person)
            count += db.execute(f"DELETE FROM ratings WHERE key IN {_KEYS}", row).rowcount  # noqa: S608
            db.execute(f"DELETE FROM doubts WHERE key IN {_KEYS}", row)  # noqa: S608
            db.execute(f"DELETE FROM refused WHERE key IN {_KEYS}", row)  # noqa: S608
            db.execute(
                "DELETE FROM withdrawn_verdicts WHERE campaign = :campaign AND judge = :judge", row
            )
            db.execute(
                "UPDATE arrivals SET study = '', session = '' "
                "WHERE campaign = :campaign AND annotator = :code",
                row,
            )
    return count


def forget(ledger: Ledger, names: Sequence[str]) -> dict[str, str]:
    """Takes names and addresses of people, their links and their accounts on servers out of a
    ledger, in all its campaigns; returns name -> the pseudonym that stands for it from now on.

    Their answers stay, under it and under their codes. Places of refused answers, which may name
    them by address, are emptied.

    Raises:
        LedgerError: as `_erasing`.
    """
    aliases = {name: f"{PSEUDONYM}{secrets.token_hex(4)}" for name in names}
    pseudonyms = " ".join(map(quote, aliases.values()))
    again = f"`factmark annotate forget {quote_path(ledger.path)} {pseudonyms}`"
    with _erasing(ledger, again) as db:
        for name, alias in aliases.items():
            _forget(db, name, alias)
    return aliases


def _forget(db: sqlite3.Connection, name: str, alias: str) -> None:
    """Puts a pseudonym in the place of a name, and takes out what else tells who that is."""
    row = {"name": name, "alias": alias}
    judges = db.execute("SELECT * FROM judges WHERE kind = 'person' AND name = :name", row)
    for before in records(Judge, judges.fetchall()):
        after = Judge.create("person", alias, **before.parameters)
        insert(db, "judges", [cells_of_record(after)])
        for table in ("verdicts", "withdrawn_verdicts", "imports"):
            db.execute(f"UPDATE {table} SET judge = ? WHERE judge = ?", (after.id, before.id))  # noqa: S608
        db.execute("DELETE FROM judge_keys WHERE id = ?", (before.id,))
        db.execute("DELETE FROM judges WHERE id = ?", (before.id,))
    db.execute(
        "UPDATE projects SET user = '' WHERE EXISTS (SELECT 1 FROM annotators a "
        "WHERE a.campaign = projects.campaign AND a.code = annotator AND a.name = :name)",
        row,
    )
    db.execute(
        "UPDATE refused SET place = '', raw = '' WHERE campaign IN "
        "(SELECT campaign FROM annotators WHERE name = :name)",
        row,
    )
    db.execute(
        "UPDATE arrivals SET study = '', session = '' WHERE EXISTS (SELECT 1 FROM annotators a "
        "WHERE a.campaign = arrivals.campaign AND a.code = annotator AND a.name = :name)",
        row,
    )
    db.execute(
        "UPDATE annotators SET name = :alias, email = '', links = links + 1, link = '' "
        "WHERE name = :name",
        row,
    )


@contextmanager
def _erasing(ledger: Ledger, again: str) -> Iterator[sqlite3.Connection]:
    """A transaction after which the file does not hold what was deleted in it, nor any copy that
    SQLite had put aside before.

    Args:
        again: how to have the file written anew later.

    Raises:
        LedgerError: it is done, and the file still has what was deleted.
    """
    db = ledger.connection
    db.execute("PRAGMA secure_delete = ON")
    with ledger.writing():
        yield db
    try:
        db.execute("VACUUM")
        busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        raise LedgerError(
            f"{ledger.path}: it is done, but the file could not be written anew and still holds "
            f"traces of what was deleted ({sqlite_reason(error, ledger.path)}). See to "
            f"that, then run {again}."
        ) from error
    if busy:
        raise LedgerError(
            f"{ledger.path}: it is done, but another program is reading the file, which still "
            "holds traces of what was deleted. End what has the ledger open (`factmark annotate "
            "serve` or `watch`, another command, a database browser), on every machine, then run "
            f"{again}."
        )


def _row(campaign: Campaign, person: Annotator, *, whole: bool = False) -> dict[str, object]:
    """What the statements above are about."""
    judge = Judge.create("person", person.name)
    return {
        "campaign": campaign.id,
        "code": person.code,
        "judge": judge.id,
        "name": person.name,
        "whole": whole,
    }
