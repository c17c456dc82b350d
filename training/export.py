"""Adapters as GGUF files, read and written, and one merged into its base."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, dequantize, quantize

from training.model import JOINED, LAYERS, AdaptedModel

NAME = "board-agent-135m"
Q8_0, FILE_TYPE_Q8_0 = GGMLQuantizationType.Q8_0, 7


def save_adapter(model: AdaptedModel, path: Path) -> None:
    """Write a model's adapter as llama-server takes it with `--lora`: float16, each layer by its GGUF name."""
    writer = GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", model.alpha)
    writer.add_string("general.name", NAME)
    writer.add_string("general.license", "apache-2.0")
    for number in range(model.first, LAYERS):
        for name, parts in JOINED.items():
            a, b = (model.adapter[f"{number}_{name}_{letter}"].detach().numpy().astype(np.float16) for letter in "ab")
            first = 0
            for part, rows in parts:
                writer.add_tensor(f"blk.{number}.{part}.weight.lora_a", a.copy())
                writer.add_tensor(f"blk.{number}.{part}.weight.lora_b", b[first : first + rows].copy())
                first += rows
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def load_adapter(model: AdaptedModel, path: Path) -> None:
    """Begin with an adapter that `save_adapter` wrote. Raises ValueError when its rank or alpha is another."""
    reader = GGUFReader(path)
    alpha = reader.fields["adapter.lora.alpha"].contents()
    # lora_a belongs to the joined layer, so each of its parts has the same.
    tensors = {tensor.name: torch.from_numpy(tensor.data.astype(np.float32)) for tensor in reader.tensors}
    ranks = {int(name.split(".")[1]): len(value) for name, value in tensors.items() if "attn_q.weight.lora_a" in name}
    if alpha != model.alpha or ranks != dict.fromkeys(range(model.first, LAYERS), model.rank):
        raise ValueError(f"{path.name} has another rank, alpha or first block than the model that is to be trained")
    with torch.no_grad():
        for number in range(model.first, LAYERS):
            for name, parts in JOINED.items():
                named = [f"blk.{number}.{part}.weight.lora_" for part, _ in parts]
                model.adapter[f"{number}_{name}_a"].copy_(tensors[named[0] + "a"])
                model.adapter[f"{number}_{name}_b"].copy_(torch.cat([tensors[part + "b"] for part in named]))


def merge(base: Path, adapter: Path, template: Path, path: Path) -> None:
    """Write base and adapter as one model, its adapted layers in Q8_0, with the chat template inside.

    Q4_1, as the base has it, would round away much of what the adapter changes.
    """
    learned = GGUFReader(adapter)
    alpha = learned.fields["adapter.lora.alpha"].contents()
    tensors = {tensor.name: tensor.data.astype(np.float32) for tensor in learned.tensors}
    reader, writer = GGUFReader(base), GGUFWriter(path, "llama")
    replaced = {
        "tokenizer.chat_template": template.read_text(encoding="utf-8"),
        "general.file_type": FILE_TYPE_Q8_0,
        "general.name": NAME,
    }
    for key, field in reader.fields.items():
        # The writer adds these itself.
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == GGUFValueType.ARRAY else None
        writer.add_key_value(key, replaced.get(key, field.contents()), kind, sub_type=inner)
    for tensor in reader.tensors:
        a, b = tensors.get(f"{tensor.name}.lora_a"), tensors.get(f"{tensor.name}.lora_b")
        if a is None or b is None:
            writer.add_tensor(tensor.name, np.array(tensor.data), raw_dtype=tensor.tensor_type)
            continue
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32) + alpha / a.shape[0] * (b @ a)
        writer.add_tensor(tensor.name, quantize(weight, Q8_0), raw_dtype=Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
