"""Relations of BioC (XML and JSON) and PubTator files. The passage is the document's text, an end
is called by the first mention of it.

Relations name their ends by the ids of annotations, or by identifiers as PubTator does; several
identifiers of an annotation stand with commas or semicolons between. Sources: the BioC format
(bioc.sourceforge.net), the PubTator format as the BioCreative tasks use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import json_value, read_text, text_lines, without_surrogates
from factmark.graphs.core.claims import Triple, relation_key
from factmark.graphs.core.iri_names import readable_relation
from factmark.graphs.formats.file_kinds import PUBTATOR_TEXT
from factmark.graphs.triples.edges import check_texts, find_passage
from factmark.passages.passage_file import Passages

_SEVERAL = re.compile(r"[;,|]")
_BLOCK = 1 << 16
_IDENTIFIERS = ("identifier", "Identifier", "MESH", "NCBI GENE", "NCBI Gene", "id")
_ENDS = (("entity1", "entity2"), ("role1", "role2"), ("Chemical", "Disease"), ("Arg1", "Arg2"))
_NEEDED = ("head", "relation", "tail")
_RELATIONS = dict(
    pair.split("=")
    for pair in "cid=cause_of association=associated_with bind=binds comparison=is_compared_with "
    "positive_correlation=positively_correlates_with conversion=is_converted_to "
    "negative_correlation=negatively_correlates_with drug_interaction=interacts_with "
    "cotreatment=is_given_together_with".split()
)
"""What the relations of BC5CDR and BioRED are called here."""
_KINDS = ("type", "relation", "relation type", "class")


@dataclass(slots=True, kw_only=True)
class _Document:
    """A document with its annotations and relations.

    Attributes:
        names: id of an annotation, and identifier -> the text of its first mention.
        relations: two ends and the relation, each with an id of its own or an empty one.
    """

    id: str = ""
    texts: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add_mention(self, text: str, *ids: str) -> None:
        """Adds a mention of what has these ids."""
        for several in ids:
            for name in {several, *_SEVERAL.split(several)} - {"", "-"}:
                self.names.setdefault(name.strip(), text)


def read_bioc(
    path: Path, problems: Problems, *, passages: Passages | None = None, encoding: str = "utf-8"
) -> Iterator[Triple]:
    """Yields the relations of a file as triples, with the text of their document.

    Raises:
        InputError: the file cannot be read or parsed, or has no relation.
    """
    documents = _documents_of(path, problems, encoding)
    stores = []
    if passages is not None:
        stores = [passages]
    n_documents = n_relations = 0
    for document in documents:
        n_documents += 1
        text = "\n".join(filter(None, document.texts)) or None
        for head, relation, tail, name in document.relations:
            n_relations += 1
            problems.rows += 1
            where = f"document {document.id}, relation {n_relations}"
            ends = {}
            for side, end in (("head", head), ("tail", tail)):
                ends[side] = document.names.get(end)
            if None in ends.values():
                if ends["head"] is None:
                    unknown = head
                else:
                    unknown = tail
                problems.drop("an end that no annotation names", where, f"{unknown!r}")
                continue
            named = _RELATIONS.get(relation_key(relation)) or readable_relation(relation)
            fields = {**ends, "relation": named, "passage": text}
            texts: dict[str, Any] | None = check_texts(fields, where, problems, _NEEDED)
            if texts is None:
                continue
            own = texts.pop("passage") or None
            yield Triple(
                **texts,
                passage=own or find_passage(document.id, stores, where, problems),
                passage_id=document.id,
                id=name,
                where=where,
                head_id=head,
                tail_id=tail,
            )
    if not n_relations:
        raise InputError(f"{path}: holds {n_documents} documents and no relation between two ends.")


def _documents_of(path: Path, problems: Problems, encoding: str) -> Iterator[_Document]:
    """Yields the documents of a file in any of the three forms."""
    suffix = path.suffix.casefold()
    if suffix == ".json":
        yield from map(_document_of, _values_of(json_value(path, read_text(path, encoding))))
    elif suffix == ".xml":
        yield from map(_document_of, _xml_values(path))
    else:
        yield from _pubtator_documents(path, problems, encoding)


def _values_of(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the documents of a JSON value: those of a collection, in a list, or the value."""
    if isinstance(value, list):
        for part in value:
            yield from _values_of(part)
    elif isinstance(value, Mapping):
        inner = value.get("documents", value.get("PubTator3"))
        if inner:
            yield from _values_of(inner)
        elif "passages" in value:
            yield value


