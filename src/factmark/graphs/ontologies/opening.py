"""The ontology that a study uses: the bundled one, UMLS, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from factmark.ask.weights.weight_files import file_hash
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.ontologies.bundled import BUNDLED, bundled_ontology
from factmark.graphs.ontologies.umls import open_umls, umls_files
from factmark.model import content_hash

_INDEX = "factmark-index"
_READ_AS = "3"  # raise it when the same RDF files say more, or otherwise


@contextmanager
def open_ontology(
    path: Path | None,
    problems: Problems,
    *,
    index: Path | None = None,
    progress: Callable[[str, int, int], None] = lambda name, done, size: None,
) -> Iterator[tuple[Ontology, str]]:
    """Opens an ontology for a `with` block; gives the ontology, and its identity, which is part of
    a judge's.

    Args:
        path: a folder with UMLS's RRF files or with RDF and OBO files, one such file, or None for
            the bundled ontology.
        index: where the index of UMLS goes; a folder in `path` where None.
        progress: called with file, bytes done and bytes in all while an index is built.

    Raises:
        InputError: there is no such ontology, or its files are damaged.
    """
    if path is None:
        yield bundled_ontology(), BUNDLED
    elif path.is_dir() and not _is_rdf_folder(path):
        with open_umls(path, index or path / _INDEX, progress=progress) as umls:
            sizes = sorted((name, of.stat().st_size) for name, of in umls_files(path).items())
            yield umls, f"umls-{content_hash(sizes)}"
    elif path.exists():
        # loads 21 MB of RDF store
        from factmark.graphs.formats.rdf_files import ontology_files
        from factmark.graphs.ontologies.rdf import read_ontology

        hashes = [_READ_AS, *map(file_hash, ontology_files(path))]
        yield read_ontology(path, problems), f"rdf-{content_hash(hashes)}"
    else:
        raise InputError(f"{path}: is neither a folder with RRF files nor an RDF or OBO file.")


def _is_rdf_folder(folder: Path) -> bool:
    """Whether a folder holds RDF or OBO files, and no UMLS."""
    from factmark.graphs.formats.rdf_files import is_rdf

    return not {"MRCONSO", "MRSTY"} & umls_files(folder).keys() and any(
        is_rdf(file) for file in folder.iterdir()
    )
