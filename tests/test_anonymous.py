"""What is exported for sharing does not tell whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.command.report import document
from ciphermark.record.anonymous import words
from ciphermark.record.anonymous.run import _literals, anonymous
from ciphermark.record.anonymous.words import Names
from ciphermark.record.run import Run
from ciphermark.record.run_folder import read_run
from ciphermark.record.store import Store
from ciphermark.view.page import part
from ciphermark.workload import rows, rows_table

GOLDEN = Path(__file__).with_name("golden")
FOLDERS = sorted(GOLDEN.glob("run-1.7*"))

SECRETS = (
    "build7.corp.example",
    "10.11.12.13",
    "fe80::1ff:fe23:4567:890a",
    "02:42:ac:11:00:02",
    "alice",
    "/home/alice",
    "alice@corp.example",
    "SN-C02XK1ZWJG5J",
    "geheimnis",
)
"""What must not be found: of a host, its addresses, a user, a home folder, a serial number."""

PLANTED = " ".join(SECRETS)


def planted(it: Any, hints: dict[str, Any] | None = None) -> None:
    """Writes the secrets into every text of a struct that is not of a closed set, in lists and
    dictionaries too, after the text that stood there."""
    hints = hints or get_type_hints(type(it))
    for name in it.__struct_fields__:
        setattr(it, name, _planted(getattr(it, name), hints[name]))


def _planted(value: Any, kind: Any) -> Any:
    if isinstance(value, str) and value not in _literals(kind):
        return f"{value} {PLANTED}"
    if isinstance(value, msgspec.Struct):
        if not type(value).__struct_config__.frozen:
            planted(value)
        return value
    if isinstance(value, list):
        more = [PLANTED] if value and isinstance(value[0], str) else []
        return [_planted(it, kind) for it in value] + [it for it in more if not _literals(kind)]
    if isinstance(value, dict):
        return {f"{key} {PLANTED}": _planted(it, kind) for key, it in value.items()} | {
            key: it for key, it in value.items() if not isinstance(it, str)
        }
    return value


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """All that a folder holds: names, the bytes of its files, and what Parquet files say."""
    for path in folder.rglob("*"):
        yield path, str(path.relative_to(folder))
        if path.is_file():
            yield path, path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            yield path, str(pq.read_table(path).to_pylist())
            yield path, str(pq.read_metadata(path).metadata)


def exported(store: Store, output: Path, *arguments: str) -> Store:
    result = CliRunner().invoke(
        app,
        ["export", "--anonymous", *arguments, "--output", str(output), "--runs", str(store.root)],
        catch_exceptions=False,
    )
    assert result.exit_code == 0, result.output
    return Store(output)


def stored(folder: Path, root: Path, change=lambda run: None) -> tuple[Store, Run]:  # noqa: ANN001
    """A store with a golden run in it, changed."""
    run = read_run(folder)
    of_rows = [rows_table(rows(it), it.context.workload) for it in (run, *run.also)]
    change(run)
    store = Store(root)
    run.context.run = "20260101-101112-7f3a"
    store.save(run, of_rows[0], of_rows[1:])
    return store, run


def plant(run: Run) -> None:
    """Into every field of a run."""
    samples, workload = run.samples, run.context.workload
    run.samples = None
    for other in run.also:
        plant(other)
    of_run = {
        name: getattr(run, name)
        for name in run.__struct_fields__
        if name not in ("samples", "also")
    }
    for name, value in of_run.items():
        setattr(run, name, _planted(value, Any))
    run.samples = samples
    run.context.workload = workload  # else it is no run that can be read


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda it: it.name)
def test_nothing_that_was_planted_anywhere_is_in_the_export(folder: Path, tmp_path: Path) -> None:
    store, run = stored(folder, tmp_path / "runs", plant)
    before = " ".join(text for _, text in texts(store.root))
    assert all(secret in before for secret in SECRETS)
    shared = exported(store, tmp_path / "shared", run.context.run)
    for path, text in texts(shared.root):
        for secret in (*SECRETS, run.context.run, "101112"):
            assert secret.lower() not in text.lower(), f"{secret} in {path}"


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda it: it.name)
def test_an_exported_run_is_like_any_other(folder: Path, tmp_path: Path) -> None:
    store, run = stored(folder, tmp_path / "runs")
    shared = exported(store, tmp_path / "shared", run.context.run)
    [name] = shared.run_ids()
    assert name != run.context.run
    back = shared.load(name)
    assert back.samples.without("disturbed") == run.samples.without("disturbed")
    assert [it.case.algorithm for it in back.cases] == [it.case.algorithm for it in run.cases]
    assert [it.case.switches for it in back.cases] == [it.case.switches for it in run.cases]
    here, there = shared.rows(name), store.rows(run.context.run)
    for figure in (it for it in here.schema if "per" in it or "ns" in it):
        assert here[figure].to_pylist() == there[figure].to_pylist()
    assert back.context.cpu_name == run.context.cpu_name
    assert back.context.started_unix_ns // 86400_000_000_000 == (
        run.context.started_unix_ns // 86400_000_000_000
    )
    for command in (["show"], ["list", "runs"], ["list", "machines"]):
        result = CliRunner().invoke(
            app, [*command, "--runs", str(shared.root)], catch_exceptions=False
        )
        assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_machines_stay_the_same_and_apart_within_an_export(tmp_path: Path) -> None:
    from machines_example import few_machines

    store = Store(tmp_path / "runs")
    few_machines(store)
    first = exported(store, tmp_path / "one", "--all")
    ids = [it.machine_id for it in first.summaries()]
    assert len(ids) == 5 and len(set(ids)) == 4
    assert not set(ids) & {it.machine_id for it in store.summaries()}
    # In the order in which they were measured, without the time of day.
    order = [it.cpu_name for it in first.summaries()]
    assert order == [it.cpu_name for it in store.summaries()]
    again = exported(store, tmp_path / "two", "--all")
    assert not set(ids) & {it.machine_id for it in again.summaries()}


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    store, run = stored(FOLDERS[0], tmp_path / "runs")
    exported(store, tmp_path / "shared", run.context.run)
    from ciphermark.errors import UsageError

    for arguments in (["--anonymous", "--output", str(tmp_path / "shared")], ["--anonymous"]):
        result = CliRunner().invoke(app, ["export", *arguments, "--runs", str(store.root)])
        assert isinstance(result.exception, UsageError)
        assert "--output DIR" in str(result.exception)


def test_a_folder_with_names_in_it_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    store, run = stored(FOLDERS[0], tmp_path / "runs")
    for arguments in ([run.context.run], ["--all"]):
        before = sorted(store.root.rglob("*"))
        result = CliRunner().invoke(
            app, ["export", *arguments, "--anonymous", "--output", str(store.root),
                  "--runs", str(store.root)]
        )  # fmt: skip
        assert "is there already: name a new folder" in str(result.exception)
        assert sorted(store.root.rglob("*")) == before


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda it: it.name)
def test_the_seed_is_left_out(folder: Path) -> None:
    run = read_run(folder)
    run.context.plan.seed = 8_311_947_205_116_033
    kept = anonymous(run, Names())
    assert [it.context.plan.seed for it in (kept, *kept.also)] == [0] * (1 + len(kept.also))


RULES = [
    words.slug,
    words.version,
    words.first_version,
    words.processor,
    words.kind,
    words.system,
    words.kernel,
    words.compiler,
    words.flags,
    words.value,
    words.place,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda it: it.__name__)
@pytest.mark.parametrize("secret", [it for it in SECRETS if not it.isalpha()])
@given(before=st.sampled_from(["", "AMD EPYC 9B45", "3.0.17", "Debian 12", "aesni-avx", "-O2 "]))
def test_no_rule_lets_an_address_or_path_stay(rule, secret: str, before: str) -> None:  # noqa: ANN001
    for text in (f"{before} {secret}", f"{secret} {before}", secret):
        assert secret not in rule(text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (words.processor, "AMD EPYC 9B45"),
        (words.processor, "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"),
        (words.processor, "Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz"),
        (words.processor, "AMD Ryzen 7 PRO 4750U with Radeon Graphics"),
        (words.processor, "Neoverse-V1"),
        (words.processor, "Cortex-A72"),
        (words.version, "3.0.17"),
        (words.version, "1.1.1w"),
        (words.version, "5.7.0-rc1"),
        (words.system, "Debian GNU/Linux 12 (bookworm)"),
        (words.system, "Ubuntu 24.04.1 LTS"),
        (words.kernel, "6.1.0"),
        (words.compiler, "rustc 1.89.0 (29483883e 2025-08-04)"),
        (words.kind, "AuthenticAMD/family-26/model-2/features-0a1b2c3d/cores-2/kvm"),
        (words.value, "~0x200000200000000"),
        (words.slug, "esp:aes-128-cbc+hmac-sha1-96"),
        (words.slug, "bytesliced-avx512"),
    ],
)
def test_what_is_needed_stays(rule, text: str) -> None:  # noqa: ANN001
    assert rule(text) == text


def test_flags_that_name_something_are_left_out() -> None:
    given = "-O2 -DUSER=alice -I/home/alice -funroll-loops -mmcu=atmega128"
    assert words.flags(given) == "-O2 -funroll-loops -mmcu=atmega128"


def test_names_of_the_users_own_get_numbers() -> None:
    names = Names()
    assert names.provider("openssl") == "openssl"
    assert names.provider("openssl@alice") == names.provider("openssl@alice") == "openssl@build-1"
    assert names.provider("openssl@bob") == "openssl@build-2"
    assert names.profile("imix") == "imix"
    assert names.profile("alices-office") == "profile-1"
    assert names.target("atmega128") == "atmega128"
    assert names.target("atmega128@alices") == "atmega128@build-3"
    assert names.provider("kernel@default") == "kernel@default"
    assert names.plan("survey") == "survey" and names.plan("gateway") == "gateway"


def test_the_backend_of_code_of_ones_own_gets_a_number() -> None:
    run = read_run(FOLDERS[0])
    for it in run.cases[:1]:
        it.case.provider, it.case.backend = "kernel@alice", "alices-idea"
    kept = anonymous(run, Names())
    assert kept.cases[0].case.provider == "kernel@build-1"
    assert kept.cases[0].case.backend == "backend-1"
    assert kept.context.hello is not None
    assert all(it.title == it.name for it in kept.context.hello.providers)


ONE_OF_EACH = {
    folder.name.partition("-")[2].partition("-")[2]: folder
    for folder in GOLDEN.glob("run-1.*")
    if not folder.name.endswith("-tuning")  # which has no report
}
"""A golden run of each kind of run; those measured on single messages have no such part in their
names."""


@pytest.mark.parametrize("kind", sorted(ONE_OF_EACH))
def test_a_run_without_names_has_its_report(kind: str) -> None:
    kept = anonymous(read_run(ONE_OF_EACH[kind]), Names())
    assert part(document(kept, rows(kept))).html


@pytest.mark.parametrize(
    ("processor", "told"),
    [
        ("AMD EPYC 9B45", "epyc-9b45-kvm"),
        ("Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", "core-i7-8650u-kvm"),
    ],
)
def test_a_machine_is_called_by_the_words_of_its_processor(processor: str, told: str) -> None:
    assert Names().machine("secret", "0123", processor, "kvm") == told
