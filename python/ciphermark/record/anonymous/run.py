"""A run without what tells whose it is."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from ciphermark import contract
from ciphermark.record import tables
from ciphermark.record.anonymous import words
from ciphermark.record.anonymous.words import Names, Rule
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR
from ciphermark.record.run import Run
from ciphermark.record.table import Table

OWN_CODE = "kernel"
"""The provider of users' own code, whose backends have the names that they gave."""

USUAL_BACKENDS = ("", "default", "reference", "portable", "table")


def anonymous(run: Run, names: Names) -> Run:
    """The run with other identifiers and names, of its time the day alone, and none of its
    texts but those that `words` lets stay."""
    started = names.started(run.context.started_unix_ns)
    return _Anonymiser(names, started).run(run)


class _Anonymiser:
    """Goes through all that a run holds, by the types of its fields."""

    def __init__(self, names: Names, started_unix_ns: int) -> None:
        self._names = names
        self._started = started_unix_ns
        self._rules = _rules(names)

    def run(self, run: Run) -> Run:
        """A run, and those that belong to it."""
        also = [self.run(it) for it in run.also]
        samples, given = _samples(run.samples), run.given
        plain = msgspec.structs.replace(run, also=[], samples=None, given={})
        kept: Run = self._struct(plain)
        kept.also, kept.samples = also, samples
        kept.given = {name: value for name, value in given.items() if name in words.GIVEN}
        self._name(kept, run)
        return kept

    def _name(self, kept: Run, run: Run) -> None:
        """The identity of machine and run, which several fields have together."""
        context, names = kept.context, self._names
        context.run = names.run(self._started)
        context.started_unix_ns = self._started
        context.format_major, context.format_minor = FORMAT_MAJOR, FORMAT_MINOR
        context.plan.seed = 0
        hello = context.hello
        context.machine_name = names.machine(
            run.context.machine_name,
            run.context.machine_id,
            context.cpu_name,
            hello.environment.machine.virtualisation if hello else "",
        )
        if hello:
            hello.environment.machine.machine_name = context.machine_name
            hello.started_unix_ns = self._started
            for provider in hello.providers:
                provider.title = provider.name
        for facts in context.algorithms:
            facts.title = facts.name.upper()
        for record, was in zip(kept.cases, run.cases, strict=True):
            self._own_code(record.case, was.case.provider)
            if record.implementation is not None:
                self._own_code(record.implementation, was.case.provider)
        for case, planned in zip(context.plan.cases, run.context.plan.cases, strict=True):
            self._own_code(case, planned.provider)

    def _own_code(self, named: Any, provider: str) -> None:
        if provider.partition("@")[0] == OWN_CODE and named.backend not in USUAL_BACKENDS:
            named.backend = self._names.numbered("backend", named.backend)

    def _struct(self, it: Any) -> Any:
        hints = _hints(type(it))
        changed = {
            name: self._value(getattr(it, name), hints[name], f"{type(it).__name__}.{name}")
            for name in it.__struct_fields__
        }
        return type(it)(**changed)

    def _value(self, value: Any, kind: Any, field: str) -> Any:
        if isinstance(value, str):
            # A word of a closed set is checked by its type whenever a run is read.
            kept = value if value in _literals(kind) else self._text(value, field)
            return None if kept == "" and type(None) in get_args(kind) else kept
        if isinstance(value, msgspec.Struct):
            return self._struct(value)
        if isinstance(value, (list, tuple)):
            items = [self._value(it, kind, field) for it in value]
            # A text that was left out leaves nothing behind, but numbers and structs all stay.
            return [it for it in items if it != ""]
        if isinstance(value, dict):
            return self._dictionary(value, kind, field)
        return value

    def _dictionary(self, value: dict[str, Any], kind: Any, field: str) -> dict[str, Any]:
        """Keys are texts of the same place; what loses its key or its text is left out."""
        kept = {}
        for key, it in value.items():
            name = words.key(key) if f"{field}{{}}" in self._rules else ""
            stays = self._value(it, kind, f"{field}{{}}")
            if name and stays != "":
                kept[name] = stays
        return kept

    def _text(self, text: str, field: str) -> str:
        return self._rules.get(field, words.nothing)(text)


