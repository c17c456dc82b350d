"""What get_system_info says, on a board, on another system and when little can be read."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from board_agent.tools.system import make_get_system_info


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The files of a UNO Q that the tool reads."""
    write(tmp_path / "etc/os-release", 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    write(tmp_path / "proc/meminfo", "MemTotal:        3774316 kB\nMemFree:   103456 kB\nMemAvailable:    2404964 kB\n")
    write(tmp_path / "proc/uptime", "19440.22 71234.11\n")
    sensor(tmp_path, 0, "mapss-thermal", "61000")
    sensor(tmp_path, 1, "cpuss0-thermal", "48300")
    sensor(tmp_path, 2, "cpuss1-thermal", "49260")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def sensor(root: Path, number: int, name: str, millidegrees: str) -> None:
    folder = root / f"sys/class/thermal/thermal_zone{number}"
    write(folder / "type", f"{name}\n")
    write(folder / "temp", f"{millidegrees}\n")


def partitions(monkeypatch: pytest.MonkeyPatch, sizes: dict[Path, tuple[float, float]]) -> None:
    """Let folders lie on partitions of so many free and total bytes."""

    def statvfs(folder: Path) -> SimpleNamespace:
        if folder not in sizes:
            raise FileNotFoundError(folder)
        free, total = (size // 4096 for size in sizes[folder])
        return SimpleNamespace(f_bavail=free, f_bfree=free + 1_000_000, f_blocks=total, f_frsize=4096, f_bsize=512)

    monkeypatch.setattr(os, "statvfs", statvfs)


def test_a_board_reports_its_facts_in_the_order_the_model_was_trained_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = root / "app"
    partitions(monkeypatch, {root: (2.66e9, 10.4e9), home: (14.24e9, 17.9e9)})
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    facts = make_get_system_info(home, root)()
    assert list(facts.items()) == [
        ("os", "Debian GNU/Linux 13 (trixie)"),
        ("machine", "aarch64"),
        ("cpu_count", 4),
        ("cpu_temp_c", 49.3),
        ("uptime_h", 5.4),
        ("memory_free_gb", 2.46),
        ("memory_total_gb", 3.86),
        ("disk_free_gb", 2.66),
        ("disk_total_gb", 10.4),
        ("home_free_gb", 14.2),
        ("home_total_gb", 17.9),
    ]


def test_what_cannot_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partitions(monkeypatch, {})
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(sysname="Darwin", release="24.5.0", machine="arm64"))
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert make_get_system_info(tmp_path, tmp_path)() == {"os": "Darwin 24.5.0", "machine": "arm64"}


def test_a_small_number_of_gigabytes_has_two_decimals(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partitions(monkeypatch, {root: (1.044e9, 10.44e9)})
    facts = make_get_system_info(root, root)()
    assert facts["disk_free_gb"] == 1.04
    assert facts["disk_total_gb"] == 10.4


@pytest.mark.parametrize("reading", ["0", "-274000", "200000", "asleep", "", "9" * 1000, "nan"])
def test_an_implausible_temperature_is_left_out(tmp_path: Path, reading: str) -> None:
    sensor(tmp_path, 0, "cpu-thermal", reading)
    assert "cpu_temp_c" not in make_get_system_info(tmp_path, tmp_path)()


def test_a_broken_sensor_does_not_hide_one_that_works(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu-thermal", "0")
    sensor(tmp_path, 1, "gpu-thermal", "44000")
    sensor(tmp_path, 2, "battery", "31000")
    assert make_get_system_info(tmp_path, tmp_path)()["cpu_temp_c"] == 44.0


def test_frost_is_plausible(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu-thermal", "-5500")
    assert make_get_system_info(tmp_path, tmp_path)()["cpu_temp_c"] == -5.5


def test_files_with_rubbish_in_them_are_passed_over(root: Path) -> None:
    for name in ("etc/os-release", "proc/meminfo", "proc/uptime"):
        (root / name).write_bytes(b"\xff\xfe\x00PRETTY_NAME MemTotal: kB\n" * 1000)
    facts = make_get_system_info(root, root)()
    assert facts["os"] == f"{os.uname().sysname} {os.uname().release}"
    assert not {"memory_free_gb", "memory_total_gb", "uptime_h"} & facts.keys()


def test_this_machine_has_a_disk(tmp_path: Path) -> None:
    facts = make_get_system_info(tmp_path)()
    assert 0 <= facts["disk_free_gb"] <= facts["disk_total_gb"]
    assert 0 <= facts["home_free_gb"] <= facts["home_total_gb"]
