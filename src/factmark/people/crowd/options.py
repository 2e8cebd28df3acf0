"""The options of a campaign for a crowd, and what the campaign keeps of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

import typer

from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.files.text_files import read_text
from factmark.model import content_hash
from factmark.people.crowd.platforms import PLATFORMS, Platform

PER_PERSON = 5
_CODE = re.compile(r"[A-Za-z0-9_-]{4,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdOptions:
    """The options of `factmark annotate create` for people of a platform."""

    crowd: Annotated[
        Literal["prolific", "mturk"] | None,
        typer.Option(
            help="People come by one link from this platform, in place of --annotators, and draw "
            "from a queue."
        ),
    ] = None
    per_person: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Documents (or units that stand alone) that one of a crowd rates at most, beside "
            f"gold; {PER_PERSON}.",
        ),
    ] = None
    consent: Annotated[
        Path | None,
        typer.Option(
            help="What a crowd agrees to before anything else is shown, as Markdown; kept with "
            "its version and the time."
        ),
    ] = None
    completion: Annotated[
        str,
        typer.Option(
            help="The code that a crowd gets at the end, or Prolific's completion URL; a code of "
            "each person's own where not given."
        ),
    ] = ""
    screen: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Screen a person of a crowd out who can no longer get this share of --gold right "
            "(one step off is right on a scale of steps): nothing of theirs counts.",
        ),
    ] = None
    screened_completion: Annotated[
        str,
        typer.Option(help="The code or URL for who is screened out; without, they get none."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What a campaign keeps of how a crowd comes and goes.

    Attributes:
        platform: the key of it.
        consent: the text, as Markdown.
        completion, screened_completion: codes, or URLs with one; empty where none was given.
        screen: the least share of gold that has to be right; None where nobody is screened out.
    """

    platform: str
    consent: str
    completion: str = ""
    screened_completion: str = ""
    screen: float | None = None

    @property
    def site(self) -> Platform:
        """The platform."""
        return PLATFORMS[self.platform]

    @property
    def version(self) -> str:
        """Which consent text it is: 12 hex digits of its hash."""
        return content_hash(self.consent)[:12]


def crowd_of(campaign: Campaign) -> Crowd | None:
    """Returns how a campaign's crowd comes; None where people have links of their own."""
    kept: Any = campaign.settings.get("crowd")
    if kept is None:
        return None
    return Crowd(**kept)


def crowd_settings(options: CrowdOptions, *, has_gold: bool) -> dict[str, object]:
    """Returns what a campaign keeps among its settings: `crowd` and `per_person`; nothing where
    people are named.

    Raises:
        InputError: options that do not go together, a text or a code that cannot be shown.
    """
    if options.crowd is None:
        for name, value in asdict(options).items():
            if value not in (None, ""):
                raise InputError(f"--{name.replace('_', '-')} goes with --crowd.")
        return {}
    if options.consent is None:
        raise InputError(
            "--crowd: name the text that people agree to by --consent FILE (Markdown): who asks "
            "them, for what, what is kept and for how long, and how they withdraw."
        )
    consent = read_text(options.consent)
    if not consent.strip() or "\0" in consent:
        raise InputError(f"{options.consent}: is empty or no text; a consent text is Markdown.")
    if options.screen is not None and not has_gold:
        raise InputError("--screen goes with --gold FILE, by which people are screened.")
    if options.screened_completion and options.screen is None:
        raise InputError("--screened-completion goes with --screen.")
    crowd = Crowd(
        platform=options.crowd,
        consent=consent,
        completion=_checked("--completion", options.completion),
        screened_completion=_checked("--screened-completion", options.screened_completion),
        screen=options.screen,
    )
    return {"crowd": asdict(crowd), "per_person": options.per_person or PER_PERSON}


def _checked(option: str, given: str) -> str:
    """Returns a completion code or URL; InputError where it is neither."""
    text = given.strip()
    if not text or _CODE.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        whole = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
    except ValueError:
        whole = False
    if not whole or not text.isprintable() or " " in text or not code_in(text):
        raise InputError(
            f"{option} {given!r}: is no code (4 to 64 letters and digits) and no URL such as "
            "https://app.prolific.com/submissions/complete?cc=CODE."
        )
    return text


def code_in(completion: str) -> str:
    """Returns the code of a code or of a URL that has one as `cc`; empty where it has none."""
    if "://" not in completion:
        return completion
    codes: Mapping[str, list[str]] = parse_qs(urlsplit(completion).query)
    return codes.get("cc", [""])[0]


def address_of(crowd: Crowd, completion: str) -> str:
    """Returns where a person's browser goes with their code; empty where the platform has no such
    address."""
    if "://" in completion:
        return completion
    if completion and crowd.platform == "prolific":
        return f"https://app.prolific.com/submissions/complete?cc={completion}"
    return ""
