"""The loop: ask the model, run the tools it calls, give it the results, until it answers.

It is a generator over plain values: it yields `events`, and knows neither HTTP nor the Bridge nor who is watching.
A test drives it with a scripted model and no server. Every run ends in a sentence for a person:

- up to `max_turns` turns with tools, then one more that may not call any;
- a call that repeats is answered from before, and a third time ends the tool turns;
- an empty reply is tried once more, and so are a lost connection and a reply that the server could not read.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from board_agent import events
from board_agent.answers import doubtful_numbers, plain_sentence, with_failures
from board_agent.calls import calls_in_text, text_before_calls
from board_agent.context import Context
from board_agent.conversations import Past
from board_agent.deadline import Deadline, Ended
from board_agent.model import Message, Model, ModelError, Progress, Reply, Text, ToolCall
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.toolbox import Outcome, Toolbox, compact, failed, json_object

APPROVAL_TIMEOUT_S = 30.0
LOADING_PAUSE_S = 1.0

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Approval:
    """What is sent into the generator after an `ApprovalNeeded`: a person's yes or no, or nobody's; why, in words."""

    approved: bool
    reason: str


Run = Generator[events.Event, Approval | None, None]


@dataclass(frozen=True)
class Finished:
    """How a run ended, and the messages between its question and its answer."""

    ended: events.RunEnded
    steps: list[Message]


@dataclass
class _State:
    """What a run has so far."""

    context: Context
    results: list[events.ToolEnded] = field(default_factory=list)
    replies: list[events.TurnEnded] = field(default_factory=list)
    answered: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    repeated: set[tuple[str, str]] = field(default_factory=set)
    closing: bool = False
    """The next turn is the reserved one."""


class Agent:
    """A model and the tools it may use."""

    def __init__(self, model: Model, toolbox: Toolbox, *, max_turns: int = 6, prompt: str = SYSTEM_PROMPT) -> None:
        self.model = model
        self.toolbox = toolbox
        self.max_turns = max_turns
        self.prompt = prompt

    def run(
        self, question: str, deadline: Deadline, past: Past | None = None
    ) -> Generator[events.Event, Approval | None, Finished]:
        """Answer one question. Yields what happens, last a `RunEnded`; after an `ApprovalNeeded` takes an `Approval`.

        Args:
            past: earlier questions of the same conversation; None for a question that stands alone.
        """
        system, asked = {"role": "system", "content": self.prompt}, {"role": "user", "content": question}
        context = Context(self.model, self.toolbox.schemas(), system, asked, past or Past())
        state = _State(context)
        error = None
        try:
            answer, stopped = yield from self._turns(state, deadline)
            answer = with_failures(answer, [r for r in state.results if self.toolbox.risk(r.tool) != "read"])
        except Ended as end:
            stopped = end.reason
            opening = "Stopped." if stopped == "stopped" else f"The time limit of {deadline.seconds:g} s was reached."
            answer = plain_sentence(opening, state.results)
        except ModelError as problem:
            stopped, error = "error", str(problem)
            answer = plain_sentence(f"No answer: {error}", state.results) if state.results else f"No answer: {error}"
        sources = [question, *(str(m.get("content")) for m in context.past), *(r.result for r in state.results)]
        ended = events.RunEnded(
            answer=answer,
            stopped=stopped,
            error=error,
            total_ms=deadline.elapsed_ms(),
            turns=len(state.replies),
            tokens_read=sum(reply.tokens_read for reply in state.replies),
            tokens_reused=sum(reply.tokens_reused for reply in state.replies),
            tokens_written=sum(reply.tokens_written for reply in state.replies),
            doubtful=doubtful_numbers(answer, [*sources, *(compact(r.args) for r in state.results)])
            if not error
            else [],
            history=context.kept() if past else None,
        )
        yield ended
        return Finished(ended, context.own[1:])

    def _turns(self, state: _State, deadline: Deadline) -> Generator[events.Event, Approval | None, tuple[str, str]]:
        """Turn after turn until there is an answer: the answer and why it stopped."""
        turn = 0
        while True:
            turn += 1
            final = state.closing or turn > self.max_turns
            reply = yield from self._reply(state, turn, final, deadline)
            text, calls = self._read(reply)
            if final:
                said = (
                    text
                    if text and not calls
                    else plain_sentence("The model gave no sentence of its own.", state.results)
                )
                return said, "turn_limit"
            if calls:
                state.context.own.append(_as_message(text, calls))
                for call in calls:
                    yield from self._call(state, turn, call, reply, deadline)
            elif text:
                return text, "answered"
            elif state.results:
                state.closing = True
            else:
                raise ModelError(_why_empty(reply), "refused")

    def _reply(
        self, state: _State, turn: int, final: bool, deadline: Deadline
    ) -> Generator[events.Event, Approval | None, Reply]:
        """One reply of the model; what may pass by itself is waited for or tried once more."""
        yield events.TurnStarted(turn=turn, final=final)
        retries = {"lost": 1, "unparsable": 1, "empty": 1}
        while True:
            deadline.check()
            try:
                reply = yield from self._stream(state, turn, final, deadline)
            except ModelError as error:
                if error.kind == "loading":
                    yield events.Waiting(reason=str(error))
                    deadline.sleep(LOADING_PAUSE_S)
                    continue
                if not retries.get(error.kind):
                    raise
                retries[error.kind] -= 1
                yield events.Waiting(reason=f"{error} Trying once more.")
                deadline.sleep(LOADING_PAUSE_S)
                continue
            ended = events.TurnEnded(
                turn=turn,
                text=reply.text,
                tokens_read=reply.tokens_read,
                tokens_reused=reply.tokens_reused,
                tokens_written=reply.tokens_written,
                read_ms=reply.read_ms,
                write_ms=reply.write_ms,
                llm_ms=reply.llm_ms,
            )
            state.replies.append(ended)
            if reply.text.strip() or reply.calls or not retries["empty"]:
                yield ended
                return reply
            retries["empty"] -= 1
            yield events.Waiting(reason="The model gave an empty reply. Trying once more.")

    def _stream(
        self, state: _State, turn: int, final: bool, deadline: Deadline
    ) -> Generator[events.Event, Approval | None, Reply]:
        """One request: the model's progress as events, and its whole reply."""
        state.context.make_room()
        for item in self.model.stream(state.context.messages(), self.toolbox.schemas(), deadline, final=final):
            if isinstance(item, Progress):
                yield events.PromptProgress(
                    turn=turn, total=item.total, cached=item.cached, processed=item.processed, ms=item.ms
                )
            elif isinstance(item, Text):
                yield events.TextDelta(turn=turn, text=item.text)
            else:
                return item
        raise ModelError("the reply of the model has no end.", "lost")

    def _read(self, reply: Reply) -> tuple[str, list[ToolCall]]:
        """The text and the calls of a reply; a call written as text is taken as the call it means."""
        text = _THINKING.sub("", reply.text).strip()
        if reply.calls:
            return text, reply.calls
        found = calls_in_text(text, self.toolbox.tools)
        calls = [ToolCall(f"call_{n}", name, arguments) for n, (name, arguments) in enumerate(found, 1)]
        return (text_before_calls(text) if calls else text), calls

    def _call(
        self, state: _State, turn: int, call: ToolCall, reply: Reply, deadline: Deadline
    ) -> Generator[events.Event, Approval | None, None]:
        """One tool call: run it, or say why not; the result goes to the model as a tool message."""
        args, problem = self.toolbox.parse(call.name, call.arguments)
        repairs: list[str] = []
        if problem:
            args, repairs = self.toolbox.mend(call.name, args)
            problem = None if repairs else problem
        if problem and reply.finish_reason == "length":
            problem = f"the call was cut off for length: {problem}"
        number = len(state.results) + 1
        risk = self.toolbox.risk(call.name)
        about: dict[str, Any] = {"turn": turn, "call": number, "tool": call.name, "args": args}
        yield events.ToolStarted(**about, risk=risk)

        key = (call.name, compact(args) if not problem else call.arguments)
        if key in state.answered:
            state.closing = state.closing or key in state.repeated
            state.repeated.add(key)
            outcome = _repeated(state.answered[key])
        elif problem:
            outcome = failed(problem)
        else:
            approved = None
            if self.toolbox.decision(call.name) == "ask":
                answer = yield events.ApprovalNeeded(**about, risk=risk, timeout_s=APPROVAL_TIMEOUT_S)
                approved = answer is not None and answer.approved
                yield events.ApprovalAnswered(
                    turn=turn, call=number, approved=approved, reason=answer.reason if answer else "nobody was asked"
                )
            outcome = self.toolbox.call(call.name, args, deadline, approved=approved)
            if risk != "read":
                # Switching on, off and on again is no repetition: what else this tool did is out of date now.
                for old in [k for k in state.answered if k[0] == call.name]:
                    del state.answered[old]
        if outcome.state == "failed" and risk != "read" and key not in state.repeated:
            state.repeated.add(key)  # a sketch that was starting may be there now: once more it is really run
        else:
            state.answered.setdefault(key, outcome)

        ended = events.ToolEnded(
            **about,
            result=outcome.result,
            state=outcome.state,
            tool_ms=outcome.tool_ms,
            llm_ms=reply.llm_ms,
            repairs=[*repairs, *outcome.repairs],
        )
        state.results.append(ended)
        state.context.own.append({"role": "tool", "tool_call_id": call.id, "content": outcome.result})
        yield ended


def _repeated(first: Outcome) -> Outcome:
    """The answer to a call that was answered before: the same again, and a word on it."""
    note = '"note":"this call was already answered; use this result, do not call again"'
    body = first.result.removesuffix("}")
    return Outcome(f"{body}{',' if len(body) > 1 else ''}{note}}}", "repeated")


def _as_message(text: str, calls: Sequence[ToolCall]) -> Message:
    """The model's turn as it is sent back to it. Arguments that are no JSON object are replayed as `{}`.

    With anything else in there llama-server refuses the next request, and the conversation is dead.
    """
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": call.arguments if json_object(call.arguments) is not None else "{}",
                },
            }
            for call in calls
        ],
    }


def _why_empty(reply: Reply) -> str:
    if reply.reasoned:
        return "the model only thinks and says nothing; start llama-server with --reasoning off --reasoning-budget 0."
    return "the model gave an empty reply twice; ask again in other words, or use another model."
