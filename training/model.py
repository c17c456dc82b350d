"""The base model in PyTorch on a CPU, with a low-rank adapter on the linear layers of its upper blocks, to train it.

Weights are read from the GGUF file and stay as they are. Matrices multiply in the type that `quick_type` finds:
bfloat16 is twice as quick as float32 on a processor with instructions for it (AVX512-BF16), and six times slower on
one without. What is added up from layer to layer, norms, positions and the adapter itself are float32.
Shapes: N tokens of a whole batch without padding; B sequences of at most M tokens; D = 576; R the adapter's rank.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from torch import Tensor
from torch.nn import functional

LAYERS, WIDTH, HEADS, KEY_HEADS, HEAD_WIDTH, HIDDEN = 30, 576, 9, 3, 64, 1536
EPSILON, ROPE_BASE = 1e-5, 100_000.0
UNSEEN = -1e9
# Layers that read the same input are one matrix: their names in GGUF and how many rows each has.
JOINED = {
    "qkv": (("attn_q", 576), ("attn_k", 192), ("attn_v", 192)),
    "out": (("attn_output", 576),),
    "gate_up": (("ffn_gate", 1536), ("ffn_up", 1536)),
    "down": (("ffn_down", 576),),
}


class _Adapted(torch.autograd.Function):
    """x [N, in] times (W + scale * B A)^T, where only A [R, in] and B [out, R] learn.

    x and W have the quick type of the processor, A and B are float32.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, a: Tensor, b: Tensor, scale: float) -> Tensor:
        a, b = a.to(x.dtype), (b * scale).to(x.dtype)
        inner = x @ a.T
        ctx.save_for_backward(x, inner, weight, a, b)
        ctx.scale = scale
        return torch.addmm(x @ weight.T, inner, b.T)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, Tensor, Tensor, None]:
        x, inner, weight, a, b = ctx.saved_tensors
        down = grad @ b
        return (
            torch.addmm(grad @ weight, down, a),
            None,
            (down.T @ x).float(),
            (grad.T @ inner).float() * ctx.scale,
            None,
        )


