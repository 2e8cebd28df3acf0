"""What people are called in everything that others read: codes, as in a campaign's results."""

from __future__ import annotations

from factmark.ledger.ledger import Ledger


def codes_of_people(ledger: Ledger) -> dict[str, str]:
    """Returns the name of each person -> their code, in a ledger with campaigns; nothing in one
    without, where nobody was promised that names stay with the owner.

    Somebody has the code of their first campaign, or where somebody else has that one, the next
    that is free; who is in no campaign is `P1`, `P2`, ... by name. So do results of several
    campaigns call them.
    """
    codes: dict[str, str] = {}
    taken = set[str]()
    rows = ledger.rows(
        "SELECT a.name, a.code FROM annotators a JOIN campaigns c ON c.id = a.campaign "
        "WHERE a.decides = '' "
        "ORDER BY c.number, length(a.code), a.code"
    ).fetchall()
    for name, code in rows:
        number = 1
        while name not in codes and code in taken:
            code = f"{code[0]}{number}"
            number = number + 1
        taken.add(codes.setdefault(name, code))
    query = "SELECT DISTINCT name FROM judges WHERE kind = 'person' ORDER BY name"
    others = []
    if rows:
        others = [name for (name,) in ledger.rows(query) if name not in codes]
    return codes | {name: f"P{number}" for number, name in enumerate(others, 1)}
