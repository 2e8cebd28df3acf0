"""Pieces of text that markdown, tokens and patterns have to cope with in any order and number."""

PIECES = (
    "The asthma cohort has 40 patients. ", "alpha of beta of ", "A and B C D ", "i ", "not ",
    "based on the context ", "(", ")", "[", "](", "*", "**", "_", "`", "``` ", "```\n", "~~~\n",
    "|", "|a|b|\n|-|-|\n", "\n", "\n- ", "\n1. ", "# ", "> ", "1,234 ", "1 to ", "10%", "-", "–",
    "twenty one hundred ", "million ", "1 January 2000 ", "2000-01-01", "31/12/2023", "http://a",
    "odrl:use ", "a.", "a'", "'s ", "<", "<b ", "</b>", "研究", "😀", "\x00", "\x1f", "\r", "\u202e",
    "\ud800", "please check ", "to ", "if you ", "? ", "! ", ", ", "; ", ": ", "use ", "or ", "(EU) ",
    "10 mg/dL ", "Research and Development ", "Synthetic Asthma ", "_a", "=", "\t", "[1]", "【",
)  # fmt: skip
