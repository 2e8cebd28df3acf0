from __future__ import annotations

import os

import pytest

from factmark.errors import InputError
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.rubrics import ontology_entry
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.umls import Umls, open_umls
from rrf_files import STY, conso, rel, write_network

SMALL = [
    conso(11849, "Diabetes Mellitus", preferred=True),
    conso(11849, "DM"),
    conso(11860, "Diabetes Mellitus, Non-Insulin-Dependent", preferred=True),
    conso(27051, "Myocardial Infarction", preferred=True),
    conso(27051, "MI"),
    conso(26266, "Mitral Valve Insufficiency", preferred=True),
    conso(26266, "MI"),
    conso(11849, "Diabète sucré", lat="FRE"),
    conso(1, "Withdrawn name", suppress="O"),
    conso(2, "Metformin", preferred=True),
    conso(3, "Pancreas", preferred=True),
    conso(4, ""),
]
TYPES = [
    "C0011849|T047|A|Disease or Syndrome|AT1||\n",
    "C0027051|T047|A|x|AT2||\n",
    "C0026266|T047|A|x|AT3||\n",
    "C0000002|T121|A|x|AT4||\n",
    "C0000002|T109|A|x|AT5||\n",
    "C0000003|T023|A|x|AT6||\n",
    "C0011860|T047|A|x|AT7||\n",
]


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "rrf"
    folder.mkdir()
    write(folder, "MRCONSO.RRF", SMALL)
    write(folder, "MRSTY.RRF", TYPES)
    write(
        folder,
        "MRREL.RRF",
        [
            rel(11849, 3, "finding_site_of"),
            rel(3, 11849, ""),
            rel(11849, 2, "treats", suppress="Y"),
        ],
    )
    write_network(folder)
    return folder


def write(folder, name, lines):
    (folder / name).write_text("".join(lines), encoding="utf-8", newline="")


def test_look_up_by_normalised_name_with_ambiguity_kept(source, tmp_path):
    with open_umls(source, tmp_path / "index") as umls:
        (diabetes,) = umls.concepts("diabetes MELLITUS")
        assert (diabetes.id, diabetes.name, diabetes.synonyms) == (
            "C0011849",
            "Diabetes Mellitus",
            ("DM",),
        )
        assert diabetes.types == {"T047"}
        assert umls.concepts("C0011849") == (diabetes,)
        assert [c.id for c in umls.concepts("MI")] == ["C0026266", "C0027051"]
        assert umls.concepts("Diabète sucré") == ()
        assert umls.concepts("Withdrawn name") == ()
        assert umls.concepts("") == umls.concepts("...") == umls.concepts("C9999999") == ()
        assert umls.concepts("metformin")[0].types == {"T109", "T121"}


def test_definitions_in_english_are_shown_and_ids_have_many_spellings(source, tmp_path):
    rows = [
        "C0011860|A1|AT1||MSHSPA|Una enfermedad.|N||",
        "C0011860|A2|AT2||NCI|Withdrawn.|O||",
        "C0011860|A3|AT3||MSH|A subclass of diabetes.|N||",
        "C0011860|A4|AT4||NCI|Another text.|N||",
        f"C0000003|A5|AT5||HPO|{'gland ' * 200}|N||",
    ]
    write(source, "MRDEF.RRF", [f"{row}\n" for row in rows])
    with open_umls(source, tmp_path / "index") as umls:
        for name in ("C0011860", "UMLS:C0011860", "http://x.org/umls/id/C0011860"):
            assert umls.concepts(name)[0].definition == "A subclass of diabetes."
        triple = Triple(head="UMLS:C0011860", relation="has_finding_site", tail="pancreas")
        entry = ontology_entry(triple, umls)
        assert "Diabetes Mellitus, Non-Insulin-Dependent (A subclass of diabetes.)" in entry
        assert len(entry.splitlines()[-1]) < 700
    write(source, "MRDEF.RRF", ["C0011860|A1|cut"])
    with pytest.raises(InputError, match=r"MRDEF\.RRF, line 1"):
        open_umls(source, tmp_path / "other")


def test_the_semantic_network_and_stated_relations_decide(source, tmp_path):
    with open_umls(source, tmp_path / "index") as umls:

        def label(head, relation, tail):
            return judge_types(Triple(head=head, relation=relation, tail=tail), umls).label

        assert label("metformin", "treats", "DM") == "YES"
        assert label("pancreas", "treats", "DM") == "NO"
        assert label("pancreas", "finding_site_of", "DM") == "YES"
        assert label("DM", "has_finding_site", "pancreas") == "YES"
        assert label("DM", "has_finding_site", "metformin") == "NO"
        assert label("DM", "isa", "MI") == "YES"
        assert label("DM", "drains", "pancreas") == "NO"
        assert label("DM", "never_heard_of", "pancreas") is None
        (pancreas,), (diabetes,) = umls.concepts("pancreas"), umls.concepts("DM")
        assert umls.stated_relations(pancreas, diabetes) == {"finding_site_of"}
        assert umls.stated_relations(diabetes, pancreas) == frozenset()
        assert umls.relation("drains").inverse == "drained_by"
        assert umls.relation("drains").definition == "Takes fluid from."
        assert umls.type_name("T047") == "Disease or Syndrome"


def entry_of(umls, head, relation, tail):
    """What a judge reads of a triple: name of the line -> text."""
    entry = ontology_entry(Triple(head=head, relation=relation, tail=tail), umls)
    return dict(line.split(": ", 1) for line in entry.splitlines())


