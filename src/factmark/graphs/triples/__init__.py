"""Triples from files: tables, RDF, GraphML, GraphRAG."""
