"""SmolLM2's tokenizer, built from what its GGUF file says: byte pairs, digits one by one, a few special tokens."""

from __future__ import annotations

import re
from pathlib import Path

from gguf import GGUFReader
from tokenizers import Tokenizer as Pairs
from tokenizers import models, pre_tokenizers

SPECIAL = ("<|im_start|>", "<|im_end|>")
_SPLIT = re.compile(f"({'|'.join(map(re.escape, SPECIAL))})")


class Tokenizer:
    """Text to token ids, as llama-server does it for this model."""

    def __init__(self, base: Path) -> None:
        fields = GGUFReader(base).fields
        tokens: list[str] = fields["tokenizer.ggml.tokens"].contents()
        merges: list[str] = fields["tokenizer.ggml.merges"].contents()
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._pairs = Pairs(
            models.BPE(vocab=self._ids, merges=[(one, two) for one, two in (merge.split(" ") for merge in merges)])
        )
        self._pairs.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )

    def encode(self, text: str) -> list[int]:
        """The ids of a text; special tokens written in it count as such."""
        ids: list[int] = []
        for part in _SPLIT.split(text):
            if part in SPECIAL:
                ids.append(self._ids[part])
            elif part:
                ids += self._pairs.encode(part, add_special_tokens=False).ids
        return ids
