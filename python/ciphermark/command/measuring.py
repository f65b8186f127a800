"""Steps of all measuring commands: run a plan, store its results, and analyse them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import typer

from ciphermark.command.output import say, show_command
from ciphermark.errors import KeptElsewhere, StillRunning, Stopped, WorkError
from ciphermark.plan.build import Built
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.streams import output_failure

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.options import EngineOptions, OutputOptions
    from ciphermark.contract.others import BesideFigure
    from ciphermark.record.recorder import Recorder
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.record.table import Table
    from ciphermark.run.remote.engine import RemoteEngine
    from ciphermark.run.remote.pending import Pending
    from ciphermark.view.blocks import Block
    from ciphermark.workload import AnyRows


class Kept(msgspec.Struct):
    """Stored run with its rows."""

    run: Run
    rows: AnyRows
    problem: WorkError | None
    """Error of an engine that ended before its farewell."""
    also: list[AnyRows] = []
    """Rows of the runs that belong to it, in their order."""

    @property
    def id(self) -> str:
        return self.run.context.run


class Answer(msgspec.Struct):
    """Output of a command about the run that it has measured."""

    blocks: Callable[[], Iterable[Block]]
    """Function that returns the parts of its screen, the rows too."""
    document: dict[str, Any] = {}
    """Content of `--json` beside the run's name and rows."""
    next_commands: list[tuple[str, str]] = []
    """Commands to type next, each with its purpose."""
    has_failed: bool = False
    """True if it ends the command with exit code 1, though no case has failed."""
    with_files: bool = True
    """True if the plots of the report are drawn as files too, which takes seconds where they are
    large: `report` and `export --plot` draw them at any time."""


Then = Callable[["Run"], list[tuple[str, Built]]]
"""Function that returns the names and plans of runs to measure after a run and store with it."""


def measure_command(
    name: str,
    plan: Callable[[Engine], Built],
    answer: Callable[[Kept], Answer],
    output: OutputOptions,
    engine: EngineOptions,
    *,
    dry_run: bool = False,
    then: Callable[[Built, Run], list[tuple[str, Built]]] = lambda built, run: [],
) -> NoReturn:
    """Runs a measuring command, once its options are read, to its end.

    It plans for the engine, lists the cases or measures and stores them, and prints the answer.
    `name` is the plan's; the plans of `then` are measured after it and stored with it. Results of
    an earlier call of the same command on the machine of `--on` are shown instead. Raises
    `typer.Exit`, `UsageError` and `WorkError`.
    """
    from ciphermark.command import on_machine
    from ciphermark.record.store import Store

    if output.output is not None:
        # Takes a second to import, which only --output needs at this point.
        from ciphermark.command.report import check_output

        check_output(output.output)
    binary = on_machine.engine_of(engine.engine, engine.on, output.runs, output.json)
    built = plan(binary)
    if dry_run:
        list_cases(built, output.json)
        raise typer.Exit
    store = Store.default(output.runs)
    kept = measure_and_keep(
        binary,
        store,
        built,
        name,
        header(built, output.json),
        then=lambda run: then(built, run),
    )
    conclude(kept, store, answer, output)


def conclude(
    kept: Kept, store: Store, answer: Callable[[Kept], Answer], output: OutputOptions
) -> NoReturn:
    """Prints the answer on a stored run, writes its report, and ends the command."""
    with known_to_be_kept(kept):
        said = answer(kept)
        with_files = said.with_files or output.output is not None
        if output.json:
            from ciphermark.command.output import print_json

            report_path(store, kept, output.output, with_files=with_files)
            print_json({"run": kept.id, "rows": kept.rows} | said.document)
        else:
            from ciphermark.view.frame import print_footer
            from ciphermark.view.screen import show
            from ciphermark.view.terminal import output_console

            console = output_console()
            show(console, said.blocks())
            report = report_path(store, kept, output.output, with_files=with_files)
            print_footer(console, kept.id, report, aligned(_next_commands(kept, said)))
    say_how_it_ended(kept)
    raise typer.Exit(exit_code(kept) or int(said.has_failed))