def _document_of(value: Mapping[str, Any]) -> _Document:
    """Returns a BioC document."""
    document = _Document(id=_text(value.get("id")))
    parts = [value, *_list(value, "passages")]
    parts += [sentence for part in parts for sentence in _list(part, "sentences")]
    for part in parts:
        document.texts.append(_text(part.get("text")))
        for mention in _list(part, "annotations"):
            infons = _infons(mention)
            known = [_text(infons.get(name)) for name in _IDENTIFIERS]
            document.add_mention(_text(mention.get("text")), _text(mention.get("id")), *known)
    for relation in (relation for part in parts for relation in _list(part, "relations")):
        infons = _infons(relation)
        kind = next((_text(infons[name]) for name in _KINDS if infons.get(name)), "")
        nodes = []
        for node in _list(relation, "nodes"):
            nodes.append(_text(node.get("refid")))
        for end in infons.values():
            if isinstance(end, Mapping):  # PubTator 3 has the end itself here
                document.add_mention(_text(end.get("name")) or _text(end), _text(end))
        pairs = ([_text(infons.get(a)), _text(infons.get(b))] for a, b in _ENDS)
        if len(nodes) == 2:
            ends = nodes
        else:
            ends = next((pair for pair in pairs if all(pair)), ["", ""])
        document.relations.append((ends[0], kind, ends[1], _text(relation.get("id"))))
    return document


def _list(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Returns the objects in a list of an object."""
    parts = value.get(name)
    if isinstance(parts, list):
        return [part for part in parts if isinstance(part, Mapping)]
    return []


def _infons(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what an annotation or a relation is said to be."""
    infons = value.get("infons")
    if isinstance(infons, Mapping):
        return infons
    return {}


def _text(value: object) -> str:
    """Returns a value as text without blanks around it; an object's identifier."""
    if isinstance(value, Mapping):
        value = value.get("identifier") or value.get("accession") or value.get("name")
    is_text = value is not None and not isinstance(value, list)
    if is_text:
        return without_surrogates(str(value)).strip()
    return ""


_LISTS = {name: f"{name}s" for name in "passage sentence annotation relation node".split()}


def _xml_values(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yields the documents of BioC's XML as its JSON has them. No entity is taken from the file.

    Raises:
        InputError: it is no XML, or declares entities; names the line.
    """
    parser = expat.ParserCreate()
    done: list[dict[str, Any]] = []
    opened: list[dict[str, Any]] = []
    texts: list[str] = []
    key = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal key
        texts.clear()
        if name in ("document", *_LISTS):
            opened.append({"infons": {}})
            opened[-1] |= {name: attributes[name] for name in ("id", "refid") if name in attributes}
        elif name == "infon":
            key = attributes.get("key", "")

    def end(name: str) -> None:
        if name == "document" and opened:
            done.append(opened.pop())
        elif name in _LISTS and len(opened) > 1:
            value = opened.pop()
            opened[-1].setdefault(_LISTS[name], []).append(value)
        elif name == "infon" and opened:
            opened[-1]["infons"].setdefault(key, "".join(texts))
        elif name in ("id", "text") and opened:
            opened[-1].setdefault(name, "".join(texts))

    def refuse(*_: object) -> None:
        raise InputError(f"{path}: declares entities, which no BioC file needs.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = texts.append
    parser.EntityDeclHandler = refuse
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                parser.Parse(block, False)
                yield from done
                done.clear()
            parser.Parse(b"", True)
        yield from done
    except expat.ExpatError as error:
        raise InputError(
            f"{path}, line {error.lineno}: {expat.ErrorString(error.code)}."
        ) from error
    except (LookupError, ValueError) as error:  # of the encoding that it names
        raise InputError(f"{path}: cannot be read as XML: {error}.") from error


def _pubtator_documents(path: Path, problems: Problems, encoding: str) -> Iterator[_Document]:
    """Yields the documents of a PubTator file, which blank lines separate; reports lines that are
    too short."""
    document = _Document()
    for number, line in enumerate(text_lines(path, encoding), start=1):
        text = PUBTATOR_TEXT.match(line.rstrip("\r"))
        cells = [cell.strip() for cell in line.split("\t")]
        if text:
            name = text[1].strip()
        else:
            name = cells[0]
        if name and name != document.id:
            if document.id:
                yield document
            document = _Document(id=name)
        if text:
            document.texts.append(text[3].strip())
        elif len(cells) >= 6 and cells[1].isdigit() and cells[2].isdigit():
            document.add_mention(cells[3], cells[5])
        elif len(cells) >= 4 and not cells[1].isdigit():
            document.relations.append((cells[2], cells[1], cells[3], ""))
        elif name and len(cells) < 4:
            problems.drop("no PubTator line", f"line {number}", f"{len(cells)} of 4 cells or more")
    yield document
