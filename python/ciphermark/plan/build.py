"""From a plan file and the user's selection to numbered cases.

Sizes that a function does not have are an error when the user named both, and are skipped with a
note when one of them came from defaults.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

import msgspec

from ciphermark import contract
from ciphermark.contract import SCHEMA
from ciphermark.errors import UsageError
from ciphermark.plan import names, offloads, paths, profiles, simulation, trimming
from ciphermark.plan.cpu_sets import Here
from ciphermark.plan.manner import Manner
from ciphermark.plan.planfile import Part, PlanFile
from ciphermark.plan.profile import Profile
from ciphermark.plan.profiles import Size, has_size, no_such_size, size_label
from ciphermark.plan.sampling import PAIRED_PROCESSES, sampling
from ciphermark.plan.selection import KERNEL, Selection
from ciphermark.plan.working import Wanted, Working, offloads_of, working
from ciphermark.workload import workload_of

MOST_CASES = 20_000
"""More than anybody waits for: ten minutes at best."""

_MOST_TRIED = 10 * MOST_CASES
"""Of one part, some of which its loads may not suit: with more, nothing is tried any further."""


class Built(msgspec.Struct):
    """A plan ready for the engine, and what was decided on the way."""

    plan: contract.Plan
    algorithms: list[contract.Algorithm]
    notes: list[str]


class _Choice(msgspec.Struct):
    """A part of the plan file with the user's selection laid over it, all names looked up."""

    algorithms: list[contract.Algorithm]
    implementations: list[contract.Implementation]
    working: Working
    offered: set[tuple[str, str]]
    """Provider and algorithm of each implementation that is here."""
    others: list[contract.Implementation]
    """All implementations, where a library may be called with another backend than it takes by
    itself; else none."""
    sizes: list[Size]
    more_sizes: dict[str, list[int]]
    """Sizes added by patterns of algorithms."""
    seed: int
    named_algorithms: bool
    named_operations: bool
    named_sizes: bool
    unusable: list[contract.Provider]
    """Providers that are wanted and not available here."""


def build(
    file: PlanFile,
    selection: Selection,
    description: contract.Description,
    here: Here | None = None,
) -> Built:
    """Numbers the cases; raises UsageError when nothing is left, a name is wrong, or what is asked
    for does not fit here. A plan of many sessions or of packets needs to know `here`, no other
    does."""
    choices = _choose(file, selection, description, here)
    left_out = [why for choice in choices for why in choice.working.left_out]
    if selection.profiles:
        _check_manners_of_profiles(choices)
    found, notes = _together(choices)
    if not found:
        raise UsageError(next(iter([*left_out, *notes]), None) or _nothing_left(choices[0]))
    if len(found) > MOST_CASES:
        raise _too_many(len(found))
    budget_s = selection.budget_s or file.budget_s
    loading = workload_of(file.workload).loading()
    if loading is not None and here is not None:
        keyless = {it.name for choice in choices for it in choice.algorithms if not it.key_bytes}
        seed = choices[0].seed
        mixes = [it for choice in choices for it in choice.sizes if isinstance(it, Profile)]
        mixed = msgspec.structs.replace(selection, profiles=mixes)
        put = loading.placed(found, budget_s, mixed, keyless, seed, here)
        trimmed = trimming.Trimmed(put.cases, notes=put.notes)
        budget_s = put.budget_s
    else:
        trimmed = _trimmed([case for case, _ in found], file, choices)
    plan = contract.Plan(
        schema=SCHEMA,
        workload=file.workload,
        seed=choices[0].seed,
        precision=selection.precision or file.precision,
        budget_s=budget_s,
        overtime_s=0 if selection.budget_s else file.overtime_s,
        cpu=selection.cpu,
        libraries=selection.libraries,
        sampling=_sampling(file, selection),
        code_paths=[it for it in _implementations(choices) if it.path],
        cases=trimmed.cases,
        optional=trimmed.order,
    )
    used = {case.algorithm for case in plan.cases}
    algorithms = {it.name: it for choice in choices for it in choice.algorithms if it.name in used}
    notes += [f"left out: {why}" for why in dict.fromkeys(left_out)]
    return Built(
        plan,
        [*algorithms.values()],
        [*_notes(choices, selection.all_of_theirs), *notes, *trimmed.notes],
    )