def aligned(commands: list[tuple[str, str]]) -> list[str]:
    """Returns lines of commands with their purposes, one below the other."""
    width = max((len(command) for command, _ in commands), default=0)
    return [f"{command:<{width}}  {what}" for command, what in commands]


def _next_commands(kept: Kept, said: Answer) -> list[tuple[str, str]]:
    if kept.run.context.interrupted:
        return [("ciphermark report last", "the report of what was measured")]
    return said.next_commands


def row_blocks(kept: Kept) -> Iterable[Block]:
    """Returns the screen of a run."""
    from ciphermark.view import frame

    return frame.row_blocks(kept.run.context, kept.rows)


def measure_and_keep(
    engine: Engine,
    store: Store,
    built: Built,
    plan_name: str,
    on_hello: Callable[[contract.Hello], None],
    ask_others: Callable[[], list[BesideFigure]] = list,
    simulate: Callable[[Interrupts, Recorder], None] = lambda interrupts, recorder: None,
    then: Then = lambda run: [],
    besides: Callable[[Interrupts], list[Run]] = lambda interrupts: [],
    given: Mapping[str, float] | None = None,
    command: str | None = None,
) -> Kept:
    """Measures a plan and stores the run, complete or not.

    The folder is tried first, so that nothing is measured that cannot be stored. Then `ask_others`
    asks other programs for figures, and `simulate` simulates the cases of a study. The plans of
    `then` are measured once the first run is complete, and stored with it, as are the runs of
    `besides`, which no engine measures. `given` has figures from the user. `command` is stored as
    the command of the run, the command line if None.
    """
    from ciphermark.record.recorder import Recorder

    store.check_writable()
    recorder = Recorder(
        command or command_line(),
        plan_name,
        built.plan,
        built.algorithms,
        built.notes,
        ask_others(),
        given,
    )
    with Interrupts() as interrupts:
        simulate(interrupts, recorder)
        with _kept_at_least(store, recorder):
            problem = _measure(engine, built, interrupts, recorder, on_hello)
        run = _finished(recorder, interrupts, problem)
        if not problem and not run.context.interrupted:
            with _kept_at_least(store, recorder):
                problem = _measure_also(engine, run, then(run), interrupts)
                if not problem and not interrupts.requested:
                    run.also += besides(interrupts)
        kept = _keep_and_tell(engine, store, run, problem)
        seen = [
            record.implementation
            for record in kept.run.cases
            # Of calls of several messages, whose path is another, none is kept.
            if record.implementation is not None and record.case.lanes == 1
        ]
        engine.remember(kept.run.context.engine_hello.providers, seen)
        if interrupts.requested and not kept.run.context.interrupted:
            raise _stopped(kept)  # pressed while it was stored, when all was measured
        return kept


def collect_and_keep(engine: RemoteEngine, store: Store, pending: Pending) -> Kept:
    """Stores a run of an earlier call once that has ended."""
    from ciphermark.files.reading import UNREADABLE
    from ciphermark.record.recorder import Begun, Recorder

    store.check_writable()
    try:
        begun = msgspec.json.decode(pending.begun, type=Begun)
    except UNREADABLE as error:
        raise WorkError(
            f"the results of {pending.name} come from another version of ciphermark, and this "
            f"one cannot store them ({error})"
        ) from None
    recorder = Recorder.of(begun)
    with Interrupts() as interrupts:
        events = engine.collect(pending, interrupts)
        problem = _take_in(events, begun.plan, recorder, lambda hello: None)
        return _keep_and_tell(engine, store, _finished(recorder, interrupts, problem), problem)


def _measure(
    engine: Engine,
    built: Built,
    interrupts: Interrupts,
    recorder: Recorder,
    on_hello: Callable[[contract.Hello], None],
) -> WorkError | None:
    def begin(hello: contract.Hello) -> None:
        on_hello(hello)
        for note in built.notes:
            say(note)

    events = engine.measure(built.plan, interrupts, recorder.begun)
    return _take_in(events, built.plan, recorder, begin)


