"""A tiny model of static vectors as a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def static_model(folder: Path) -> Path:
    """A model of static vectors on disk: nine words, four dimensions."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = "[UNK] [PAD] gout asthma lung joint cohort of the".split()
    tokenizer = Tokenizer(
        WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = Whitespace()
    table = np.array(
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [1, 0, 0, 0],
            [0, 1, 0, 0],
            [0, 0.9, 0.1, 0],
            [0.9, 0, 0.1, 0],
            [0, 0, 0, 1],
            [0, 0, 0.1, 0.1],
            [0, 0, 0.1, 0.1],
        ],
        dtype=np.float32,
    )
    StaticModel(table, tokenizer, normalize=False).save_pretrained(folder)
    return folder
