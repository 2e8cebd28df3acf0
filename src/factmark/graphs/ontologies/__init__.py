"""Ontologies from files: RDF, OBO, UMLS, TOML."""