def _too_many(cases: int) -> UsageError:
    return UsageError(
        f"{cases} cases are more than {MOST_CASES}: "
        "choose fewer with --algorithms, --providers, --operations or --sizes"
    )


def wants_fastest(part: Part, selection: Selection) -> bool:
    """Whether of each function the fastest implementation is measured, and no other."""
    if all(it in offloads.DEVICES for it in offloads_of(part, selection)):
        return False
    return part.providers == "fastest" and not selection.chooses_implementations


def _trimmed(
    cases: list[contract.Case], file: PlanFile, choices: list[_Choice]
) -> trimming.Trimmed:
    """The cases that a plan has room for, in their order, and what is left out."""
    lists = [each for it in choices for each in (it.sizes, *_sizes(it).values())]
    sizes = dict.fromkeys(size_label(size) for each in lists for size in each)
    limit = _limit(file, choices[0])
    return trimming.trim(cases, [*sizes], limit, file.cost_cards, file.all_optional)


def wanted_names(
    file: PlanFile, selection: Selection, facts: contract.Description
) -> tuple[list[str], set[str]]:
    """The algorithms and the providers that a plan and the user's selection choose."""
    parts = _parts(file, facts)
    algorithms = [it.name for part in parts for it in _algorithms(part, selection, facts)]
    providers = set().union(*(_providers(part, selection, facts) for part in parts))
    return list(dict.fromkeys(algorithms)), providers


def offered(
    file: PlanFile, selection: Selection, facts: contract.Description
) -> list[contract.Implementation]:
    """The implementations that a plan and the user's selection choose."""
    return _implementations(_choose(file, selection, facts, None))


def _choose(
    file: PlanFile, selection: Selection, facts: contract.Description, here: Here | None
) -> list[_Choice]:
    """The parts of a plan with what is chosen of each, in their order."""
    selection = _company_named(selection, facts)
    parts = _parts(file, facts)
    named = selection.providers or []
    loading = workload_of(file.workload).loading()
    if loading is None:
        asked = {*offloads.devices(named)}
    else:
        offloads.check_named(named)
        asked = {it for part in parts for it in offloads_of(part, selection)}
    facts = offloads.without_devices(facts, asked)
    had = [_had(part, selection, facts) for part in parts]
    every = [it for part in had for it in part]
    if not every:
        wanted = {it.name for part in parts for it in _algorithms(part, selection, facts)}
        raise UsageError(
            f"no provider here has {_listed(wanted)}: see ciphermark list providers for why"
        )
    seed = secrets.randbits(53) if selection.seed is None else selection.seed
    choices = []
    for part, own in zip(parts, had, strict=True):
        if selection.backends:
            implementations = paths.chosen(selection.backends, own, every)
        else:
            implementations = paths.chosen(_known_backends(part, own), own, own)
        if selection.ablate or part.ablate:
            implementations = paths.ablated(implementations, facts.providers)
        if part.hidden:
            implementations = paths.without(implementations, part.hidden, facts.providers)
        if wants_fastest(part, selection):
            implementations = _fastest(part, selection, implementations)
        implementations = paths.switched(implementations, part.switches)
        algorithms = _algorithms(part, selection, facts)
        if loading is None:
            ways = working(part, selection)
        else:
            ways = loading.working(part, selection, facts, algorithms, here)
        choices.append(_choice(part, selection, facts, implementations, ways, seed))
    return choices


def _company_named(selection: Selection, facts: contract.Description) -> Selection:
    """With canonical names of the algorithms that others are called after."""
    if selection.manners is None or selection.manners.after == (None,):
        return selection
    typed = [it for it in selection.manners.after if it is not None]
    after = (None, *names.algorithm_names(typed, facts))
    manners = msgspec.structs.replace(selection.manners, after=after)
    return msgspec.structs.replace(selection, manners=manners)


def _fastest(
    part: Part, selection: Selection, offered: list[contract.Implementation]
) -> list[contract.Implementation]:
    """Of each function the fastest library, and every device."""
    asked = offloads.devices(offloads_of(part, selection))
    libraries = [it for it in offered if it.provider not in asked]
    devices = [it for it in offered if it.provider in asked]
    return paths.fastest(libraries, selection.fastest) + devices


def _parts(file: PlanFile, facts: contract.Description) -> list[Part]:
    """Those of a plan file, without stand-ins for what can be used."""
    usable = {it.name for it in facts.providers if it.usable}
    return [part for part in file.parts if part.instead_of not in usable]


