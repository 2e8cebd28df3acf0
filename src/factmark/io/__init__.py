"""The impure edge: files, stores, models, the ledger; outside input is validated here."""