def _take_in(
    events: Generator[contract.Event, None, None],
    plan: contract.Plan,
    recorder: Recorder,
    on_hello: Callable[[contract.Hello], None],
) -> WorkError | None:
    """Records and shows events; returns the error of an engine that ended too early.

    Raises StillRunning where nothing is to be stored now.
    """
    from ciphermark import contract
    from ciphermark.view.progress import MeasuringProgress
    from ciphermark.view.terminal import message_console

    progress = MeasuringProgress(message_console(), plan)
    try:
        with closing(events):
            for event in events:
                recorder.feed(event)
                match event:
                    case contract.Hello():
                        on_hello(event)
                        progress.__enter__()
                    case contract.Progress() | contract.CaseError() | contract.Bye():
                        progress.feed(event)
                    case contract.Warning():
                        say(event.message)
    except StillRunning:
        raise
    except WorkError as error:
        return error
    finally:
        progress.__exit__(None, None, None)
    return None


def _measure_also(
    engine: Engine,
    run: Run,
    plans: list[tuple[str, Built]],
    interrupts: Interrupts,
) -> WorkError | None:
    """Measures what belongs to a run, until it is interrupted or the engine dies."""
    from ciphermark.record.recorder import Recorder
    from ciphermark.view.plan import plan_line

    for name, built in plans:
        say(f"then {name}: {plan_line(built.plan)}")
        recorder = Recorder(command_line(), name, built.plan, built.algorithms, built.notes)
        try:
            problem = _measure(engine, built, interrupts, recorder, lambda hello: None)
        except StillRunning as error:
            return error  # its results are stored when it is collected
        try:
            run.also.append(recorder.finish(interrupts.requested))
        except WorkError as error:
            problem = problem or error
        if problem is not None or interrupts.requested:
            run.context.interrupted = interrupts.requested
            return None if interrupts.requested else problem
    return None


def _finished(recorder: Recorder, interrupts: Interrupts, problem: WorkError | None) -> Run:
    try:
        return recorder.finish(interrupts.requested)
    except WorkError as error:
        if interrupts.requested:
            raise Stopped("stopped before anything was measured; nothing was stored") from None
        raise problem or error from None


def _keep_and_tell(engine: Engine, store: Store, run: Run, problem: WorkError | None) -> Kept:
    """Stores a run, and tells the engine that it need not keep it any more."""
    try:
        kept = keep(store, run, problem)
    except KeptElsewhere:
        engine.stored()
        raise
    engine.stored()
    return kept


@contextmanager
def _kept_at_least(store: Store, recorder: Recorder) -> Iterator[None]:
    """Stores the results so far when anything goes wrong in the block.

    A run that is collected later is not stored now.
    """
    try:
        yield
    except StillRunning:
        raise
    except Exception:
        with suppress(WorkError):  # nothing was measured yet, or it is said where it is kept
            say(f"the results until then are kept in run {keep(store, recorder.finish(True)).id}")
        raise


def keep(store: Store, run: Run, problem: WorkError | None = None) -> Kept:
    """Computes the rows of a run and stores it; `problem` is why its engine ended early.

    Raises `KeptElsewhere` and `NotStored` as `Store.save` does.
    """
    from ciphermark.record.run_folder import counted
    from ciphermark.workload import rows, rows_table

    def table(run: Run, analysed: AnyRows) -> Table:
        stored = rows_table(analysed, run.context.workload)
        # Shared stores list runs by their contexts alone.
        run.context = counted(run.context, stored)
        return stored

    try:
        analysed, also = rows(run), [rows(other) for other in run.also]
    except Exception:
        also_rows = [rows_table([], other.context.workload) for other in run.also]
        store.save(run, rows_table([], run.context.workload), also_rows)
        raise
    store.save(run, table(run, analysed), [*map(table, run.also, also)])
    return Kept(run, analysed, problem, also)


