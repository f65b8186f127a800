"""What a fleet has measured becomes runs in the store, each exactly once, whenever the client ends.

A job that is a run by itself is stored when it arrives. Runs that are kept together, as those of a
study's workloads, wait among the fleet's pieces until all of them are there.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ciphermark.errors import WorkError
from ciphermark.fleet.ledger import Done, Ledger
from ciphermark.record.layout import new_run_id
from ciphermark.record.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.contract.simulation import SimulatedTarget, Simulation
    from ciphermark.farm.messages import Job, Measured
    from ciphermark.fleet.ledger import MachineFacts
    from ciphermark.record.run import Run


class Keeping:
    """Stores what machines have measured, and knows what is stored already."""

    def __init__(self, ledger: Ledger, store: Store) -> None:
        self.ledger = ledger
        self._store = store
        self._pieces = Store(ledger.pieces)
        self._pieces.take_along()
        self._kept = {False: store.kept(), True: self._pieces.kept()}
        """Identifiers of runs, and of pieces."""
        self._done = ledger.done(self._is_stored)

    def is_run(self, job: Job, jobs: list[Job]) -> bool:
        """Whether a job becomes a run alone."""
        return sum(it.makes == job.makes for it in jobs) == 1

    def known(self, facts: MachineFacts, jobs: list[Job]) -> dict[str, Done]:
        """Which of a machine's jobs are done already, by this hardware."""
        own = [it for it in self._done if it.machine_id == facts.machine_id]
        same = [it for it in own if it.machine_kind == facts.machine_kind]
        whole = {it.job: it for it in same if not it.piece}
        pieces = {it.job: it for it in same if it.piece}
        found = {job.name: whole.get(job.makes) or pieces.get(job.name) for job in jobs}
        return {name: done for name, done in found.items() if done is not None}

    def other_hardware(self, facts: MachineFacts) -> str | None:
        """The kind that a machine had when jobs of it were done before, where that was another;
        they are forgotten."""
        others = [
            it
            for it in self._done
            if it.machine_id == facts.machine_id and it.machine_kind != facts.machine_kind
        ]
        self._drop(others)
        return others[0].machine_kind if others else None

    def drop_pieces(self, machine_id: str) -> None:
        """Forgets what waits for further jobs of a machine, which will not fit it any more."""
        self._drop([it for it in self._done if it.machine_id == machine_id and it.piece])

    def keep(self, facts: MachineFacts, job: Job, measured: Measured, alone: bool) -> Done:
        """Stores what was measured: as a run, or as a piece of one. Raises WorkError."""
        run: Run | None = measured.run
        done = Done(
            job=job.name,
            machine_id=facts.machine_id,
            machine_kind=facts.machine_kind,
            run="",
            cases=len(run.cases) if run is not None else 0,
            errors=measured.errors,
            piece=not alone,
        )
        if run is None:
            return self._noted(done)
        return self._saved(done, run, measured.rows, [])

    def piece(self, done: Done) -> Run:
        """What waits among the pieces."""
        return self._pieces.load(done.run)

    def join(
        self,
        jobs: list[Job],
        done: dict[str, Done],
        targets: list[SimulatedTarget],
        simulations: list[Simulation],
    ) -> Done:
        """Makes one run of all jobs of a name, the first with the others within, in the place of
        the pieces. Raises WorkError."""
        pieces = [done[job.name] for job in jobs]
        found = [it for it in pieces if it.run]
        first, *also = [self.piece(it) for it in found]
        tables = [self._pieces.rows(it.run) for it in found]
        first.also, first.targets, first.simulations = also, targets, simulations
        whole = Done(
            job=jobs[0].makes,
            machine_id=found[0].machine_id,
            machine_kind=found[0].machine_kind,
            run="",
            cases=sum(it.cases for it in found),
            errors=sum(it.errors for it in found),
        )
        saved = self._saved(whole, first, tables[0], tables[1:])
        self._drop(pieces)
        return saved

    def _saved(self, done: Done, run: Run, rows: pa.Table, also_rows: list[pa.Table]) -> Done:
        """Says first which run it becomes, then stores that."""
        kept = self._kept[done.piece]
        while run.context.run in kept:  # machines that began in the same second
            run.context.run = new_run_id(run.context.started_unix_ns)
        named = Done(**_fields(done) | {"run": run.context.run})
        store = self._pieces if done.piece else self._store
        try:
            self.ledger.intend(named)
        except WorkError:
            store.save(run, rows, also_rows)  # on the same full disk, it may be kept elsewhere
            raise
        store.save(run, rows, also_rows)
        kept.add(run.context.run)
        self._done.append(named)
        return named

    def _drop(self, forgotten: list[Done]) -> None:
        """Jobs that are to be measured anew or are kept otherwise; runs in the store stay."""
        for done in forgotten:
            self.ledger.forget(done)
            self._done.remove(done)
            if done.piece and done.run:
                shutil.rmtree(self._pieces.folder(done.run), ignore_errors=True)

    def _noted(self, done: Done) -> Done:
        self.ledger.intend(done)
        self._done.append(done)
        return done

    def _is_stored(self, done: Done) -> bool:
        return done.run in self._kept[done.piece]


def _fields(done: Done) -> dict[str, object]:
    return {name: getattr(done, name) for name in done.__struct_fields__}