def _attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Queries [B, HEADS, M, 64] over keys and values [B, KEY_HEADS, T, 64]; `mask` [M, T] is added. Like `query`.

    Written out, since PyTorch's own takes three times as long for sequences as short as these.
    """
    count, _, length, width = query.shape
    grouped = query.reshape(count, KEY_HEADS, -1, width) * (1 / math.sqrt(width))
    scores = (grouped @ key.transpose(-1, -2)).view(count, KEY_HEADS, -1, length, key.shape[2]) + mask
    weights = scores.softmax(-1).view(count, KEY_HEADS, -1, key.shape[2])
    return (weights @ value).reshape(count, HEADS, length, width)


class AdaptedModel(torch.nn.Module):
    """SmolLM2-135M with an adapter.

    Args:
        base: the GGUF file.
        rank: of the adapter.
        alpha: the adapter counts alpha / rank times.
        kind: the type that matrices are multiplied in.
        first: the first layer that has an adapter. Nothing has to be carried back through those before it.
    """

    def __init__(
        self, base: Path, rank: int = 16, alpha: float = 32.0, kind: torch.dtype = torch.float32, first: int = 0
    ) -> None:
        super().__init__()
        self.first = first
        self.kind = kind
        self.rank, self.alpha, self.scale = rank, alpha, alpha / rank
        weights = {
            tensor.name: torch.from_numpy(
                np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
            )
            for tensor in GGUFReader(base).tensors
        }
        self._embedding, self._last_norm = weights["token_embd.weight"], weights["output_norm.weight"]
        self._output = self._embedding.to(kind)
        self._layers: list[dict[str, Tensor]] = []
        self.adapter = torch.nn.ParameterDict()
        for number in range(LAYERS):
            layer = {name: weights[f"blk.{number}.{name}.weight"] for name in ("attn_norm", "ffn_norm")}
            for name, parts in JOINED.items():
                joined = torch.cat([weights[f"blk.{number}.{part}.weight"] for part, _ in parts]).contiguous()
                layer[name] = joined.to(kind)
                if number < first:
                    continue
                rows, columns = joined.shape
                self.adapter[f"{number}_{name}_a"] = torch.nn.Parameter(torch.randn(rank, columns) / math.sqrt(columns))
                self.adapter[f"{number}_{name}_b"] = torch.nn.Parameter(torch.zeros(rows, rank))
            self._layers.append(layer)
        self._frequencies = ROPE_BASE ** (-torch.arange(0, HEAD_WIDTH, 2).float() / HEAD_WIDTH)

    def _linear(self, number: int, name: str, x: Tensor) -> Tensor:
        if number < self.first:
            return x.to(self.kind) @ self._layers[number][name].T
        a, b = self.adapter[f"{number}_{name}_a"], self.adapter[f"{number}_{name}_b"]
        result: Tensor = _Adapted.apply(x.to(self.kind), self._layers[number][name], a, b, self.scale)
        return result

    def forward(self, prefix: Sequence[int], sequences: Sequence[Sequence[int]], wanted: Tensor) -> Tensor:
        """The logits of the next token, [len(wanted), vocabulary].

        Args:
            prefix: the ids that all sequences begin with; computed once.
            sequences: the ids of each after the prefix.
            wanted: places in the sequences put one after the other.
        """
        shared, lengths = len(prefix), [len(ids) for ids in sequences]
        count, longest = len(sequences), max(lengths)
        ids = torch.tensor([*prefix, *(token for sequence in sequences for token in sequence)])
        positions = torch.cat([torch.arange(shared), *(torch.arange(shared, shared + length) for length in lengths)])
        angles = positions[:, None].float() * self._frequencies[None]
        cos, sin = angles.cos()[:, None, :], angles.sin()[:, None, :]
        # Linear layers work on N tokens without padding; only attention needs a rectangle.
        padded = torch.cat([row * longest + torch.arange(length) for row, length in enumerate(lengths)])
        causal = torch.ones(longest, longest, dtype=torch.bool).tril()
        seen = torch.cat([torch.ones(longest, shared, dtype=torch.bool), causal], 1)
        mask = torch.zeros(seen.shape).masked_fill(~seen, UNSEEN)
        first_mask = torch.full((shared, shared), UNSEEN).triu(1)

        def rectangle(flat: Tensor) -> Tensor:
            """[N, heads, 64] to [B, heads, M, 64]."""
            filled = flat.new_zeros(count * longest, flat.shape[1], HEAD_WIDTH).index_copy(0, padded, flat)
            return filled.view(count, longest, flat.shape[1], HEAD_WIDTH).transpose(1, 2)

        def turned(x: Tensor) -> Tensor:
            """Rotary positions on neighbouring pairs, as GGUF lays the weights out."""
            pairs = x.float().view(x.shape[0], x.shape[1], HEAD_WIDTH // 2, 2)
            even, odd = pairs[..., 0], pairs[..., 1]
            return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).reshape(x.shape)

        x = self._embedding[ids]
        for number, layer in enumerate(self._layers):
            normal = functional.rms_norm(x, (WIDTH,), layer["attn_norm"], EPSILON)
            qkv = self._linear(number, "qkv", normal).float().view(-1, HEADS + 2 * KEY_HEADS, HEAD_WIDTH)
            query_key = turned(qkv[:, : HEADS + KEY_HEADS])
            parts = query_key[:, :HEADS], query_key[:, HEADS:], qkv[:, HEADS + KEY_HEADS :]
            first = [part[:shared].transpose(0, 1)[None] for part in parts]
            query, key, value = (rectangle(part[shared:]) for part in parts)
            before = _attention(first[0], first[1], first[2], first_mask)[0].transpose(0, 1)
            keys, values = (
                torch.cat([one.expand(count, -1, -1, -1), own], 2)
                for one, own in zip(first[1:], (key, value), strict=True)
            )
            after = _attention(query, keys, values, mask)
            after = after.transpose(1, 2).reshape(count * longest, HEADS, HEAD_WIDTH)[padded]
            x = x + self._linear(number, "out", torch.cat([before, after]).reshape(-1, WIDTH))
            normal = functional.rms_norm(x, (WIDTH,), layer["ffn_norm"], EPSILON)
            gate_up = self._linear(number, "gate_up", normal)
            x = x + self._linear(number, "down", functional.silu(gate_up[:, :HIDDEN]) * gate_up[:, HIDDEN:])
        last = functional.rms_norm(x[shared:][wanted], (WIDTH,), self._last_norm, EPSILON)
        return (last.to(self.kind) @ self._output.T).float()


def quick_type() -> torch.dtype:
    """The type in which this processor multiplies matrices quicker, float32 or bfloat16."""

    def seconds(kind: torch.dtype) -> float:
        x, weight = torch.ones(512, WIDTH, dtype=kind), torch.ones(HIDDEN, WIDTH, dtype=kind)
        x @ weight.T
        began = time.perf_counter()
        for _ in range(5):
            x @ weight.T
        return time.perf_counter() - began

    return min((torch.float32, torch.bfloat16), key=seconds)
