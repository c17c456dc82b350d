"""`make specialist` and `make specialist-merged`: the small model, from the base's PyPI package to `models/`.

Interrupted, it goes on where it was when it is started again with the same arguments.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evals import questions
from simulator import cache_dir, say
from simulator.llama_server import ALIAS, BASE_PACKAGE, MODELS, find_base_model
from simulator.setup import SetUpError
from simulator.sketch import SketchError
from training import data, evaluate

# More than two cores can read in an hour.
CONVERSATIONS = 32000
PACKAGES = ("torch", "numpy", "gguf", "tokenizers", "jinja2")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say."""
    options = _parser().parse_args(arguments)
    folder: Path = options.folder or cache_dir() / "specialist"
    try:
        if options.do == "merged":
            _merged(options.measure)
        elif options.do == "measure":
            _measure(options.adapter, options.template, options.set)
        else:
            _make(options, folder)
    except (SetUpError, SketchError, OSError, ValueError) as error:
        say(f"specialist: {error}")
        return 1
    except KeyboardInterrupt:
        say(f"\nInterrupted. The same command goes on from {folder}.")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__.partition("\n")[0])
    parser.add_argument("do", choices=("make", "merged", "measure"), nargs="?", default="make")
    parser.add_argument("--minutes", type=float, default=58, help="how long to train (default: 58)")
    parser.add_argument("--seed", type=int, default=1, help="of the conversations and the adapter's first numbers")
    parser.add_argument("--tokens", type=int, default=400, help="about so many in a batch (default: 400)")
    parser.add_argument("--rate", type=float, default=1e-3, help="the highest learning rate (default: 0.001)")
    parser.add_argument("--start", type=Path, metavar="ADAPTER", help="begin with this adapter instead of with none")
    parser.add_argument("--folder", type=Path, help="where data and checkpoints are kept (default: in the cache)")
    parser.add_argument("--adapter", type=Path, default=MODELS / f"{ALIAS}.lora.gguf", help="what to measure")
    parser.add_argument("--template", type=Path, default=MODELS / f"{ALIAS}.jinja")
    parser.add_argument("--set", choices=evaluate.SETS, default=evaluate.TEST, help="measure: with which questions")
    parser.add_argument("--measure", action="store_true", help="merged: measure it beside the adapter")
    return parser


def held_out() -> set[str]:
    """The questions that measure the model; none of them is trained on."""
    files, others = zip(*evaluate.SETS.values(), strict=True)
    asked = [text for file in (questions.FILE, *files) for one in questions.load(file) for text in one.ask]
    lines = [line for file in others for line in file.read_text(encoding="utf-8").splitlines()]
    return {data.normal(text) for text in [*asked, *lines]}


def _make(options: argparse.Namespace, folder: Path) -> None:
    from training import train
    from training.tokenizer import Tokenizer

    base, template = find_base_model(), data.template_of()
    settings = train.Settings(minutes=options.minutes, seed=options.seed, tokens=options.tokens, rate=options.rate)
    folder.mkdir(parents=True, exist_ok=True)
    say("Making conversations ...")
    conversations = folder / "data.jsonl"
    digest = data.write(conversations, data.conversations(CONVERSATIONS, settings.seed, held_out=held_out()))
    say(f"{CONVERSATIONS} conversations, SHA-256 {digest[:16]}")
    training = train.Training(train.new_model(base, settings, options.start), folder, settings, digest)
    training.run(train.read_examples(conversations, Tokenizer(base), template))
    (folder / "template.jinja").write_text(template, encoding="utf-8")
    about = {
        "made": time.strftime("%Y-%m-%d"),
        "base": BASE_PACKAGE,
        "begun_with": _begun_with(options.start),
        "settings": asdict(settings),
        "conversations": {"made": CONVERSATIONS, "sha256": digest},
        "steps": training.steps,
        "tokens": training.tokens,
        "minutes": round(training.seconds / 60, 1),
        "template_sha256": hashlib.sha256(template.encode()).hexdigest(),
        "python": sys.version.split()[0],
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "commit": _commit(),
    }
    made = {"lora.gguf": training.adapter, "jinja": folder / "template.jinja", "json": folder / "made.json"}
    # The validation says which of two is kept, and the test how good the new one is.
    new, present = _measure(made["lora.gguf"], made["jinja"], evaluate.VALIDATION), _present()
    tested = _measure(made["lora.gguf"], made["jinja"])
    about["scores"] = {evaluate.TEST: evaluate.as_json(tested), evaluate.VALIDATION: evaluate.as_json(new)}
    made["json"].write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if present:
        say(evaluate.table({"new": new, "present": present}))
        if new.all.right < present.all.right or len(new.false_actions) > len(present.false_actions):
            say(f"The model in {MODELS} is better and stays. The new one is in {folder}.")
            return
    MODELS.mkdir(exist_ok=True)
    for ending, file in made.items():
        shutil.copyfile(file, MODELS / f"{ALIAS}.{ending}")
    say(f"Written: {MODELS / ALIAS}.lora.gguf, .jinja and .json")


def _present() -> evaluate.Scores | None:
    """The scores of the model that there is in the validation, if there is one."""
    adapter, template = MODELS / f"{ALIAS}.lora.gguf", MODELS / f"{ALIAS}.jinja"
    return evaluate.measure(evaluate.served(adapter, template), evaluate.VALIDATION) if adapter.exists() else None


def _measure(adapter: Path, template: Path, name: str = evaluate.TEST) -> evaluate.Scores:
    scores = evaluate.measure(evaluate.served(adapter, template), name)
    say(f"{evaluate.table({'model': scores})}\n")
    # What the test got wrong is for nobody to read who writes the data.
    if name == evaluate.VALIDATION:
        for record in scores.wrong:
            say(f"wrong: {record['ask'][-1]} -> {record['answer']} ({'; '.join(record['verdict']['why'])})")
        for line, call in scores.false_actions:
            say(f"false action: {line} -> {call}")
    say(f"\nFalse actions on {scores.off_topic} off-topic questions: {len(scores.false_actions)}")
    return scores


def _merged(measured: bool) -> None:
    from training.export import merge

    path = cache_dir() / "models" / f"{ALIAS}-Q8_0.gguf"
    adapter, template = MODELS / f"{ALIAS}.lora.gguf", MODELS / f"{ALIAS}.jinja"
    unfinished = path.with_suffix(".unfinished")
    merge(find_base_model(), adapter, template, unfinished)
    unfinished.replace(path)
    say(f"Written: {path}")
    if measured:
        ways = {"adapter": evaluate.served(adapter, template), "merged": evaluate.merged(path)}
        scored = {name: evaluate.measure(way, off_topic=False) for name, way in ways.items()}
        say(evaluate.table(scored))
        for name, scores in scored.items():
            say(f"{name}: {', '.join(f'{key} {value:.1f}' for key, value in scores.speed.items())}")


def _begun_with(start: Path | None) -> str:
    return f"{start.name}, SHA-256 {hashlib.sha256(start.read_bytes()).hexdigest()}" if start else "nothing"


def _commit() -> str:
    """The commit that this was made with; empty outside of git."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=MODELS.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
