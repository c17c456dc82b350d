"""Facts about the board, read from a few fixed files. It never runs a program and never writes.

A gigabyte here is 10**9 bytes, as on a disk's label and in `df -H`; `df -h` counts 2**30 and so shows smaller numbers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

GB = 10**9
MOST_READ = 65_536
# A sensor that is switched off reports exactly 0, -40 or nonsense such as -273 or 200.
COLDEST_C, HOTTEST_C = -40, 125


def make_get_system_info(home: Path, root: Path = Path("/")) -> Callable[[], dict[str, Any]]:
    """Make the tool. `home` is any folder on the partition that counts as home; `root` stands for / in tests."""

    def get_system_info() -> dict[str, Any]:
        """OS, CPU, temperature, uptime, memory, free disk, free /home.

        What cannot be read is left out.
        """
        memory = _memory(root / "proc/meminfo")
        disk, home_disk = _space(root), _space(home)
        facts = {
            "os": _os_name(root / "etc/os-release"),
            "machine": os.uname().machine,
            "cpu_count": os.cpu_count(),
            "cpu_temp_c": _cpu_temperature(root / "sys/class/thermal"),
            "uptime_h": _uptime(root / "proc/uptime"),
            "memory_free_gb": memory.get("MemAvailable"),
            "memory_total_gb": memory.get("MemTotal"),
            "disk_free_gb": disk.get("free"),
            "disk_total_gb": disk.get("total"),
            "home_free_gb": home_disk.get("free"),
            "home_total_gb": home_disk.get("total"),
        }
        return {name: value for name, value in facts.items() if value is not None}

    return get_system_info


def _read(path: Path) -> str:
    """The start of a file as text; empty when it cannot be read, as a sensor that is asleep cannot."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_READ).decode("utf-8", "replace")
    except OSError:
        return ""


def _short(value: float) -> float:
    """One decimal, or two below 10: "more than 1 GB" is about the difference between 1.0 and 1.04."""
    return round(value, 1 if value >= 10 else 2)


def _os_name(path: Path) -> str:
    for line in _read(path).splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "PRETTY_NAME" and value.strip("\"' "):
            return value.strip("\"' ")
    system = os.uname()
    return f"{system.sysname} {system.release}"


def _memory(path: Path) -> dict[str, float]:
    """The lines of meminfo, in GB. `MemAvailable` is what programs can still get, caches given back."""
    return {name: _short(int(kib) * 1024 / GB) for name, kib in re.findall(r"(?m)^(\w+): +(\d+) kB", _read(path))}


def _uptime(path: Path) -> float | None:
    seconds = re.match(r"\d+(\.\d+)?", _read(path))
    return _short(float(seconds[0]) / 3600) if seconds else None


def _space(folder: Path) -> dict[str, float]:
    """Free and total GB of the partition a folder lies on; free is what an ordinary user may fill."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return {}
    return {"free": _short(disk.f_bavail * disk.f_frsize / GB), "total": _short(disk.f_blocks * disk.f_frsize / GB)}


def _cpu_temperature(folder: Path) -> float | None:
    """The hottest sensor of the CPU in °C, or the hottest of all where none is named after the CPU."""
    cpu: list[float] = []
    other: list[float] = []
    for zone in folder.glob("thermal_zone*"):
        millidegrees = re.fullmatch(r"-?\d{1,9}", _read(zone / "temp").strip())
        celsius = int(millidegrees[0]) / 1000 if millidegrees else 0
        if celsius and COLDEST_C < celsius < HOTTEST_C:
            (cpu if "cpu" in _read(zone / "type").lower() else other).append(celsius)
    hottest = max(cpu or other, default=None)
    return None if hottest is None else round(hottest, 1)
