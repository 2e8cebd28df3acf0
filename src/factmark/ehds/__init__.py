"""The bundled health data space: a replica of the EHDS portal, and its servers."""
