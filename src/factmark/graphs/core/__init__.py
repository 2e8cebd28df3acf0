"""Claims, evidence, ontologies, the rule judges and the scores. Pure."""