def _choice(
    part: Part,
    selection: Selection,
    facts: contract.Description,
    implementations: list[contract.Implementation],
    ways: Working,
    seed: int,
) -> _Choice:
    providers = _providers(part, selection, facts) - {
        *offloads.devices(offloads_of(part, selection))
    }
    backends = selection.backends or part.backends
    return _Choice(
        algorithms=_algorithms(part, selection, facts),
        implementations=implementations,
        working=ways,
        offered={(it.provider, it.algorithm) for it in facts.implementations},
        others=facts.implementations if backends in ("default", ["default"]) else [],
        sizes=_sizes_of(part, selection),
        more_sizes={} if selection.sizes or selection.profiles else part.more_sizes,
        seed=seed,
        # "all" names none of them: what one does not have is left out.
        named_algorithms=selection.algorithms not in (None, ["all"]),
        named_operations=selection.operations is not None,
        named_sizes=(selection.sizes or selection.profiles) is not None,
        unusable=[it for it in facts.providers if it.name in providers and not it.usable],
    )


def _sizes_of(part: Part, selection: Selection) -> list[Size]:
    """What the user asked for, else the part's mixes, else its sizes."""
    if selection.profiles:
        return [*selection.profiles]
    if selection.sizes is None and part.profiles:
        return [*profiles.from_option(",".join(part.profiles))]
    return [*dict.fromkeys(selection.sizes or part.sizes)]


def _algorithms(
    part: Part, selection: Selection, facts: contract.Description
) -> list[contract.Algorithm]:
    wanted = selection.algorithms or part.algorithms
    if wanted == ["all"]:
        wanted = "all"
    if wanted == "all":
        # Suites are asked for by name, or with `ciphermark esp`.
        return [it for it in facts.algorithms if it.suite is None]
    if wanted == "survey":
        own = {it.algorithm for it in facts.implementations if it.provider.startswith(f"{KERNEL}@")}
        return [it for it in facts.algorithms if it.survey or it.name in own]
    by_name = {it.name: it for it in facts.algorithms}
    return [by_name[name] for name in names.algorithm_names(wanted, facts)]


def _had(
    part: Part, selection: Selection, facts: contract.Description
) -> list[contract.Implementation]:
    """All implementations of a part's algorithms by its providers, whatever their backend."""
    chosen = {it.name for it in _algorithms(part, selection, facts)}
    providers = _providers(part, selection, facts)
    had = [
        it for it in facts.implementations if it.algorithm in chosen and it.provider in providers
    ]
    if selection.algorithms or selection.chooses_implementations:
        return had
    by_libraries = {it.algorithm for it in had if it.provider != simulation.PROVIDER}
    return [
        it
        for it in had
        if it.provider != simulation.PROVIDER
        or it.algorithm not in by_libraries
        or not any(fnmatchcase(it.algorithm, pattern) for pattern in part.left_to_libraries)
    ]


def _known_backends(part: Part, own: list[contract.Implementation]) -> list[str] | str:
    """Of the backends that the file names, those that are there: machines differ."""
    if isinstance(part.backends, str):
        return part.backends
    there = {"default", *(it.backend for it in own), *(it.path for it in own)}
    return [name for name in part.backends if name in there]


def _implementations(choices: list[_Choice]) -> list[contract.Implementation]:
    """Those of all parts, each once."""
    found = {paths.identity(it): it for choice in choices for it in choice.implementations}
    return [*found.values()]


def _providers(part: Part, selection: Selection, facts: contract.Description) -> set[str]:
    """Those that are wanted, kernels of the user's own and devices among them; one that the user
    named must be usable."""
    names.check_usable([*(selection.providers or []), *selection.libraries], facts)
    wanted = selection.providers or part.providers
    if wanted in ("all", "fastest"):
        return {it.name for it in facts.providers}
    own: set[str] = {*offloads.devices(offloads_of(part, selection))}
    own |= {name for name in selection.libraries if name.startswith(f"{KERNEL}@")}
    return own | set(names.provider_names(wanted, facts))


def _sampling(file: PlanFile, selection: Selection) -> contract.Sampling:
    if selection.paired or selection.ablate or any(part.ablate for part in file.parts):
        return sampling(PAIRED_PROCESSES)
    return sampling()


