"""Tool calls that models write as text."""
