"""SPARQL stores: on disk, in memory, behind an endpoint; read-only queries."""
