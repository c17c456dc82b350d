"""Training and export: what is learned of a conversation, that it learns, goes on after a stop, and is read back."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from simulator.llama_server import find_base_model
from training.data import conversations, template_of

NEEDS = ("torch", "tokenizers", "gguf")
MISSING = [name for name in NEEDS if importlib.util.find_spec(name) is None]
if MISSING and "torch" not in os.environ.get("BOARD_AGENT_REQUIRE", ""):
    pytest.skip(f"{', '.join(MISSING)} not installed (training/requirements.txt)", allow_module_level=True)

import torch  # noqa: E402
from gguf import GGUFReader  # noqa: E402

from training import train  # noqa: E402
from training.export import load_adapter, merge, save_adapter  # noqa: E402
from training.model import AdaptedModel, quick_type  # noqa: E402
from training.tokenizer import Tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def base() -> Path:
    return find_base_model()


@pytest.fixture(scope="module")
def tokenizer(base: Path) -> Tokenizer:
    return Tokenizer(base)


@pytest.fixture(scope="module")
def examples(tokenizer: Tokenizer) -> list[train.Example]:
    template = template_of()
    return [train.example(tokenizer, template, vars(one)) for one in conversations(60, 1)]


@pytest.fixture(scope="module")
def model(base: Path) -> AdaptedModel:
    torch.manual_seed(1)
    return AdaptedModel(base, rank=2, alpha=4)


def test_only_what_the_assistant_says_is_learned(tokenizer: Tokenizer) -> None:
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]
    one = train.example(tokenizer, template_of(), {"messages": messages, "tools": ["calculate"]})
    learned = [token for token, learn in zip(one.ids, one.learned, strict=True) if learn]
    assert learned == tokenizer.encode("Good day<|im_end|>")


def test_what_comes_after_the_last_that_is_learned_is_left_out(tokenizer: Tokenizer) -> None:
    ending = next(one for one in conversations(100, 1) if one.messages[-1]["role"] == "tool")
    one = train.example(tokenizer, template_of(), vars(ending))
    assert one.learned[-1]
    assert one.ids[-1:] == tokenizer.encode("<|im_end|>")


def test_all_conversations_are_used_once_in_batches_of_a_size(examples: list[train.Example]) -> None:
    batches = train.batches(examples, 500, seed=1)
    assert sorted(id(one) for batch in batches for one in batch) == sorted(map(id, examples))
    assert all(train.computed(batch) <= 500 or len(batch) == 1 for batch in batches)
    # Most begin with the same list of tools, which counts once.
    assert any(sum(len(one.ids) for one in batch) > 500 for batch in batches)


def test_what_examples_share_is_not_counted_twice(model: AdaptedModel, examples: list[train.Example]) -> None:
    two = sorted(examples, key=lambda one: len(one.ids))[:2]
    counts = [sum(one.learned) for one in two]
    with torch.no_grad():
        together = train.loss(model, two).item()
        alone = [train.loss(model, [one]).item() for one in two]
    assert together == pytest.approx((alone[0] * counts[0] + alone[1] * counts[1]) / sum(counts), rel=1e-3)


def test_the_parts_of_a_step_are_all_of_it_and_give_its_loss_and_gradient(
    model: AdaptedModel, examples: list[train.Example]
) -> None:
    step = sorted(examples, key=lambda one: len(one.ids))[:3]
    parts = train.parts(step, 2)
    assert sorted(len(part) for part in parts) == [1, 2]
    gradients, values = [], []
    for cut in ([step], parts):
        model.zero_grad()
        values.append(sum(train.learn(model, train.learned(step), part) for part in cut))
        gradients.append(torch.cat([value.grad.flatten() for value in model.parameters() if value.grad is not None]))
    assert values[0] == pytest.approx(values[1], rel=1e-4)
    assert torch.allclose(gradients[0], gradients[1], atol=1e-5)


def test_both_types_of_number_give_nearly_the_same_loss(
    model: AdaptedModel, base: Path, examples: list[train.Example]
) -> None:
    step = sorted(examples, key=lambda one: len(one.ids))[:2]
    short = AdaptedModel(base, rank=2, alpha=4, kind=torch.bfloat16)
    short.load_state_dict(model.state_dict())
    with torch.no_grad():
        values = [train.loss(one, step).item() for one in (model, short)]
    assert values[0] == pytest.approx(values[1], rel=0.02)
    assert quick_type() in (torch.float32, torch.bfloat16)


def test_it_learns(model: AdaptedModel, examples: list[train.Example]) -> None:
    step = sorted(examples, key=lambda one: len(one.ids))[:1]
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        value = train.loss(model, step)
        value.backward()
        optimizer.step()
        losses.append(value.item())
    assert losses[-1] < losses[0] * 0.9


def test_an_adapter_is_read_back_as_it_was_written(model: AdaptedModel, tmp_path: Path) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.1)
    save_adapter(model, tmp_path / "a.gguf")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    load_adapter(model, tmp_path / "a.gguf")
    for name, value in model.state_dict().items():
        assert torch.allclose(value, before[name], atol=1e-3)
    reader = GGUFReader(tmp_path / "a.gguf")
    assert reader.fields["adapter.type"].contents() == "lora"
    assert len(reader.tensors) == 30 * 7 * 2


def test_only_layers_from_the_first_have_an_adapter_and_one_with_others_is_refused(
    model: AdaptedModel, base: Path, examples: list[train.Example], tmp_path: Path
) -> None:
    upper = AdaptedModel(base, rank=2, alpha=4, first=28)
    step = sorted(examples, key=lambda one: len(one.ids))[:2]
    train.loss(upper, step).backward()
    assert all(value.grad is not None for value in upper.parameters())
    save_adapter(upper, tmp_path / "a.gguf")
    blocks = {tensor.name.split(".")[1] for tensor in GGUFReader(tmp_path / "a.gguf").tensors}
    assert blocks == {"28", "29"}
    load_adapter(upper, tmp_path / "a.gguf")
    with pytest.raises(ValueError, match="first block"):
        load_adapter(model, tmp_path / "a.gguf")


def test_a_merged_model_has_the_template_inside(model: AdaptedModel, base: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text(template_of(), encoding="utf-8")
    save_adapter(model, tmp_path / "a.gguf")
    merge(base, tmp_path / "a.gguf", tmp_path / "t.jinja", tmp_path / "m.gguf")
    reader = GGUFReader(tmp_path / "m.gguf")
    assert reader.fields["tokenizer.chat_template"].contents() == template_of()
    assert {tensor.name for tensor in reader.tensors} == {tensor.name for tensor in GGUFReader(base).tensors}


def test_training_stops_when_its_time_is_up_and_goes_on_from_its_checkpoint(
    model: AdaptedModel, examples: list[train.Example], tmp_path: Path
) -> None:
    short = sorted(examples, key=lambda one: len(one.ids))[:42]
    settings = train.Settings(minutes=1, tokens=60)
    first = train.Training(model, tmp_path, settings, "digest")
    first.seconds = 59.99
    first.run(short)
    assert first.steps == 1
    again = train.Training(model, tmp_path, settings, "digest")
    assert again.steps == 1
    assert again.seconds == first.seconds
    with pytest.raises(ValueError, match="other settings or data"):
        train.Training(model, tmp_path, settings, "another digest")


def test_a_step_is_one_batch_at_first_and_a_batch_for_each_thread_later(
    base: Path, examples: list[train.Example], tmp_path: Path
) -> None:
    short = sorted(examples, key=lambda one: len(one.ids))[:12]
    took = {}
    for name, shared in (("first", 1.0), ("later", 0.0)):
        (tmp_path / name).mkdir()
        settings = train.Settings(minutes=1, tokens=60, shared=shared, first=29, rank=2, threads=2)
        training = train.Training(train.new_model(base, settings), tmp_path / name, settings, "digest")
        training.seconds = 59.99
        training.run(short)
        took[name] = (training.steps, training.batches)
    assert took == {"first": (1, 1), "later": (1, 2)}
