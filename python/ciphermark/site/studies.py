"""The pages of studies: the papers' tables beside each machine's, and claims over all machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.errors import UsageError, WorkError
from ciphermark.site.folder import Folder
from ciphermark.site.pages import write_page
from ciphermark.site.state import State, place_of
from ciphermark.studies import registry
from ciphermark.studies.show import VERDICTS, verdict

if TYPE_CHECKING:
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store


def write_studies(
    folder: Folder,
    store: Store,
    summaries: Sequence[Summary],
    names: Mapping[Key, str],
    state: State,
) -> list[str]:
    """Writes the claims of each study, and the newest report of each machine.

    Claims are over all machines. Returns the problems of runs that could not be read.
    """
    problems, shown, kept = [], [], set()
    for known in registry.summaries():
        study = registry.load(known.study)
        newest: dict[Key, Summary] = {}
        for summary in summaries:  # newest first
            if summary.plan_name == study.name and key_of(summary) in names:
                newest.setdefault(key_of(summary), summary)
        machines: list[dict[str, str]] = []
        verdicts: list[dict[str, str]] = []
        for key, summary in newest.items():
            place = place_of("\n".join((study.name, *key)))
            try:
                judged = _verdicts(folder, store, f"study/{place}", summary, state)
            except (UsageError, WorkError) as error:
                problems.append(f"the study of run {summary.run} is left out: {error}")
                continue
            kept.add(f"{place}.js")
            machines.append({"name": names[key], "key": place})
            verdicts.append(judged)
        claims = [
            {
                "claim": statement.claim,
                "text": statement.text,
                "verdicts": [judged.get(statement.claim, "") for judged in verdicts],
            }
            for statement in study.statements
        ]
        shown.append(
            {
                "name": study.name,
                "title": study.plan.title,
                "source": study.plan.source,
                "machines": machines,
                "claims": claims,
            }
        )
    folder.keep_only("data/study", kept)
    # Studies without a run come last.
    shown.sort(key=lambda study: not study["machines"])
    write_page(folder, "studies.html", studies=shown)
    return problems


def _verdicts(
    folder: Folder, store: Store, name: str, summary: Summary, state: State
) -> dict[str, str]:
    """Returns the verdict on each claim, and writes the page of tables and claims."""
    from ciphermark.command.report import document
    from ciphermark.command.stored import rows_of
    from ciphermark.view.page import part

    known = state.verdicts.get(summary.run)
    if known is not None and folder.has_data(name) and state.made_of.get(name) == summary.run:
        return known
    run = store.load(summary.run)
    rows = rows_of(store, summary.run, run.context)
    page = part(document(run, rows, run.context.algorithms, store))
    folder.write_data(name, page._asdict())
    study = registry.of_plan(summary.plan_name)
    assert study is not None
    verdicts = {
        claim.claim: f"{VERDICTS[claim.holds][0]} {verdict(claim)}"
        for claim in study.claims(run, rows)
    }
    state.made_of[name] = summary.run
    state.verdicts[summary.run] = verdicts
    return verdicts