@contextmanager
def known_to_be_kept(*kept: Kept) -> Iterator[None]:
    """Adds to errors in the block that the runs are stored."""
    try:
        yield
    except Stopped:
        raise _stopped(*kept) from None
    except WorkError as error:
        raise WorkError(f"{error}; {_where(*kept)}") from error
    except OSError as error:
        place = error.filename or "the output"
        raise WorkError(f"{place} cannot be written ({error.strerror}); {_where(*kept)}") from error
    if (output := output_failure()) is not None and output.failure is not None:
        say(f"the output cannot be written ({output.failure.strerror}); {_where(*kept)}")
        output.is_told = True


def _stopped(*kept: Kept) -> Stopped:
    return Stopped(f"stopped; {_where(*kept)}")


def _where(*kept: Kept) -> str:
    if len(kept) == 1:
        return f"run {kept[0].id} is kept: {show_command(kept[0].id)}"
    names = ", ".join(it.id for it in kept)
    return f"runs {names} are kept: see each with {show_command('RUN')}"


def list_cases(built: Built, json: bool) -> None:
    """Prints the cases of a plan, and the expected time."""
    from ciphermark.command.output import print_answer
    from ciphermark.plan.sampling import expected_seconds
    from ciphermark.view.plan import case_blocks

    document = {"cases": built.plan.cases, "expected_s": expected_seconds(built.plan)}
    print_answer(
        json,
        lambda: document | {"notes": built.notes},
        lambda: case_blocks(built.plan, built.notes),
    )


def print_header(hello: contract.Hello, plan: contract.Plan) -> None:
    """Prints machine and plan on standard output, before the work begins."""
    from ciphermark.run.doctor import examine, overall
    from ciphermark.view import frame
    from ciphermark.view.plan import plan_line
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    doctor, console = overall(examine(hello.environment)), output_console()
    show(console, [frame.header(hello, doctor.line, plan_line(plan))])
    console.print()


def header(built: Built, json: bool) -> Callable[[contract.Hello], None]:
    """Returns a function that prints the header of a run; it prints nothing for JSON."""
    return lambda hello: None if json else print_header(hello, built.plan)


def command_line() -> str:
    """Returns the command as it was typed, for the record, except passwords in addresses."""
    from ciphermark.record.remote import without_secrets

    return shlex.join(["ciphermark", *map(without_secrets, sys.argv[1:])])


def exit_code(kept: Kept) -> int:
    """Returns 1 if a case has failed or the engine died; unsettled cases are no failure."""
    from ciphermark.workload import workload_of

    may_lack = workload_of(kept.run.context.workload).may_lack
    failures = failed(kept.rows, may_lack) + sum(failed(rows, may_lack=True) for rows in kept.also)
    return int(kept.problem is not None or failures > 0)


def failed(rows: AnyRows, may_lack: bool = False) -> int:
    """Counts the failed cases.

    With `may_lack` a function that is unsupported or a tool that is missing is no failure.
    """
    errors = [row.error for row in rows if row.error is not None]
    return sum(not (may_lack and error.kind == "unsupported") for error in errors)


def say_how_it_ended(kept: Kept) -> None:
    """Prints on standard error why the run did not end as planned, if so."""
    if kept.problem is not None:
        say(f"{kept.problem}; the results until then are kept in run {kept.id}")
    elif kept.run.context.interrupted:
        measured = sum(row.is_measured for row in kept.rows)
        say(
            f"interrupted; {measured} of {len(kept.rows)} cases were measured and are kept in "
            f"run {kept.id}"
        )


def report_path(
    store: Store, kept: Kept, output: Path | None, *, with_files: bool = True
) -> Path | None:
    """Writes the report of a run and returns its path; None for an interrupted run.

    `with_files` writes the plots as files too. After Ctrl-C there is no wait for plots, which
    `ciphermark report` draws later.
    """
    if kept.run.context.interrupted:
        return None
    from ciphermark.command.report import write_report

    folder = store.folder(kept.id)
    return write_report(kept.run, kept.rows, folder, output, with_files=with_files, store=store)
