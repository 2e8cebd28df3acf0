"""The ledger: one SQLite file per study with units, judges, calls and verdicts."""
