"""Options of `ciphermark sessions` and `ciphermark packets` as fields of a plan.

The tables are `[sessions]` and `[packets]`; CPUs are looked up where the machine is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import offloads, quantities
from ciphermark.plan.loads import (
    MOST_ATTEMPTS,
    MOST_BATCH,
    MOST_CPUS,
    MOST_FLOWS,
    MOST_IN_FLIGHT,
    MOST_NEIGHBOURS,
    MOST_PACKETS,
    MOST_PRIORITIES,
    MOST_QUEUE_BATCHES,
    MOST_SESSIONS,
)
from ciphermark.plan.names import each, name_of

if TYPE_CHECKING:
    from ciphermark.command.options import LoadOptions, OffloadOptions
    from ciphermark.workloads.packets.options import PacketOptions
    from ciphermark.workloads.sessions.options import SessionOptions


def of_sessions(
    sessions: SessionOptions, load: LoadOptions, offload: OffloadOptions
) -> dict[str, Any]:
    """Returns the fields of the table `[sessions]` that the user gives."""
    names = _Names("sessions")
    return _given(
        sessions=_numbers(sessions.sessions, "--sessions", 1, MOST_SESSIONS),
        **_common(load, offload, names),
        placement=names.each(sessions.placement, contract.Placement, "placement"),
        threads=names.one(sessions.threads, contract.Threads, "way to have threads"),
        contexts=names.each(sessions.contexts, contract.Contexts, "kind of contexts"),
        duration_s=_seconds(load.duration, "--duration"),
        window_s=None if sessions.window is None else quantities.span(sessions.window, "--window"),
        life_s=None if sessions.life is None else _life(sessions.life),
        policy=names.each(sessions.policy, contract.Policy, "scheduling policy"),
        nice=_numbers(sessions.nice, "--nice", -20, 19),
        quota_cpus=each(sessions.quota, lambda text: quantities.amount(text, "--quota")),
        neighbours=_numbers(sessions.neighbours, "--neighbours", 0, MOST_NEIGHBOURS),
        attempts=_number(sessions.attempts, "--attempts", MOST_ATTEMPTS),
    )


def of_packets(
    packets: PacketOptions, load: LoadOptions, offload: OffloadOptions
) -> dict[str, Any]:
    """Returns the fields of the table `[packets]` that the user gives."""
    names = _Names("packets")
    return _given(
        packets=_numbers(packets.packets, "--packets", 1, MOST_PACKETS),
        **_common(load, offload, names),
        keys=_numbers(packets.keys, "--keys", 1, MOST_FLOWS),
        lanes=_numbers(packets.lanes, "--lanes", 1, MOST_BATCH),
        batch=_numbers(packets.batch, "--batch", 1, MOST_BATCH),
        flush_us=None if packets.flush is None else _microseconds(packets.flush),
        queue_batches=_number(packets.queue, "--queue", MOST_QUEUE_BATCHES),
        delivery=names.each(packets.delivery, contract.Delivery, "order of delivery"),
        architecture=names.each(packets.architecture, contract.Architecture, "architecture"),
        waiting=names.each(packets.waiting, contract.Waiting, "way of waiting"),
        key_setup=names.each(packets.key_setup, contract.KeySetup, "key setup"),
        priorities=_number(packets.priorities, "--priorities", MOST_PRIORITIES),
        policy=names.each(packets.policy, contract.Policy, "scheduling policy"),
        groups=tuple(packets.group) if packets.group else None,
        in_flight=_numbers(packets.in_flight, "--in-flight", 1, MOST_IN_FLIGHT),
        measure_s=_seconds(load.duration, "--duration"),
    )


def _common(load: LoadOptions, offload: OffloadOptions, names: _Names) -> dict[str, Any]:
    """Returns the common fields. Sets and numbers of CPUs together are the sets of both."""
    has_places = load.cpus or load.cores is not None
    return {
        "cpus": tuple(load.cpus or ()) if has_places else None,
        "cores": _counts(load.cores, names.command) if has_places else None,
        "offered_per_s": each(load.rate, lambda text: quantities.amount(text, "--rate")),
        "offload": names.each(offload.offload, offloads.Queued, "offload"),
        "offload_cpus": offload.offload_cpus,
    }


def _counts(cores: str | None, command: str) -> Any:  # noqa: ANN401
    """Numbers of CPUs, or `each`; packets may also name `all` among them."""
    if cores is not None and cores.strip().lower() == "each":
        return "each"

    def count(text: str) -> int | str:
        if command == "packets" and text.strip().lower() == "all":
            return "all"
        return quantities.whole(text, "--cores", 1, MOST_CPUS)

    return each(cores, count) or ()


class _Names:
    """Reader of the names that a `Literal` has; an error refers to the command's help."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._see = f"ciphermark {command} --help"

    def one(self, text: str | None, kind: object, what: str) -> Any:  # noqa: ANN401
        return None if text is None else name_of(kind, what, self._see)(text)

    def each(self, text: str | None, kind: object, what: str) -> tuple[Any, ...] | None:
        return each(text, name_of(kind, what, self._see))


def _given(**fields: Any) -> dict[str, Any]:  # noqa: ANN401
    return {name: value for name, value in fields.items() if value is not None}


def _number(text: str | None, option: str, most: int) -> int | None:
    return None if text is None else quantities.whole(text, option, 1, most)


def _numbers(text: str | None, option: str, least: int, most: int) -> tuple[int, ...] | None:
    return each(text, lambda part: quantities.whole(part, option, least, most))


def _seconds(text: str | None, option: str) -> float | None:
    return None if text is None else quantities.seconds(text, option)


def _microseconds(text: str) -> float:
    """Rounds to the picosecond, so that a plan can be read."""
    return round(1e6 * quantities.seconds(text, "--flush"), 6)


def _life(text: str) -> tuple[float, float]:
    """Returns the shortest and the longest length of life, seconds; one length is both."""
    if "-" not in text:
        length_s = quantities.seconds(text, "--life")
        return length_s, length_s
    shortest_s, longest_s = quantities.span(text, "--life")
    if not 0 < shortest_s <= longest_s:
        raise UsageError(
            f"--life {text!r} does not go from a shorter one above 0 to a longer one: write for "
            "example 0.5s-2s"
        )
    return shortest_s, longest_s