def _limit(file: PlanFile, choice: _Choice) -> int:
    """What was named in full is measured in full."""
    return MOST_CASES if choice.named_operations and choice.named_sizes else file.max_cases


def _together(
    choices: list[_Choice],
) -> tuple[list[tuple[contract.Case, Wanted | None]], list[str]]:
    """The cases of all parts, numbered, each once, and what some implementations lack."""
    found: dict[bytes, tuple[contract.Case, Wanted | None]] = {}
    notes: dict[str, None] = {}
    for choice in choices:
        cases, lacking = _cases(choice, _sizes(choice))
        for case in cases:
            for wanted in choice.working.wanted:
                if wanted is None or wanted.suits(case):
                    found.setdefault(msgspec.json.encode((case, wanted)), (case, wanted))
                elif why := wanted.refusal(case):
                    notes[why] = None
        notes |= dict.fromkeys(lacking)
    return [
        (msgspec.structs.replace(case, case=number), wanted)
        for number, (case, wanted) in enumerate(found.values())
    ], [*notes]


def _cases(choice: _Choice, sizes: dict[str, list[Size]]) -> tuple[list[contract.Case], list[str]]:
    """The cases of a part, and what some implementations lack for others."""
    cases: list[contract.Case] = []
    lacking: dict[str, dict[str, None]] = {}
    algorithms = {it.name: it for it in choice.algorithms}
    for chosen in choice.implementations:
        facts, seen = algorithms[chosen.algorithm], set()
        for manner in _manners(choice, chosen):
            implementation = paths.taking(manner, chosen, choice.others)
            if what := manner.lacking(implementation):
                lacking.setdefault(what, {})[_called(implementation, choice)] = None
                continue
            if manner.after and (chosen.provider, manner.after) not in choice.offered:
                lacking.setdefault(manner.after, {})[_called(implementation, choice)] = None
                continue
            called = manner.called(implementation, facts)
            if called in seen:  # as many lanes as it takes may be a number that is named as well
                continue
            seen.add(called)
            for operation, size in _questions(choice, implementation, sizes):
                if called.has(operation, facts):
                    cases.append(_case(implementation, operation, size, called, choice.seed))
        if len(cases) > _MOST_TRIED:
            raise _too_many(len(cases))
    return cases, [
        f"left out, without {what}: {_some(list(found))}" for what, found in lacking.items()
    ]


def _manners(choice: _Choice, chosen: contract.Implementation) -> list[Manner]:
    """The ways in which an implementation is called, with what it may lack for some."""
    manners = choice.working.manners.all()
    if not choice.working.first_manner_only:
        return manners
    taken = (it for it in manners if not it.lacking(paths.taking(it, chosen, choice.others)))
    return [next(taken, manners[-1])]


def _called(implementation: contract.Implementation, choice: _Choice) -> str:
    """`uea1 by kernels`, with the backend where several of it were chosen."""
    name = f"{implementation.algorithm} by {implementation.provider}"
    alike = [
        it
        for it in choice.implementations
        if (it.algorithm, it.provider) == (implementation.algorithm, implementation.provider)
    ]
    return f"{name} ({implementation.backend})" if len(alike) > 1 else name


def _check_manners_of_profiles(choices: list[_Choice]) -> None:
    """A mix is neither one chunk again and again nor one call, and nothing comes before each."""
    asked = {name for choice in choices for name in choice.working.manners.buffers}
    if alone := sorted(asked & {"repeated", "cold"}):
        raise UsageError(f"--buffers {alone[0]} goes with --sizes only: leave out --profile")
    if any(choice.working.manners.after != (None,) for choice in choices):
        raise UsageError("--after goes with --sizes only: leave out --profile")


def _questions(
    choice: _Choice, implementation: contract.Implementation, sizes: dict[str, list[Size]]
) -> Iterator[tuple[contract.Operation, Size | None]]:
    for operation in choice.working.operations:
        if operation in implementation.operations:
            for size in [None] if operation == "setup" else sizes[implementation.algorithm]:
                yield operation, size


def _unusable(providers: list[contract.Provider]) -> list[str]:
    """One is given its reason; of many the reasons are a screen of their own."""
    if len(providers) < 2:
        return [f"{it.name} is left out: {it.reason}" for it in providers]
    absent = _listed(it.name for it in providers)
    return [f"{len(providers)} libraries are not here ({absent}): see ciphermark list providers"]


