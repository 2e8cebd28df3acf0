"""Runs in the forms of other harnesses: inspect_ai's logs, lm-evaluation-harness's samples."""
