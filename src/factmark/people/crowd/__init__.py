"""People who come from a platform by one link: who they are, consent, screening, completion."""