def _some(found: list[str]) -> str:
    """A few of many, and how many more there are."""
    shown = 4
    more = f" and {len(found) - shown} more" * (len(found) > shown)
    return ", ".join(found[:shown]) + more


def _sizes(choice: _Choice) -> dict[str, list[Size]]:
    """The sizes that each function has; one that it lacks is an error when both were named."""
    found = {}
    for algorithm in choice.algorithms:
        sizes = [size for size in choice.sizes if has_size(algorithm, size)]
        if len(sizes) < len(choice.sizes) and choice.named_algorithms and choice.named_sizes:
            missing = next(size for size in choice.sizes if size not in sizes)
            raise UsageError(no_such_size(algorithm, missing))
        for pattern, further in choice.more_sizes.items():
            if fnmatchcase(algorithm.name, pattern):
                sizes += [size for size in further if size not in sizes]
        found[algorithm.name] = sizes
    return found


def _notes(choices: list[_Choice], all_of_theirs: bool) -> list[str]:
    """What of the choice is not measured, said once for all algorithms alike; nothing of those that
    builds of the user's own lack, where all that they have are meant."""
    offered = {it.algorithm for choice in choices for it in choice.implementations}
    wanted = dict.fromkeys(it.name for choice in choices for it in choice.algorithms)
    absent = [name for name in wanted if name not in offered and not all_of_theirs]
    unusable = {it.name: it for choice in choices for it in choice.unusable}
    notes = _unusable([*unusable.values()])
    if absent:
        notes.append(f"left out, no chosen provider or backend has it: {_some(absent)}")
    lacking: dict[tuple[int | str, ...], dict[str, None]] = {}
    for choice in choices:
        for algorithm, found in _sizes(choice).items():
            missing = tuple(size_label(size) for size in choice.sizes if size not in found)
            if missing and algorithm in offered:
                lacking.setdefault(missing, {})[algorithm] = None
    return notes + [
        f"left out, no such messages: {_messages(missing)} of {_some([*algorithms])}"
        for missing, algorithms in lacking.items()
    ]


def _asked(implementation: contract.Implementation) -> str:
    """What a case asks for: what the library does by itself is not asked for by a name."""
    by_itself = implementation.default and not implementation.switches
    return "default" if by_itself else implementation.backend


def _case(
    implementation: contract.Implementation,
    operation: contract.Operation,
    size: Size | None,
    manner: Manner,
    seed: int,
) -> contract.Case:
    """A case without its number."""
    profile, message_bytes = (size, None) if isinstance(size, Profile) else (None, size)
    lanes, keys = manner.lanes, manner.keys
    assert lanes is not None and keys is not None  # as many as the implementation takes
    return contract.Case(
        case=0,
        algorithm=implementation.algorithm,
        operation=operation,
        provider=implementation.provider,
        backend=_asked(implementation),
        message_bytes=message_bytes,
        profile=profile.name if profile else None,
        lengths=profile.lengths(lanes, seed) if profile else [],
        pattern=manner.pattern,
        chunk_bytes=manner.chunk_bytes,
        after=manner.after,
        lanes=lanes,
        keys=keys,
        buffers=manner.buffers,
        switches=implementation.switches,
    )


def _nothing_left(choice: _Choice) -> str:
    algorithms = _listed(it.name for it in choice.algorithms)
    if choice.named_operations:
        has = {operation for it in choice.implementations for operation in it.operations}
        return (
            f"{algorithms} has no operation {_listed(choice.working.operations)}: "
            f"write --operations {','.join(sorted(has))}"
        )
    return (
        f"nothing is left to measure for {algorithms} at "
        f"{_messages(map(size_label, choice.sizes))}: choose others with --algorithms, --sizes "
        "or --profile"
    )


def _messages(sizes: Iterable[int | str]) -> str:
    """`16, 64 bytes`, or the names of profiles."""
    sizes = list(sizes)
    numbers = [it for it in sizes if isinstance(it, int)]
    found = [f"{_listed(numbers)} bytes"] if numbers else []
    return ", ".join(found + [it for it in sizes if isinstance(it, str)])


def _listed(values: Iterable[str] | Iterable[int]) -> str:
    return ", ".join(str(value) for value in sorted(values))
