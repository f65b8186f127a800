"""The limits of threads and memory, as the kernel's files tell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.run import here
from ciphermark.run.here import limits

OLD = "9:pids:/\n4:memory:/box/7\n1:cpu,cpuacct:/\n0::/\n"
OLD_MOUNTS = (
    "31 20 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
    "32 20 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "33 20 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
)
NEW = "0::/box/app\n"
NEW_MOUNTS = "31 20 0:28 /box /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine with 3700 threads left and 2 MiB of memory, before control groups."""
    write(tmp_path, "proc/loadavg", "0.5 0.4 0.3 2/300 12345")
    write(tmp_path, "proc/sys/kernel/threads-max", "9000")
    write(tmp_path, "proc/sys/kernel/pid_max", "4000")
    write(tmp_path, "proc/meminfo", "MemFree: 1 kB\nMemAvailable:    2048 kB")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_narrowest_limit_of_the_kernel_is_told(root: Path) -> None:
    found = limits(root)
    assert (found.threads, found.threads_by) == (3700, "kernel.pid_max")
    assert found.memory_bytes == 2 << 20


def test_groups_of_version_2_limit_with_their_parents(root: Path) -> None:
    write(root, "proc/self/cgroup", NEW)
    write(root, "proc/self/mountinfo", NEW_MOUNTS)
    write(root, "sys/fs/cgroup/pids.max", "600")
    write(root, "sys/fs/cgroup/pids.current", "100")
    write(root, "sys/fs/cgroup/app/pids.max", "max")
    write(root, "sys/fs/cgroup/app/memory.max", "1048576")
    write(root, "sys/fs/cgroup/app/memory.current", "48576")
    found = limits(root)
    folder = root / "sys/fs/cgroup"
    assert (found.threads, found.threads_by) == (500, f"pids.max of {folder}")
    assert found.memory_bytes == 1_000_000


def test_groups_of_version_1_are_in_a_hierarchy_for_each_controller(root: Path) -> None:
    write(root, "proc/self/cgroup", OLD)
    write(root, "proc/self/mountinfo", OLD_MOUNTS)
    write(root, "sys/fs/cgroup/pids/pids.max", "400")
    write(root, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1048576")
    write(root, "sys/fs/cgroup/memory/box/7/memory.limit_in_bytes", str((1 << 63) - 4096))
    found = limits(root)
    assert found.threads == 400
    assert found.memory_bytes == 1 << 20


def test_real_time_needs_a_capability_or_a_limit(root: Path) -> None:
    assert not here.may_be_real_time(root)
    limits_ = (
        "Max processes             100     100     processes\nMax realtime priority     {} 0\n"
    )
    write(root, "proc/self/status", "Name:\tsh\nCapEff:\t0000000000000400\n")
    write(root, "proc/self/limits", limits_.format(0))
    assert not here.may_be_real_time(root)
    write(root, "proc/self/limits", limits_.format(5))
    assert here.may_be_real_time(root)
    write(root, "proc/self/limits", limits_.format(0))
    write(root, "proc/self/status", "Name:\tsh\nCapEff:\t0000000000800000\n")
    assert here.may_be_real_time(root)


def test_a_quota_needs_a_group_that_can_be_made(root: Path) -> None:
    assert not here.may_bound_cpu(root)
    write(root, "proc/self/cgroup", OLD)
    write(root, "proc/self/mountinfo", OLD_MOUNTS)
    assert not here.may_bound_cpu(root), "the folder is not there"
    (root / "sys/fs/cgroup/cpu").mkdir(parents=True)
    assert here.may_bound_cpu(root)
    assert list((root / "sys/fs/cgroup/cpu").iterdir()) == []
