"""What was measured before, by which a plan goes: verdicts, marks or ratings."""
