"""Makes the conversations that the model is trained on."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from training.draw import Draw
from training.scene import Conversation, Kinds, Scene
from training.template import chat_template
from training.tools import COMMON, ENTRIES, Entry

# How often a question may come up again with other readings.
MOST_REPEATS = 4
SHORTENED_LISTS = 0.12


def template_of(entries: Sequence[Entry] = ENTRIES) -> str:
    """The chat template for these tools."""
    rules = [rule for entry in entries for rule in entry.shorten]
    return chat_template(rules, [entry.topics for entry in entries if entry.topics])


def conversations(
    count: int, seed: int, entries: Sequence[Entry] = ENTRIES, held_out: Collection[str] = ()
) -> Iterator[Conversation]:
    """So many conversations. The same arguments give the same ones.

    Args:
        held_out: questions that must not come up, as `normal` writes them.
    """
    draw = Draw(seed)
    kinds: Kinds = [*(kind for entry in entries for kind in entry.kinds), *COMMON]
    functions, weights = [kind for kind, _ in kinds], [weight for _, weight in kinds]
    names = [entry.name for entry in entries]
    make = {entry.name: entry.make for entry in entries if entry.make}
    seen: dict[str, int] = {}
    made = 0
    with tempfile.TemporaryDirectory() as folder:
        while made < count:
            kind = draw.choices(functions, weights)[0]
            scene = Scene(draw, Path(folder) / "workspace", make)
            kind(scene)
            asked = [normal(message["content"]) for message in scene.messages if message["role"] == "user"]
            key = json.dumps(asked)
            if seen.get(key, 0) >= MOST_REPEATS or any(question in held_out for question in asked):
                continue
            seen[key] = seen.get(key, 0) + 1
            made += 1
            yield Conversation(kind.__name__, _listed(draw, names, scene), scene.messages)


def _listed(draw: Draw, names: Sequence[str], scene: Scene) -> list[str]:
    """The tools that the request lists: all, or now and then without some that are not needed."""
    without = set(scene.without)
    unused = [name for name in names if name not in scene.used]
    if not without and unused and draw.maybe(SHORTENED_LISTS):
        without = set(draw.sample(unused, min(len(unused), draw.of(1, 1, 1, 2, 3))))
    return [name for name in names if name not in without]


def normal(question: str) -> str:
    """A question without what does not matter when two are compared."""
    return re.sub(r"[^a-z0-9%*+/.-]+", " ", question.lower()).strip(" .")


def as_lines(made: Iterator[Conversation]) -> Iterator[str]:
    """Each conversation as a line of JSON."""
    for conversation in made:
        yield json.dumps(asdict(conversation), ensure_ascii=False)


def write(path: Path, made: Iterator[Conversation]) -> str:
    """Write conversations to a file; its SHA-256."""
    digest = hashlib.sha256()
    with path.open("w", encoding="utf-8") as file:
        for line in as_lines(made):
            digest.update(f"{line}\n".encode())
            file.write(f"{line}\n")
    return digest.hexdigest()
