"""Data that comes with the package: questions, sample answers, word classes."""
