"""Files of graphs and ontologies as statements (RDF, OBO), and what a file is by its beginning."""