def test_what_decides_also_describes(source, tmp_path):
    """The user's SRDEF and SRSTRE1 where they decide, else the bundled ontology, in names."""
    with open_umls(source, tmp_path / "index") as umls:
        lines = entry_of(umls, "metformin", "treats", "DM")
        assert lines["Definition of the relation"] == "Applies a remedy."
        head, tail = (f"Types that the relation expects of its {end}" for end in ("head", "tail"))
        assert lines[head] == "Pharmacologic Substance"
        assert lines[tail] == "Disease or Syndrome, Sign or Symptom"
        turned = entry_of(umls, "DM", "has_finding_site", "pancreas")
        assert "location_of" in turned["Definition of the relation"]
        assert "Is the place of." in turned["Definition of the relation"]
        assert (turned[head], turned[tail]) == (lines[tail].split(",")[0], STY["T023"])
        assert umls.relation("has_component").definition  # is in neither file: the bundled one
    (source / "SRSTRE1").unlink()
    with open_umls(source, tmp_path / "other") as umls:
        lines = entry_of(umls, "metformin", "treats", "DM")
        assert lines["Definition of the relation"].startswith("The head, a drug")
        assert "Disorders" in lines[tail]  # as people say it, not DISO


def test_pairs_are_in_words_where_not_each_head_goes_with_each_tail(source, tmp_path):
    """Those that share a type with head or tail stand first, at most twelve."""
    allowed = [f"T{900 + n}|T151|T{950 + n}|\n" for n in range(20)]
    write(source, "SRSTRE1", [*allowed, "T121|T151|T047|\n"])
    with open_umls(source, tmp_path / "index") as umls:
        pairs = entry_of(umls, "metformin", "treats", "DM")["Pairs of types that it may join"]
        first, *others = pairs.split("; ")
        assert first == "Pharmacologic Substance -> Disease or Syndrome"
        assert others[-1] == "and 9 more"
        assert len(others) == 12


def test_crlf_and_missing_last_bars_and_bom(source, tmp_path):
    text = "\ufeff" + "".join(SMALL).replace("||\n", "|\r\n")
    (source / "MRCONSO.RRF").write_bytes(text.encode())
    with open_umls(source, tmp_path / "index") as umls:
        assert umls.concepts("diabetes mellitus")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-20], r"MRCONSO\.RRF, line 12: 1\d fields .* 18; the file is cut off"),
        (lambda data: data.replace(b"|DM|", b"|D|M|"), r"MRCONSO\.RRF, line 2: 19 fields"),
        (
            lambda data: data.replace(b"C0011860|", b"X0011860|"),
            r"line 3: 'X0011860' is no concept",
        ),
        (lambda data: data.replace(b"sucr", b"\xff"), r"line 8: is not UTF-8"),
        (
            lambda data: data + b"C0000009|ENG|P|L|PF|S|Y|A||||M|P|D|caf\xc3",
            r"line 13: is not UTF-8; the file is cut off",
        ),
    ],
)
def test_damage_names_file_and_line_and_leaves_no_index(source, tmp_path, damage, message):
    path = source / "MRCONSO.RRF"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=message):
        open_umls(source, tmp_path / "index")
    assert [path.name for path in (tmp_path / "index").iterdir()] == [".factmark"]


def test_names_and_types_suffice_and_files_may_lie_in_meta(source, tmp_path):
    (source / "META").mkdir()
    for name in ("MRCONSO.RRF", "MRSTY.RRF"):
        (source / name).rename(source / "META" / name.lower())
    for name in ("MRREL.RRF", "SRDEF", "SRSTRE1"):
        (source / name).unlink()
    with open_umls(source, tmp_path / "index") as umls:
        triple = Triple(head="metformin", relation="treats", tail="DM")
        assert judge_types(triple, umls).label == "YES"


def test_it_is_built_once_and_anew_when_a_file_or_an_option_changes(source, tmp_path):
    told = []

    def build(**options):
        told.clear()
        open_umls(
            source, tmp_path / "index", progress=lambda *args: told.append(args), **options
        ).close()
        return bool(told)

    assert build()
    assert told[0][0] == "MRCONSO"
    assert told[0][1] == told[0][2] == (source / "MRCONSO.RRF").stat().st_size
    assert not build()
    os.utime(source / "MRSTY.RRF", ns=(1, 1))
    assert build()
    (tmp_path / "index" / "umls.sqlite").write_text("damaged")
    assert build()


def test_a_file_of_others_under_its_name_is_kept(source, tmp_path):
    (tmp_path / "umls.sqlite").write_text("mine")
    with pytest.raises(InputError, match="factmark did not write it"):
        open_umls(source, tmp_path)
    assert (tmp_path / "umls.sqlite").read_text() == "mine"


def test_what_fails_leaves_the_old_index(source, tmp_path):
    open_umls(source, tmp_path / "index").close()
    with (source / "MRCONSO.RRF").open("a") as file:
        file.write("C00|")
    with pytest.raises(InputError):
        open_umls(source, tmp_path / "index")
    with Umls(tmp_path / "index" / "umls.sqlite") as umls:
        assert umls.concepts("DM")
    (source / "MRSTY.RRF").unlink()
    with pytest.raises(InputError, match="no MRSTY"):
        open_umls(source, tmp_path / "index")
