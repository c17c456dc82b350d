"""Compiles the sketch, as it is, into a program for this machine.

The program is cached by what went into it: the sketch, the host core, the compiler and how it is called. Nothing
here knows what the sketch does.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from simulator import cache_dir, say

ROOT = Path(__file__).resolve().parent.parent
SKETCH = ROOT / "sketch"
CORE = Path(__file__).resolve().parent / "core"

FLAGS = ("-std=c++17", "-fno-exceptions", "-O1", "-g", "-Wall", "-Wextra", "-pthread")

# A function defined at the start of a line. Default values cannot be repeated in a prototype, so such functions are
# left alone.
_FUNCTION = re.compile(
    r"^(?!(?:class|else|enum|namespace|return|struct|template|typedef|union|using)\b)"
    r"([A-Za-z_][\w:<>,&* \t]*?[ \t&*])([A-Za-z_]\w*)\s*\(([^(){};=]*)\)\s*\{",
    re.MULTILINE,
)


class SketchError(Exception):
    """The sketch cannot be compiled; the message holds what the compiler says, or what to install."""


def compile_sketch(folder: Path = SKETCH, flags: Sequence[str] = ()) -> Path:
    """Return the program made of the sketch in `folder`, compiled when it is not in the cache; raises SketchError.

    `flags` are more arguments for the compiler.
    """
    compiler = find_compiler()
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    command = [compiler, *FLAGS, *flags]
    base = _digest("\0".join([platform.machine(), version, *command]).encode(), CORE)
    command = [*command, f"-I{CORE}"]
    core = [
        _made(_digest(base + source.name.encode()), [*command, "-c", str(source)])
        for source in sorted(CORE.glob("*.cpp"))
    ]
    command = [*command, f"-I{folder}", "-xc++", "-", "-xnone", *map(str, core)]
    source = as_cpp((folder / "sketch.ino").read_text(encoding="utf-8"))
    return _made(_digest(base, folder), command, source, f"Compiling {folder / 'sketch.ino'} for this machine")


def _made(key: bytes, command: Sequence[str], source: str = "", message: str = "") -> Path:
    """Return what the command makes of `source`, new or out of the cache; `key` stands for all that goes into it."""
    made = cache_dir() / "sketch" / key.hex()[:32]
    if made.exists():
        return made
    if message:
        say(message)
    made.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and then renamed, so that whoever looks at the same time finds all of it or nothing.
    with tempfile.TemporaryDirectory(dir=made.parent, prefix="making-") as folder:
        making = Path(folder) / "made"
        done = subprocess.run([*command, "-o", str(making)], input=source, capture_output=True, text=True)
        if done.returncode != 0:
            raise SketchError(f"The sketch does not compile:\n{done.stderr.strip()}")
        if done.stderr:
            say(done.stderr.strip())
        making.replace(made)
    return made


def _digest(base: bytes, folder: Path | None = None) -> bytes:
    digest = hashlib.sha256(base)
    for path in sorted(folder.iterdir()) if folder else []:
        if path.suffix in {".ino", ".h", ".cpp"}:
            digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.digest()


def find_compiler() -> str:
    """Return the C++ compiler: $CXX, else the first of the usual names; raises SketchError when there is none."""
    chosen = os.environ.get("CXX")
    for name in [chosen] if chosen else ["c++", "g++", "clang++"]:
        if found := shutil.which(name):
            return found
    if chosen:
        raise SketchError(f"CXX names {chosen}, which is no program here; unset it or name a C++ compiler.")
    raise SketchError(
        "There is no C++ compiler, and the simulated board needs one: install g++ (Debian: sudo apt install g++, "
        "macOS: xcode-select --install) or name one by CXX."
    )


def as_cpp(sketch: str) -> str:
    """Return a sketch as C++, as Arduino does it: Arduino.h on top, and every function declared before the first."""
    functions = list(_FUNCTION.finditer(sketch))
    first = functions[0].start() if functions else len(sketch)
    prototypes = "".join(
        f"{kind}{name}({' '.join(params.split())});\n" for kind, name, params in map(_parts, functions)
    )
    line = sketch.count("\n", 0, first) + 1
    return (
        f'#include <Arduino.h>\n#line 1 "sketch.ino"\n{sketch[:first]}\n'
        f'#line 1 "prototypes"\n{prototypes}#line {line} "sketch.ino"\n{sketch[first:]}'
    )


def _parts(function: re.Match[str]) -> tuple[str, str, str]:
    return function[1], function[2], function[3]
