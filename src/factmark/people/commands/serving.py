"""`factmark annotate serve` and `links`: the page of our own, and what opens it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import print_line, say
from factmark.cli.showing import show_deed
from factmark.people.options import BaseUrl, ServeOptions

if TYPE_CHECKING:
    from factmark.campaign_model import Campaign
    from factmark.people.desk.desk import Link
    from factmark.people.desk.server import Doors


def serve(protocol_of: ProtocolOf, options: ServeOptions) -> None:
    """Serve a campaign as a web page on which its annotators answer, until Ctrl-C.

    Prints a link for each annotator; whoever has it can answer in that one's name. Answers are in
    the ledger the moment the page says so; a page that cannot reach the server keeps them, and
    sends them again.
    """
    from factmark.people.desk.server import serve_page
    from factmark.people.desk.site import Site, check_site

    site = Site(
        host=options.host,
        port=options.port,
        base_url=options.base_url,
        certfile=options.certfile,
        keyfile=options.keyfile,
    )
    site = check_site(site, behind_proxy=options.behind_proxy, insecure=options.insecure)
    serve_page(
        options.ledger,
        site=site,
        campaign=options.campaign,
        protocol_of=protocol_of,
        ready=_print_serving,
        log=lambda line: say(f"note: {line}"),
    )


def links(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    base_url: BaseUrl = "http://127.0.0.1:8077",
    renew: Annotated[
        list[str] | None,
        typer.Option(
            help="A name or code whose link is made anew, or owner, or study; the earlier is void."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Print the link of each annotator, and yours, as the page at that address takes them.

    They stand in a file beside the ledger, LEDGER.links, which only this account may read; the
    ledger itself holds a hash of each.
    """
    from dataclasses import asdict

    from factmark.ledger.campaigns import campaign_named
    from factmark.ledger.ledger import open_existing
    from factmark.ledger.people.links import DOORS, renew_links
    from factmark.people.core.order import annotator_named
    from factmark.people.desk.desk import annotator_links, door_links
    from factmark.people.desk.site import Site, check_site
    from factmark.report.envelope import CommandOutcome

    site = Site(host="127.0.0.1", port=8077, base_url=base_url)
    site = check_site(site, behind_proxy=base_url.startswith("https:"))
    with open_existing(ledger) as opened, opened.writing():
        known = campaign_named(opened, campaign)
        codes = []
        for name in renew or ():
            if name in DOORS:
                codes.append(name)
            else:
                codes.append(annotator_named(known, name, f"--renew {name}").code)
        renew_links(opened, known, codes)
        boxes = annotator_links(opened, known, site.address)
        doors = door_links(opened, known, site.address)
    rows = [asdict(link) for link in boxes]
    outcome = CommandOutcome(
        command="annotate links",
        subject=known.name,
        rows=tuple({**row.pop("annotator"), **row} for row in rows),
        details=doors,
    )
    show_deed(outcome, json=json, lines=_link_lines(boxes, doors))


def _print_serving(campaign: Campaign, boxes: list[Link], doors: Doors) -> None:
    """Prints that the page is up, and the link of each annotator."""
    from factmark.text.shown_text import one_line

    closed = ""
    if campaign.closed:
        closed = " It is closed: answers are refused."
    print_line(f"Serving the campaign {one_line(campaign.name)} (Ctrl-C ends).{closed}")
    for line in _link_lines(boxes, doors):
        print_line(line)


def _link_lines(boxes: list[Link], doors: Doors) -> Iterator[str]:
    """Yields each link on a line of its own, the annotators' first: links are copied, so no table
    breaks them."""
    from factmark.text.shown_text import one_line

    lost = "not in the file of links; --renew {} makes another"
    for link in boxes:
        who = f"{link.annotator.code} {one_line(link.annotator.name)}"
        url = link.url or lost.format(link.annotator.code)
        yield f"{who}, {link.done} of {link.tasks} done: {url}"
    titles = {"study": "The study, for its platform", "owner": "Your page, for you alone"}
    for name, door in doors.items():
        yield f"{titles[name]}: {door or lost.format(name)}"
