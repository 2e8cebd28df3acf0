"""Parts of a study judged side by side: by processes of this machine, or by Ray on several.

A part is `--shard I/N`: a ledger of its own, judged as any other. Here parts are handed out, what
they may spend is lent from one place, and their ledgers are merged as they come. Nothing else
imports this folder before `--engine` is given.
"""
