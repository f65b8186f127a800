"""Files and arguments that nobody would write: a sentence, soon, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import typer
import typer.core

from attack import hostile
from attack.attempt import Attempt
from attack.failure import Failure
from attack.setting import PACKAGE, TESTS

Arguments = tuple[str, ...]

_PACKAGE = PACKAGE / "ciphermark"
_PAPER = ("--data", "sensor-2003")
_FEASIBLE = ("model", "feasible", "--deadline", "5ms")
_PREDICT = ("model", "predict", "--target", "atmega128")
_SHORT = ("--duration", "0.2s", "--dry-run")

_KNOWN = "algorithm,operation,message_bytes,cycles\nrc5-32-12-5-cbc,encrypt,64,12000\n" + (
    "md5,digest,64,9000\n"
)
_CSV = "bytes,share\n64,50%\n1500,30.0\n576,20\n"
_PLAN = """title = "mine"
workload = "{workload}"
algorithms = ["aes-128-gcm", "sha256"]
operations = ["seal", "digest"]
providers = ["openssl", "rustcrypto"]
sizes = [64, 1024]
precision = 0.05
budget_s = 2
max_cases = 400
"""

FILES: dict[str, tuple[str, Callable[[str], Arguments]]] = {
    "profiles": ("toml", lambda it: ("capacity", "--profile", it)),
    "profiles-csv": ("csv", lambda it: ("capacity", "--profile", it)),
    "nodes": ("toml", lambda it: ("protocol", "--node", it, *_PAPER)),
    "targets": ("toml", lambda it: ("model", "predict", "--target", it, *_PAPER)),
    "feasible": ("toml", lambda it: (*_FEASIBLE, "--target", it, *_PAPER)),
    "known": ("csv", lambda it: (*_PREDICT, "--known", it, *_PAPER)),
    "advice": ("toml", lambda it: ("advise", "--for", "ipsec", "--profile", it)),
    "plan-sessions": ("toml", lambda it: ("sessions", "--plan", it, *_SHORT)),
    "plan-packets": ("toml", lambda it: ("packets", "--plan", it, "--dry-run")),
    "plan-survey": ("toml", lambda it: ("survey", "--plan", it)),
    "imports": ("txt", lambda it: ("import", it)),
    "imports-json": ("json", lambda it: ("import", it)),
    "vectors": ("json", lambda it: ("verify", "--algorithms", "sha256", "--vectors", ".")),
}  # fmt: skip
"""What reads a file: the end of its name, and the command."""

_NOT_ATTACKED = {"fleet", "simulate", "study", "esp", "doctor", "verify", "tunnel",
                 "implementations", "targets"}  # fmt: skip
"""Commands that reach other machines, or work for long before they say anything."""

_NOT_GIVEN = {"on", "scheduler", "hosts", "engine", "output", "help", "sweep", "soak", "full",
              "all_", "ablate", "ab"}  # fmt: skip
"""Options that reach other machines, write where nobody asked them to, or take long."""


def attempt(it: Attempt) -> None:
    it.replay()
    it.environment["ATTACK_REFUSES"] = "1"  # what it repeats fits one plan only
    if it.lots.random() < 0.3:
        it.store("run-1.8-sessions", "run-1.8-simulation")
    if it.lots.random() < 0.6:
        _file(it)
    else:
        _arguments(it)


def _file(it: Attempt) -> None:
    kind = it.lots.choice(sorted(FILES))
    ending, arguments = FILES[kind]
    content = hostile.text(it.lots, it.lots.choice(samples(kind)))
    path = it.folder / f"file.{ending}"
    path.write_bytes(content)
    it.say(f"{kind}: {content[:300]!r}")
    words = arguments(path.name)
    if it.lots.random() < 0.3:
        words += ("--json",)
    _look(it, words)


def _arguments(it: Attempt) -> None:
    name, command = it.lots.choice(commands())
    words = list(name)
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            if it.lots.random() < 0.7:
                words.append(it.lots.choice(("last", hostile.argument(it.lots))))
        elif parameter.name not in _NOT_GIVEN and it.lots.random() < 2 / len(command.params):
            words.append(parameter.opts[0])
            if not parameter.is_flag:
                words += [hostile.argument(it.lots) for _ in range(parameter.nargs)]
    if name[0] in ("sessions", "packets"):
        words.append("--dry-run")
    if it.runs.exists() and it.lots.random() < 0.3:
        words.append("--json")
    it.say(f"arguments: {words!r}"[:600])
    _look(it, words)


def _look(it: Attempt, words: Arguments | list[str]) -> None:
    ended = it.run(*words)
    if "--json" in words and "--help" not in words and ended.code == 0 and ended.output:
        try:
            json.loads(ended.output)
        except ValueError as error:
            raise Failure("other", f"{ended.command}: its JSON is none: {error}") from None


@cache
def samples(kind: str) -> list[str]:
    """Sound files of a kind."""
    folder = {"targets": "targets", "feasible": "targets", "advice": "profiles"}.get(kind, kind)
    folder = {"nodes": "answers/protocols/catalogue/nodes"}.get(folder, folder)
    match kind:
        case "known":
            return [_KNOWN]
        case "profiles-csv":
            return [_CSV]
        case "imports" | "imports-json":
            json_wanted = kind == "imports-json"
            files = sorted((TESTS / "imported").iterdir())
            return [it.read_text("utf-8") for it in files if (it.suffix == ".json") == json_wanted]
        case "vectors":
            files = sorted((TESTS.parent / "algorithms" / "vectors").glob("sha256*.json"))
            return [it.read_text("utf-8")[:20_000] for it in files]
        case "plan-sessions" | "plan-packets" | "plan-survey":
            workload = {"survey": "single"}.get(kind[5:], kind[5:])
            defaults = sorted((_PACKAGE / "plan" / "defaults").glob("*.toml"))
            texts = [it.read_text("utf-8") for it in defaults]
            mine = [it for it in texts if f'workload = "{workload}"' in it]
            return [_PLAN.format(workload=workload), *(mine if workload != "single" else [])]
        case _:
            return [it.read_text("utf-8") for it in sorted((_PACKAGE / folder).glob("*.toml"))]


@cache
def commands() -> list[tuple[Arguments, typer.core.TyperCommand]]:
    """The commands that are attacked, with their names."""
    from ciphermark.cli.main import app

    def of(
        name: Arguments, command: typer.core.TyperCommand
    ) -> list[tuple[Arguments, typer.core.TyperCommand]]:
        inner = getattr(command, "commands", None)
        if inner is None:
            return [(name, command)]
        return [it for word, other in sorted(inner.items()) for it in of((*name, word), other)]

    found = of((), typer.main.get_command(app))
    return [it for it in found if not _NOT_ATTACKED & set(it[0])]
