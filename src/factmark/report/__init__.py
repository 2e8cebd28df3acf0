"""Results as people read them: tables in every format, charts, pages. Pure."""
