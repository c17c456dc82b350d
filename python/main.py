"""Board Agent: puts the parts together and runs them.

App Lab starts this file (`python /app/python/main.py`). It ends when App Lab stops the app, with LED and matrix off.
"""

import logging
import os
import signal
import sys
import threading

from arduino.app_utils import App

from board_agent import settings
from board_agent.access import Access, load_key
from board_agent.agent import Agent
from board_agent.board import Board, BoardError
from board_agent.conversations import Conversations
from board_agent.doctor import Doctor
from board_agent.feed import Feed
from board_agent.model import Model
from board_agent.patterns import load_patterns
from board_agent.plain import OneLine
from board_agent.prefix import Prefix
from board_agent.prompt import SYSTEM_PROMPT
from board_agent.runs import Runs, answering
from board_agent.server import make_server
from board_agent.toolbox import Toolbox
from board_agent.tools import six_tools
from board_agent.tools.files import file_tools
from board_agent.tools.system import make_get_system_info
from board_agent.tools.workspace import Workspace
from board_agent.watch import BoardWatch, ModelWatch
from board_agent.web import House, create_app

log = logging.getLogger("board_agent")

SAFE_STATE_TIMEOUT_S = 0.5  # with what the call itself adds, never more than a second


def main() -> None:
    """Build everything, serve, and block until the app is stopped."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in ("httpx", "httpx2"):  # a line for each request to llama-server
        logging.getLogger(name).setLevel(logging.WARNING)
    signal.signal(signal.SIGTERM, _end)  # what `app stop` sends; newer versions of App.run take it over
    config = settings.from_environment({**settings.read_file(), **os.environ})
    handler.setFormatter(OneLine(config.secrets()))
    log.info("settings: %s", config.public())
    if not config.agent_workspace.is_dir():
        log.warning(
            "AGENT_WORKSPACE: there is no folder %s; the file tools have nothing to read", config.agent_workspace
        )

    patterns = load_patterns(settings.APP_DIR / "sketch" / "patterns.h")
    board = Board()
    get_system_info = make_get_system_info(settings.APP_DIR)
    with_files = "files" in config.agent_tools
    workspace = Workspace(config.agent_workspace, versions=with_files)
    toolbox = Toolbox(
        [
            *six_tools(get_system_info, workspace, board, list(patterns)),
            *(file_tools(workspace, lambda change: runs.file_changed(change)) if with_files else []),
            # Your own tools come here: Tool(function).
        ],
        config.policy,
    )
    model = Model(config.llm_base_url, name=config.llm_model, api_key=config.llm_api_key)
    agent = Agent(model, toolbox, max_turns=config.agent_max_turns)

    feed = Feed()
    model_watch = ModelWatch(
        model,
        feed,
        lambda told: Prefix(model, SYSTEM_PROMPT, toolbox.schemas(), slots=config.agent_slots, on_change=told),
    )
    board_watch = BoardWatch(board, feed, patterns)

    def safe_state() -> None:
        try:
            board.all_off(SAFE_STATE_TIMEOUT_S)
        except BoardError as error:
            log.warning("the board could not be made safe: %s", error)
        board_watch.look()

    conversations = Conversations(
        config.agent_data / "conversations.sqlite3", lambda: feed.set_state(conversations.to_json())
    )
    feed.set_state(conversations.to_json())
    answer = answering(agent, model_watch, conversations)
    runs = Runs(answer, feed, time_limit_s=config.agent_time_limit_s, on_stopped=safe_state)
    key = load_key(config.agent_data) if config.agent_token else b""
    access = Access(config.agent_token, config.agent_watch_token, config.agent_allowed_hosts, key)
    doctor = Doctor(model, model_watch, toolbox, board, get_system_info, lambda: conversations.error)
    house = House(runs, feed, model, model_watch, toolbox, safe_state, conversations, workspace, doctor, access)
    server = make_server(create_app(house), config.agent_host, config.agent_port)
    threading.Thread(target=server.serve_forever, name="web", daemon=True).start()
    model_watch.start()
    board_watch.start()
    log.info(
        "the page is at http://%s:%d/ (in the board's network: by its name or address)", *server.server_address[:2]
    )
    try:
        App.run()
    finally:
        runs.close()
        model_watch.close()
        board_watch.close()
        server.shutdown()
        conversations.close()
        safe_state()


def _end(signum: int, frame: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    try:
        main()
    except (settings.SettingsError, OSError) as error:
        sys.exit(f"Board Agent cannot start: {error}")
