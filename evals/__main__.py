"""`make eval`: asks the question set and says what was right.

Without options it starts the small model of `models/` on a llama-server of its own and a simulated board. `--base-url`
asks another server, with the tools in this process; `--app` asks an app that runs somewhere, with its own board.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from board_agent.model import Model, ModelError
from evals import questions, records, report
from evals.ablations import ABLATIONS, Ablation
from evals.clumsy import ClumsyModel, Mistakes, clumsy_client
from evals.expressions import Facts
from evals.loops import Answer, AppLoop, HarnessLoop, Loop, PlainLoop, plain_client
from evals.questions import Question
from evals.score import score
from evals.world import ROOT, World
from simulator.llama_server import SMALL, LlamaServer, Served, find_base_model, threads
from simulator.setup import SetUpError
from simulator.sketch import SketchError

OUT = ROOT / "data" / "evals"
BARE = Served("smollm2-135m-instruct", lambda: ["--model", str(find_base_model()), "--predict", "200"])
MODELS = {"small": SMALL, "bare": BARE}
FLAGS = "--jinja --ctx-size 4096 --batch-size 512 --parallel 1, {} threads"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say; 0 when it ran, whatever the answers were."""
    options = _parser().parse_args(arguments)
    try:
        if options.compare:
            results = [records.load(file) for file in options.compare]
            _publish(results, options.out / "compared")
            return 0
        with ExitStack() as stack:
            result, name = _run(options, stack)
        _publish([result], options.out / name)
    except (SetUpError, SketchError, ModelError, httpx.HTTPError, OSError, ValueError) as error:
        print(f"evals: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The JSON lines hold what was asked so far.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__.partition("\n")[0])
    where = parser.add_mutually_exclusive_group()
    add = where.add_argument
    add("--start", choices=MODELS, default="small", help="start this model here (bare: without the adapter)")
    add("--base-url", metavar="URL", help="ask this OpenAI-compatible server, such as http://board:8081/v1")
    add("--app", metavar="URL", help="ask this app, such as http://board.local:7000")
    add = parser.add_argument
    add("--model", default="", metavar="NAME", help="the model to ask for at --base-url")
    add("--loop", choices=("harness", "plain"), default="harness", help="our loop, or that of most tutorials")
    add("--ablation", choices=ABLATIONS, help="leave one measure of the harness out")
    add("--clumsy", action="store_true", help="put mistakes that small models make into half of the calls")
    add("--questions", metavar="REGEX", default="", help="only questions whose id matches")
    add("--kind", action="append", help="only questions of this kind; may be given again")
    add("--n", type=int, default=1, metavar="N", help="ask each question so often, with other readings")
    add("--seed", type=int, default=1, help="other readings and files")
    add("--machine", help="for the report: what the model runs on, where that is not this machine")
    add("--quantization", help="for the report: how the model is quantized")
    add("--flags", help="for the report: how its server was started")
    add("--label", help="a name for tables and files")
    add("--out", type=Path, default=OUT, metavar="DIR", help="where the results go")
    compare = "compare earlier results (.jsonl), the first with each other one"
    add("--compare", nargs="+", type=Path, metavar="FILE", help=compare)
    return parser


def _run(options: argparse.Namespace, stack: ExitStack) -> tuple[records.Result, str]:
    """Ask everything; the result and the name of its files."""
    chosen = _chosen(options)
    if options.app:
        model, steps = _at_app(options, chosen)
    else:
        model, steps = _in_process(options, chosen, stack)
    changes = [ABLATIONS[options.ablation].title] if options.ablation else []
    changes += ["mistakes in half of the calls"] if options.clumsy else []
    loop = "app" if options.app else options.loop
    parts = [model["model"], loop, options.ablation, "clumsy" if options.clumsy else ""]
    label = options.label or " ".join(filter(None, parts))
    about = {
        **{"label": label, "date": time.strftime("%Y-%m-%d"), "machine": options.machine or records.machine()},
        **{**model, "loop": loop, "change": "; ".join(changes), "runs": str(options.n), "seed": str(options.seed)},
    }
    if options.flags:
        about["flags"] = options.flags
    if options.quantization:
        about["quantization"] = options.quantization
    name = re.sub(r"[^\w.-]+", "-", label)
    total = len(chosen) * options.n
    file = options.out / f"{name}.jsonl"
    return records.Result(about, list(_shown(records.write(file, about, steps), total))), name


def _chosen(options: argparse.Namespace) -> list[Question]:
    chosen = [
        question
        for question in questions.load()
        if re.search(options.questions, question.id)
        and (not options.kind or question.kind in options.kind)
        and not (options.app and question.sandbox)
    ]
    if not chosen:
        raise ValueError("no question is left; see --questions and --kind, and the ids in evals/questions.yaml")
    return chosen


def _in_process(
    options: argparse.Namespace, chosen: Sequence[Question], stack: ExitStack
) -> tuple[dict[str, str], Iterator[records.Record]]:
    """The tools and the loop in this process, on a simulated board."""
    ablation = ABLATIONS[options.ablation] if options.ablation else Ablation("")
    url, key, flags = options.base_url, os.environ.get("LLM_API_KEY", ""), ""
    if not url:
        url = stack.enter_context(LlamaServer(served=MODELS[options.start])).base_url
        flags = FLAGS.format(threads())
    model = Model(url, name=options.model, api_key=key)
    about = {**_about_model(model), "flags": flags}
    world = stack.enter_context(World(options.seed))
    toolbox = world.toolbox(ablation.tools)
    mistakes = Mistakes(options.seed) if options.clumsy else None
    loop: Loop
    if options.loop == "plain":
        client = plain_client(url, key)
        loop = PlainLoop(clumsy_client(client, mistakes) if mistakes else client, about["model"], toolbox)
    else:
        clumsy: Any = ClumsyModel(model, mistakes) if mistakes else model
        loop = HarnessLoop(ablation.agent(ablation.model(clumsy), toolbox))
    return about, in_world(world, loop, chosen, options.n)


def in_world(world: World, loop: Loop, chosen: Sequence[Question], n: int) -> Iterator[records.Record]:
    """Ask each question `n` times on the simulated board."""
    schemas = {tool.name: tool.parameters for tool in world.tools}
    for run in range(n):
        for question in chosen:
            facts = world.prepare(question, run)
            before = world.board()
            answer = loop.ask(question.ask)
            yield _record(question, run, answer, facts, before, world.board(), schemas)


def _at_app(options: argparse.Namespace, chosen: Sequence[Question]) -> tuple[dict[str, str], Iterator[records.Record]]:
    """An app with its own board; what it read is taken from its trace."""
    loop = AppLoop(options.app, os.environ.get("AGENT_TOKEN", ""))
    state = loop.status()["model"]
    if not state["ok"]:
        raise ValueError(f"the app has no model: {state['error']}")
    about = {"model": state["model"], "build": state["server"], "flags": f"--ctx-size {state['context']}"}
    if not options.machine and urlsplit(options.app).hostname not in ("127.0.0.1", "localhost"):
        about["machine"] = str(urlsplit(options.app).hostname)
    return about, _with_app(loop, chosen, options.n)


def _with_app(loop: AppLoop, chosen: Sequence[Question], n: int) -> Iterator[records.Record]:
    with World() as world:  # only for the schemas
        schemas = {tool.name: tool.parameters for tool in world.tools}
    for run in range(n):
        for question in chosen:
            loop.make_safe()
            before = {"led": False, "pattern": "off"}
            answer = loop.ask(question.ask)
            yield _record(question, run, answer, facts_of(answer), before, loop.board(), schemas)


def facts_of(answer: Answer) -> Facts:
    """What a run read, from the results in its trace. What it did not read raises KeyError when it is asked for."""
    system: dict[str, Any] = {}
    files: dict[str, str] = {}
    folders: dict[str, list[str]] = {}
    for call in answer.calls:
        result = json.loads(call.result)
        match call.tool:
            case "get_system_info":
                system.update(result)
            case "read_file" if "content" in result:
                files[result["path"]] = result["content"]
            case "list_files" if "entries" in result:
                folders[result["path"]] = result["entries"]
    return Facts(system, files.__getitem__, folders.__getitem__)


def _record(
    question: Question,
    run: int,
    answer: Answer,
    facts: Facts,
    before: dict[str, Any],
    after: dict[str, Any],
    schemas: dict[str, Any],
) -> records.Record:
    verdict = score(question, facts, answer.text, answer.calls, before, after, schemas)
    said = vars(answer)
    return {
        **{"id": question.id, "kind": question.kind, "run": run, "ask": list(question.ask), "answer": answer.text},
        "calls": [vars(call) for call in answer.calls],
        **{key: said[key] for key in ("stopped", "turns", "tokens_read", "tokens_reused", "tokens_written")},
        "seconds": round(answer.seconds, 3),
        **({"error": answer.error} if answer.error else {}),
        **{"before": before, "after": after, "system": facts.system},
        "verdict": verdict.to_json(),
    }


def _about_model(model: Model) -> dict[str, str]:
    server = model.probe()
    path = str(server.identity.get("model_path") or "")
    found = re.search(r"(?i)\b(I?Q\d\w*|BF16|F16|F32|MXFP4)(?=\.gguf$|-)", Path(path).name)
    return {"model": server.model, "quantization": found[1] if found else "", "build": server.title}


def _shown(steps: Iterator[records.Record], total: int) -> Iterator[records.Record]:
    """Pass the records on with a progress bar on a terminal."""
    live, right = sys.stderr.isatty(), 0
    for done, record in enumerate(steps, 1):
        yield record
        right += record["verdict"]["right"]
        if live:
            bar = "#" * (30 * done // total)
            print(f"\r  [{bar:30}] {done} of {total}, {right} right ", end="", file=sys.stderr, flush=True)
    if live:
        print("\r" + " " * 72 + "\r", end="", file=sys.stderr, flush=True)


def _publish(results: Sequence[records.Result], name: Path) -> None:
    """Print the tables and write the report and its picture."""
    first, *others = results
    for other in others:
        print(report.terminal(report.comparison_rows(first, other)) + f"\n{report.in_words(first, other)}\n")
    if not others:
        print(report.terminal(report.summary_rows(first)))
    name.parent.mkdir(parents=True, exist_ok=True)
    # Not with_suffix: a model's name may have a dot in it.
    picture = name.with_name(f"{name.name}.svg")
    picture.write_text(report.picture(results), encoding="utf-8")
    text = name.with_name(f"{name.name}.md")
    text.write_text(report.markdown(results, picture.name), encoding="utf-8")
    print(f"\nReport: {text}")


if __name__ == "__main__":
    sys.exit(main())
