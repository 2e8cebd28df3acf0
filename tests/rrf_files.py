"""Writes UMLS files in their true format, of any size, with all their quirks. Nothing in them is
from UMLS: names are made of parts by number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SITES = ["liver", "kidney", "retina", "nerve", "skin", "pancreas", "heart", "foot", "lung", "bone"]
KINDS = ["inflammation", "ulcer", "atrophy", "fibrosis", "infection", "edema", "necrosis", "tumor"]
WAYS = ["acute", "chronic", "severe", "mild", "recurrent", "diffuse", "focal", "primary"]
STY = {
    "T047": "Disease or Syndrome",
    "T023": "Body Part, Organ, or Organ Component",
    "T121": "Pharmacologic Substance",
    "T184": "Sign or Symptom",
}


def concept_names(number: int) -> tuple[str, str, str]:
    """Three names of concept `number`: preferred, turned round with a comma, plural."""
    way, kind, site = WAYS[number % 8], KINDS[number // 8 % 8], SITES[number // 64 % 10]
    stage = number // 640
    name = f"{way} {kind} of {site} grade {stage}"
    return (
        name.capitalize(),
        f"{site} {kind}, {way}, grade {stage}",
        f"{kind} of the {site} g{number}",
    )


def conso(
    cui: int,
    text: str,
    *,
    preferred: bool = False,
    lat: str = "ENG",
    suppress: str = "N",
    aui: int = 1,
) -> str:
    ts, stt, ispref = ("P", "PF", "Y") if preferred else ("S", "VO", "N")
    return (
        f"C{cui:07}|{lat}|{ts}|L{aui:07}|{stt}|S{aui:07}|{ispref}|A{aui:07}||M{cui}|D{cui}|"
        f"MSH|PT|D{cui}|{text}|0|{suppress}||\n"
    )


def rel(first: int, second: int, rela: str, suppress: str = "N") -> str:
    """`second rela first`, as the format has it."""
    return (
        f"C{first:07}|A1|AUI|RO|C{second:07}|A2|AUI|{rela}|R1||SNOMEDCT_US|SNOMEDCT_US|||"
        f"{suppress}||\n"
    )


def conso_lines(concepts: int) -> Iterator[str]:
    aui = 0
    for number in range(concepts):
        for place, name in enumerate(concept_names(number)):
            aui += 1
            yield conso(number + 1, name, preferred=place == 0, aui=aui)
        if number % 10 == 0:
            yield conso(number + 1, f"nombre {number}", lat="SPA", aui=aui + 1)
            yield conso(number + 1, f"old name {number}", suppress="O", aui=aui + 2)


def write_rrf(folder: Path, concepts: int) -> None:
    """MRCONSO, MRSTY, MRREL, SRDEF and SRSTRE1 of that many concepts, three English names each."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "MRCONSO.RRF").open("w", encoding="utf-8", newline="") as file:
        file.writelines(conso_lines(concepts))
    codes = list(STY)
    with (folder / "MRSTY.RRF").open("w", encoding="utf-8", newline="") as file:
        file.writelines(
            f"C{n + 1:07}|{codes[n % 4]}|B2.2.1|{STY[codes[n % 4]]}|AT{n:08}||\n"
            for n in range(concepts)
        )
    with (folder / "MRREL.RRF").open("w", encoding="utf-8", newline="") as file:
        file.writelines(
            rel(n + 1, n + 2, "finding_site_of" if n % 2 else "") for n in range(concepts - 1)
        )
    write_network(folder)


def write_network(folder: Path) -> None:
    definitions = [
        *(f"STY|{ui}|{name}|B2|Own words.||||abc||\n" for ui, name in STY.items()),
        "RL|T151|treats|R3|Applies a remedy.||||TS|treated_by|\n",
        "RL|T135|location_of|R2|Is the place of.||||LO|has_location|\n",
        "RL|T999|drains|R9|Takes fluid from.||||DR|drained_by|\n",
    ]
    (folder / "SRDEF").write_text("".join(definitions), encoding="utf-8", newline="")
    (folder / "SRSTRE1").write_text(
        "T121|T151|T047|\nT121|T151|T184|\nT023|T135|T047|\nT023|T999|T023|\n",
        encoding="utf-8",
        newline="",
    )
