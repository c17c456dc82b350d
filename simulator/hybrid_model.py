"""A tiny model of Qwen3.5's hybrid architecture with random weights, for tests and measurements.

It says nothing sensible. It is here because the prompt cache of a recurrent model behaves differently from that of a
model that only attends, and boards run recurrent ones: such a model cannot go back, only on from a checkpoint. The
vocabulary is taken from the model at hand, so token counts are real ones; text is split before it as Qwen3.5 does it,
since on that depends whether the end of a prompt stays the same tokens when a reply follows it.

    python -m simulator.hybrid_model BASE.gguf OUT.gguf

It needs what bench/requirements.txt names.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np

EMBEDDING = 128
BLOCKS = 4
ATTENTION_EVERY = 4
HEADS, KV_HEADS, HEAD_DIM = 2, 1, 64
FEED_FORWARD = 256
STATE, GROUPS, INNER, KERNEL = 32, 2, 128, 4
"""State size, key heads, inner size (value heads x state) and convolution width of the gated delta net layers."""
CONTEXT = 32768
PRE_TOKENIZER = "qwen35"
SEED = 7


def write_hybrid_model(base: Path, out: Path) -> None:
    """Write the model to `out` (some MB), with the tokenizer of the GGUF file `base`."""
    reader = gguf.GGUFReader(base)
    writer = gguf.GGUFWriter(out, "qwen35")
    writer.add_name("tiny random hybrid model")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(BLOCKS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_value_length(HEAD_DIM)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e7)
    writer.add_rope_dimension_count(HEAD_DIM // 4)
    writer.add_rope_dimension_sections([3, 3, 2, 0])
    writer.add_ssm_conv_kernel(KERNEL)
    writer.add_ssm_inner_size(INNER)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(INNER // STATE)
    writer.add_ssm_group_count(GROUPS)
    writer.add_uint32("qwen35.full_attention_interval", ATTENTION_EVERY)
    for name, entry in reader.fields.items():
        if name.startswith("tokenizer.") and name not in ("tokenizer.chat_template", "tokenizer.ggml.pre"):
            kind = entry.types[0]
            sub = entry.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, entry.contents(), kind, sub_type=sub)
    writer.add_tokenizer_pre(PRE_TOKENIZER)
    vocabulary = len(reader.fields["tokenizer.ggml.tokens"].data)
    for name, shape in _tensors(vocabulary).items():
        writer.add_tensor(name, _values(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(vocabulary: int) -> dict[str, tuple[int, ...]]:
    """Every tensor's name and shape, rows first."""
    heads = INNER // STATE
    channels = 2 * GROUPS * STATE + INNER
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (vocabulary, EMBEDDING),
        "output_norm.weight": (EMBEDDING,),
    }
    for block in range(BLOCKS):
        layer: dict[str, tuple[int, ...]] = {
            "attn_norm.weight": (EMBEDDING,),
            "post_attention_norm.weight": (EMBEDDING,),
            "ffn_gate.weight": (FEED_FORWARD, EMBEDDING),
            "ffn_up.weight": (FEED_FORWARD, EMBEDDING),
            "ffn_down.weight": (EMBEDDING, FEED_FORWARD),
        }
        if (block + 1) % ATTENTION_EVERY == 0:
            layer |= {
                "attn_q.weight": (2 * HEADS * HEAD_DIM, EMBEDDING),
                "attn_k.weight": (KV_HEADS * HEAD_DIM, EMBEDDING),
                "attn_v.weight": (KV_HEADS * HEAD_DIM, EMBEDDING),
                "attn_output.weight": (EMBEDDING, HEADS * HEAD_DIM),
                "attn_q_norm.weight": (HEAD_DIM,),
                "attn_k_norm.weight": (HEAD_DIM,),
            }
        else:
            layer |= {
                "attn_qkv.weight": (channels, EMBEDDING),
                "attn_gate.weight": (INNER, EMBEDDING),
                "ssm_conv1d.weight": (channels, KERNEL),
                "ssm_dt.bias": (heads,),
                "ssm_a": (heads,),
                "ssm_beta.weight": (heads, EMBEDDING),
                "ssm_alpha.weight": (heads, EMBEDDING),
                "ssm_norm.weight": (STATE,),
                "ssm_out.weight": (EMBEDDING, INNER),
            }
        shapes |= {f"blk.{block}.{name}": shape for name, shape in layer.items()}
    return shapes


def _values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Random weights, the same for a name every time: norms are ones, decays negative, the embedding half precision."""
    if "norm" in name:
        return np.ones(shape, dtype=np.float32)
    if name.endswith("ssm_a"):
        return np.full(shape, -0.5, dtype=np.float32)
    rng = np.random.default_rng([SEED, *name.encode()])
    values = rng.standard_normal(shape) / np.sqrt(shape[-1])
    scaled: np.ndarray = values.astype(np.float16 if name == "token_embd.weight" else np.float32)
    return scaled


if __name__ == "__main__":
    write_hybrid_model(Path(sys.argv[1]), Path(sys.argv[2]))
