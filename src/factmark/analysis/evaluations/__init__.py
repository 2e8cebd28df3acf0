"""A table with a judge's verdicts and people's labels of some, analysed without a ledger."""