def _rules(names: Names) -> dict[str, Rule]:
    """What may stay, by the struct and the field; of all others nothing. Of dictionaries (`{}`) the
    keys are names of ciphermark's own, where there is a rule."""
    case = {
        "algorithm": words.slug,
        "operation": words.one_of(words.OPERATIONS),
        "provider": names.provider,
        "backend": words.slug,
        "profile": names.profile,
        "switches{}": words.value,
    }
    algorithm = {"name": words.slug, "strength_kind": words.slug}
    return {
        **_of("Case", case),
        **_of("Implementation", case | {"path": words.slug, "features": words.slug}),
        **_of("SimulatedCase", case | {"target": names.target}),
        **_of("BesideFigure", case | {"program": words.one_of(words.PROGRAMS)}),
        **_of("CaseRecord", {"agrees_with": names.provider}),
        **_of("Failure", {"message": words.sentence, "signal": words.signal}),
        **_of("Warning", {"kind": words.slug, "message": words.sentence}),
        **_of("Objection", {"message": words.sentence}),
        **_of("Meter", {"name": words.slug}),
        **_of("Algorithm", algorithm),
        **_of("NonceField", {"name": words.slug}),
        **_of(
            "Suite",
            dict.fromkeys(("protocol", "cipher", "integrity", "header_protection"), words.slug),
        ),
        **_of(
            "Context",
            {
                "command": _command,
                "plan_name": names.plan,
                "workload": words.one_of(words.WORKLOADS),
                "machine_id": names.identity,
                "machine_kind": names.kind,
                "cpu_name": words.processor,
                "cycle_source": words.one_of(words.SOURCES),
                "ciphermark_version": words.version,
            },
        ),
        **_of(
            "EngineBuild",
            {
                "version": words.version,
                "target": words.slug,
                "rustc": words.compiler,
                "profile": words.one_of(frozenset(["release", "debug"])),
                "rustflags": words.flags,
            },
        ),
        **_of(
            "Machine",
            {
                "machine_id": names.identity,
                "machine_kind": names.kind,
                "architecture": words.slug,
                "cpu_vendor": words.one_of(words.VENDORS),
                "cpu_name": words.processor,
                "microcode": words.hexadecimal,
                "cpu_features": words.slug,
                "virtualisation": words.one_of(words.VIRTUALISATIONS),
                "operating_system": words.system,
                "kernel": words.kernel,
            },
        ),
        **_of(
            "State",
            {
                "governor": words.one_of(words.GOVERNORS),
                "clocksource": words.one_of(words.CLOCKSOURCES),
            },
        ),
        **_of("Clocks", {"wall_source": words.one_of(words.SOURCES)}),
        **_of(
            "Provider",
            {
                "name": names.provider,
                "reason": words.sentence,
                "version": words.version,
                "location": words.place,
                "switches{}": words.slug,
                "switches{}{}": words.value,
            },
        ),
        **_of("SessionsRun", {"device": words.processor}),
        **_of("PacketsRun", {"device": words.processor, "checked_against": words.implementations}),
        **_of("Simulation", {"operations{}": words.slug}),
        **_of(
            "SimulatedTarget",
            {
                "target": names.target,
                "title": names.target,
                "compiler": words.first_version,
                "flags": words.flags,
                "runner": words.first_version,
                "reason": words.sentence,
            },
        ),
        **_of(
            "Variant",
            {
                "target": names.target,
                "name": names.variant,
                "compiler": words.command,
                "compiler_name": words.command,
                "compiler_line": words.first_version,
                "target_flags": words.flags,
                "flags": words.flags,
            },
        ),
        **_of(
            "ImportOrigin",
            {
                "tool": words.one_of(words.PROGRAMS),
                "format": words.slug,
                "tool_version": words.version,
            },
        ),
    }


def _of(struct: str, fields: Mapping[str, Rule]) -> dict[str, Rule]:
    return {f"{struct}.{name}": rule for name, rule in fields.items()}


def _command(text: str) -> str:
    """The verb alone."""
    parts = text.split()
    verb = parts[1] if len(parts) > 1 else ""
    known = words.shipped("plan/defaults") | {"survey", "study", "import", "simulate", "packets"}
    return f"ciphermark {verb}" if verb in known else "ciphermark"


def _samples(samples: Table) -> Table:
    """Numbers, and why samples do not count, in words of the engine's."""
    table = tables.samples_of(samples)
    known = set(get_args(contract.Disturbance))
    kept = [
        None if it is None else [why for why in it if why in known] for it in table["disturbed"]
    ]
    return table.with_column("disturbed", kept)


def _hints(kind: type) -> dict[str, Any]:
    if kind is Run:  # its samples are of a type that is imported only for type checkers
        return dict.fromkeys(kind.__struct_fields__, Any)
    return get_type_hints(kind)


def _literals(kind: Any) -> frozenset[str]:
    """The words of the closed sets in a type: those of `Literal`, also within lists and unions."""
    if get_origin(kind) is typing.Literal:
        return frozenset(get_args(kind))
    if get_origin(kind) in (typing.Union, types.UnionType, list, tuple, dict):
        return frozenset().union(*map(_literals, get_args(kind)))
    return frozenset()
