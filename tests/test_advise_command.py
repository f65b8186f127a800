"""`ciphermark advise` as it is typed: its screens, its document, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from advice_example import rows, stored
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.record.store import Store
from ciphermark.workload import rows as figures
from ciphermark.workload import rows_table
from ciphermark.workloads.single.row import Row
from engine_fixture import Command, Ended
from lent_engine import all_algorithms
from simulation_example import simulated_run
from tunnel_example import cost_ns, tunnel_run, tunnels

GOLDEN = Path(__file__).parent / "golden" / "advice"

SCREENS = {
    "ipsec": ["--link", "1G", "--both-ways"],
    "peer": ["--rate", "1G", "--peer-supports", "aes128-sha1,3des-md5,aes128-md5"],
    "impossible": ["--strength", "256", "--tag", "4", "--compliance", "fips"],
    "explained": ["--both-ways", "--explain"],
}
"""By the name of the file in `golden/advice/`. To look at what has changed, and to keep it:
CIPHERMARK_WRITE_GOLDEN=1 pytest tests/test_advise_command.py && git diff tests/golden/advice"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A command with the example's run, on a machine that has no engine."""
    folder = tmp_path_factory.mktemp("advice")
    stored(Store(folder / "runs"))
    return Command(folder / "runs", folder / "no-engine")


def advised(typed: Command, *options: str, use: str = "ipsec") -> Ended:
    return typed("advise", "--for", use, *options)


def test_a_data_path_takes_its_share_and_changes_no_choice(typed: Command) -> None:
    alone, whole = (
        advised(typed, "--link", "1G", *more, "--json").document
        for more in ([], ["--path-cost", "5us"])
    )
    assert whole["recommendation"]["suite"] == alone["recommendation"]["suite"]
    costs = [it["recommendation"]["carried"] for it in (alone, whole)]
    assert costs[0]["path"] is None and costs[1]["path"]["ns"]["value"] == 5000
    packets = [it["packets_per_second"]["value"] for it in costs]
    assert 1e9 / packets[1] == pytest.approx(1e9 / packets[0] + 5000)
    assert costs[1]["cryptography_share"] < 1 == costs[0]["cryptography_share"]


def test_a_path_that_is_no_time_is_refused(typed: Command) -> None:
    ended = advised(typed, "--path-cost", "fast")
    assert ended.code == 2 and "--path-cost" in ended.sentence


@pytest.mark.slow
@pytest.mark.parametrize("name", SCREENS)
def test_screens_are_as_they_were_looked_at(
    typed: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ended = advised(typed, *SCREENS[name])
    assert ended.code == (1 if name == "impossible" else 0), ended.messages
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("CIPHERMARK_WRITE_GOLDEN"):
        path.write_text(ended.output, "utf-8")
    assert ended.output == path.read_text("utf-8")


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_first_screen_fits_and_is_short(
    typed: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = advised(typed, "--link", "1G", "--both-ways").output.splitlines()
    assert " ".join(lines[:2]).startswith(
        "On epyc-9b45-kvm: Use AES-128-GCM (openssl, vaes-avx512): a full line of"
    )
    assert max(map(len, lines)) <= int(columns)
    assert len(lines) <= 36


def test_the_document_has_what_the_screen_says(typed: Command) -> None:
    ended = advised(typed, "--rate", "1G", "--both-ways", "--json")
    assert ended.code == 0, ended.messages
    document = ended.document
    assert document["recommendation"]["suite"] == "esp:aes-128-gcm"
    assert [it["suite"] for it in document["ranking"]][:3] == [
        "esp:aes-128-gcm",
        "esp:aes-256-gcm",
        "esp:chacha20-poly1305",
    ]
    assert document["ties"] == []
    assert {it["name"] for it in document["refused"] if it["weak"]} >= {
        "esp:aes-128-cbc+hmac-sha1-96",
        "esp:aes-128-cbc+hmac-md5-96",
    }
    assert document["settings"][0]["line"] == "esp_proposals = aes128gcm16-x25519"
    assert document["forgery"]["algorithm"] == "aes-128-gcm"
    share = document["recommendation"]["carried"]["cpu_share"]
    assert share["low"] < share["value"] < share["high"]
    assert document["question"]["for"] == "ipsec"


def test_a_peer_in_the_document(typed: Command) -> None:
    peer = advised(typed, "--peer-supports", "aes128-sha1,3des-md5", "--json").document["peer"]
    assert peer["chosen"] == "esp:aes-128-cbc+hmac-sha1-96"
    assert peer["weak"] and peer["times_the_cost"] > 2
    assert peer["without_the_peer"] == "esp:aes-128-gcm"
    assert peer["unmeasured"] == ["esp:3des-cbc+hmac-md5-96"]


def test_all_cores_are_those_of_the_runs_machine(typed: Command) -> None:
    """The made-up machine has two."""
    told, every = (
        advised(typed, "--cores", cores, "--json").document["recommendation"]["carried"]
        for cores in ("2", "all")
    )
    assert every == told


def test_the_impossible_in_the_document(typed: Command) -> None:
    ended = advised(typed, "--tag", "4", "--strength", "256", "--json")
    assert ended.code == 1
    impossible = ended.document["impossible"]
    assert [it["wishes"] for it in impossible["conflicts"]] == [["tag"]]
    assert impossible["nearest"][0]["suite"] == "esp:aes-256-gcm"
    assert {it["wish"]: it["candidates"] for it in impossible["ruled_out"]}["tag"] > 0


def test_weak_functions_that_are_named_are_refused_with_their_source(typed: Command) -> None:
    ended = advised(typed, "--algorithms", "seal,tea,treyfer-ecb", "--explain")
    for name, source in (
        ("SEAL 3.0 (legacy", "Fluhrer"),
        ("TEA-ECB (broken", "Kelsey"),
        ("TREYFER-ECB (broken", "Biryukov"),
    ):
        assert name in ended.output and source in ended.output


def test_without_a_run_one_sentence_says_what_to_type(tmp_path: Path) -> None:
    empty = Command(tmp_path / "runs", tmp_path / "no-engine")
    ended = advised(empty)
    assert ended.code == 2
    assert ended.sentence == (
        "no run of this machine has figures for an IPsec tunnel (ESP): measure with "
        "'ciphermark esp'"
    )


def test_the_newest_run_with_figures_is_taken(tmp_path: Path) -> None:
    """A run without a suite of the protocol is no answer, however new."""
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    stored(Store(tmp_path / "runs"), rows(["aes-128-gcm"]))
    assert advised(command).code == 0
    ended = advised(command, use="srtp")
    assert ended.code == 2
    assert "measure with 'ciphermark esp --suites srtp'" in ended.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--rate", "1G", "--link", "1G"), "--rate and --link say how much there is"),
        (("--profile", "imix", "--sizes", "64"), "--profile and --sizes exclude each other"),
        (("--by", "speed"), "there is no thing that matters 'speed'; see: throughput"),
        (("--rate", "1GB"), "--rate '1GB' is not a rate"),
        (("--attempts", "-1"), "--attempts '-1' is not a number above 0: write for example"),
        (("--tag", "long"), "--tag 'long' is not a length of tags: write bytes"),
        (("--peer-supports", "aes128-sh1"), "--peer-supports: there is no cipher or MAC"),
        (("--run", "nosuch"), "there is no run 'nosuch'"),
        (("--node", "micazz"), "there is no node 'micazz'; near: micaz"),
        (("--compliance", "no-legacy", "--allow-legacy"), "contradict: leave one out"),
        (("--sizes", "0"), "messages of 0 bytes carry nothing"),
        (("--run", "last", "--run", "last"), "--run is written 2 times: write it once"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    typed: Command, options: tuple[str, ...], sentence: str
) -> None:
    ended = advised(typed, *options)
    assert ended.code == 2
    assert sentence in ended.sentence


def test_libraries_can_be_left_out(typed: Command) -> None:
    assert advised(typed, "--providers", "openssl").code == 0
    ended = advised(typed, "--providers", "rustcrypto")
    assert (ended.code, ended.sentence) == (
        2,
        "there is no library 'rustcrypto' in this run; see: openssl",
    )


def test_a_named_run_without_figures_is_said_to_have_none(typed: Command) -> None:
    ended = advised(typed, "--run", "last", use="srtp")
    assert ended.code == 2
    assert ended.sentence == (
        "run 20261122-091500-7f3a has no figure for voice and video calls (SRTP): leave out --run, "
        "or measure with 'ciphermark esp --suites srtp'"
    )


def test_an_unknown_use_names_those_that_are_near(typed: Command) -> None:
    ended = advised(typed, use="ipsek")
    assert (ended.code, ended.sentence) == (2, "there is no use 'ipsek'; near: ipsec, disk")


def test_a_rate_is_of_each_tunnel_and_an_all_rate_of_all(typed: Command) -> None:
    each = advised(typed, "--tunnels", "500", "--rate", "4M", "--json").document
    together = advised(typed, "--tunnels", "500", "--all-rate", "2G", "--json").document
    one = advised(typed, "--rate", "2G", "--json").document
    for document in (each, together, one):
        assert document["question"]["payload_bits_per_second"] == 2e9
    assert each["question"]["tunnels"] == 500 and one["question"]["tunnels"] is None
    assert any("ciphermark esp --tunnels 500" in note for note in each["notes"])
    assert "500 tunnels, 2.00 Gbit/s in all, use" in " ".join(
        advised(typed, "--tunnels", "500", "--rate", "4M").output.split()
    )


@pytest.mark.parametrize("typed_as", ["esp:aes-256-*", "aes-256-gcm,aes-256-cbc*"])
def test_suites_are_chosen_by_name_or_pattern(typed: Command, typed_as: str) -> None:
    document = advised(typed, "--suites", typed_as, "--json").document
    assert document == advised(typed, "--suite", typed_as, "--json").document
    assert {it["suite"] for it in document["ranking"]} == {
        "esp:aes-256-gcm",
        "esp:aes-256-cbc+hmac-sha256-128",
    }


def test_what_was_not_measured_is_not_denied(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    without = [row for row in rows() if row.algorithm != "esp:aes-256-gcm"]
    weak = [row for row in without if "256-cbc" not in row.algorithm]
    stored(Store(folder), weak)
    wishes = ("--strength", "256", "--compliance", "fips")
    ended = advised(Command(folder, tmp_path / "no-engine"), *wishes, "--json")
    assert ended.code == 1
    document = ended.document
    assert document["recommendation"] is None and document["impossible"] is None
    assert "esp:aes-256-gcm" in document["unmeasured"]
    assert document["measure"].startswith("ciphermark esp --suites esp:")


def test_it_is_said_what_the_figures_leave_out(typed: Command) -> None:
    document = advised(typed, "--json").document
    assert "Linux kernel" in document["left_out"] and "openssl" in document["left_out"]
    assert "not in it" in advised(typed).output


def test_with_the_data_path_the_network_stack_is_not_left_out(typed: Command) -> None:
    document = advised(typed, "--path-cost", "900ns", "--json").document
    assert document["left_out"].startswith("key exchange and the cards; ")


def test_a_run_of_several_sizes_comes_before_a_newer_one_of_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    wide = stored(store)
    one = [row for row in rows() if row.message_bytes == 576]
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    narrow = stored(store, one, days_later=1)
    assert store.summaries()[0].run == narrow
    assert advised(command, "--json").document["run"] == wide
    assert advised(command, "--run", narrow, "--json").document["run"] == narrow


def test_the_first_line_says_whether_the_cores_do(typed: Command) -> None:
    carried = advised(typed, "--json").document["recommendation"]["carried"]
    most = carried["bits_per_second"]["value"]

    def first(share: float) -> str:
        output = advised(typed, "--rate", f"{most * share:.0f}").output
        return " ".join(output.partition("\n  ")[0].split())

    assert "uses 50 % of one core" in first(0.5)
    assert "so one core may not be enough" in first(1.0)
    assert "needs 3 cores" in first(2.5)


def test_many_keys_are_named_though_nobody_asked(tmp_path: Path) -> None:
    known = rows()
    with_keys = [it for it in rows(scale=3.0) if not it.switches]
    for number, row in enumerate(with_keys, len(known)):
        row.case, row.keys = number, 1000
    stored(Store(tmp_path / "runs"), [*known, *with_keys])
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    words = " ".join(advised(command).output.split())
    assert "with 1 000 a packet costs 2.9 times as much as with one: --tunnels N" in words
    asked = advised(command, "--tunnels", "500", "--rate", "1M", "--json").document
    assert asked["notes"][0].startswith(
        "every suite with 1 000 keys in use: a packet costs 2.9 times"
    )


def test_what_a_tunnel_of_the_kind_carries_is_the_answer(tmp_path: Path) -> None:
    """Without such a run the first line says that the figures are of cryptography alone."""
    store = Store(tmp_path / "runs")
    wireguard = [
        msgspec.structs.replace(row, algorithm="chacha20-poly1305")
        for row in rows(["chacha20-poly1305"])
        if not row.switches
    ]
    stored(store, wireguard)
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    alone = advised(command, use="wireguard-like").output.partition("\n  ")[0]
    assert "cryptography alone" in " ".join(alone.split())
    run = tunnel_run(tunnels(noise=0.005))
    machine = store.summaries()[0].machine_name
    run.context.machine_name = machine
    store.save(run, rows_table(figures(run), "tunnel"))
    whole = advised(command, "--profile", "wireguard-1420", "--json", use="wireguard-like")
    carried = whole.document["recommendation"]["carried"]
    truth = 8e9 * 1420 / cost_ns("wireguard-go", "chacha20-poly1305", 1420)
    assert carried["bits_per_second"]["value"] == pytest.approx(truth, rel=0.05)
    assert carried["path"]["kind"] == "wireguard-go" and carried["path"]["has_cryptography"]
    first = advised(command, use="wireguard-like").output.partition("\n  ")[0]
    assert "(wireguard-go), data path included" in " ".join(first.split())
    assert not any("lower bound" in note for note in whole.document["notes"])


GCM, CBC = "esp:aes-128-gcm", "esp:aes-128-cbc+hmac-sha256-128"


def with_many_keys(*names: str, scale: float, keys: int = 1000) -> list[Row]:
    """Rows of these suites at so many times the cost, with many keys in use."""
    many = [it for it in rows(scale=scale) if not it.switches and it.algorithm in names]
    for number, row in enumerate(many, 10_000 * keys):
        row.case, row.keys = number, keys
    return many


@pytest.mark.parametrize(
    ("more", "gcm", "cbc", "missing"),
    [
        ([(GCM, 5.0), (CBC, 1.5)], 5.0, 1.5, ""),
        ([(CBC, 1.5)], 1.0, 1.0, "not measured: ciphermark esp --peer-supports aes128-sha256 "),
        ([(GCM, 5.0)], 1.0, 1.0, "--tunnels 800"),
        ([], 1.0, 1.0, "--tunnels 800"),
    ],
)
def test_an_old_peer_and_the_best_suite_have_as_many_keys(
    tmp_path: Path, more: list[tuple[str, float]], gcm: float, cbc: float, missing: str
) -> None:
    """The ratio is of two costs with one key each, or of two with many."""
    many = [row for name, scale in more for row in with_many_keys(name, scale=scale)]
    stored(Store(tmp_path / "runs"), [*rows(), *many])
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    options = ("--peer-supports", "aes128-sha256", "--tunnels", "800", "--rate", "1M")
    found = advised(command, *options, "--json").document
    one = advised(command, "--peer-supports", "aes128-sha256", "--json").document
    assert found["peer"]["times_the_cost"] == pytest.approx(
        cbc / gcm * one["peer"]["times_the_cost"], rel=0.05
    )
    words = " ".join(advised(command, *options).output.split())
    assert missing in words


def test_a_suite_without_as_many_keys_is_named_with_the_command(tmp_path: Path) -> None:
    stored(Store(tmp_path / "runs"), [*rows(), *with_many_keys(GCM, CBC, scale=2.0)])
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    found = advised(command, "--tunnels", "800", "--json").document
    assert {it["suite"] for it in found["ranking"]} == {GCM, CBC}
    assert "esp:aes-256-gcm" in found["unmeasured"]
    assert "AES-256-GCM" in found["notes"][0]
    assert found["notes"][0].endswith(": ciphermark esp --tunnels 800")


def test_what_a_peer_offers_and_was_not_measured_comes_with_the_command(tmp_path: Path) -> None:
    stored(Store(tmp_path / "runs"), [it for it in rows() if it.algorithm != CBC])
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    words = " ".join(advised(command, "--peer-supports", "aes128-sha256").output.split())
    assert "what was not measured here: ciphermark esp --peer-supports aes128-sha256" in words


def test_figures_without_an_interval_say_what_is_assumed_and_what_to_type(tmp_path: Path) -> None:
    unsettled = rows()
    for row in unsettled:
        row.cycles_per_message_low = row.cycles_per_message_high = None
    stored(Store(tmp_path / "runs"), unsettled)
    ended = advised(Command(tmp_path / "runs", tmp_path / "no-engine"), "--link", "2G")
    words = " ".join(ended.output.split())
    assert "±10 % is assumed" in words and "ciphermark esp --budget 5m" in words


def node_simulation(
    runs: Path,
    number: int,
    algorithm: str,
    code_bytes: int,
    operations: tuple[str, ...] = ("mac",),
) -> None:
    """A run of `ciphermark simulate cortex-m0` with one function."""
    facts = {it.name: it for it in all_algorithms()}
    found = [
        Simulation(
            case=SimulatedCase(
                target="cortex-m0",
                algorithm=algorithm,
                operation=operation,
                backend="reference",
                message_bytes=size,
            ),
            metric="cycles-model",
            value=1000 * number + 100 * (size or 0),
            code_bytes=code_bytes,
            context_bytes=200,
            stack_bytes=100,
        )
        for operation in ("setup", *operations)
        for size in ([None] if operation == "setup" else [16, 64])
    ]
    run = simulated_run(found, seed=number)
    run.context.algorithms = [facts[algorithm]]
    Store(runs).save(run, rows_table(figures(run), "simulation"))


def test_a_node_has_no_data_path_of_a_gateway(tmp_path: Path) -> None:
    node_simulation(tmp_path / "runs", 1, "chacha20-poly1305", 2000, operations=("seal", "open"))
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    shown = advised(command, "--node", "stm32l0-lora").output
    assert "Use ChaCha20-Poly1305" in shown and "data path" not in shown


def test_a_node_has_the_newest_figure_of_each_function(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for number, algorithm, code_bytes in (
        (2, "cmac-aes-128", 1000),
        (1, "hmac-sha256", 2000),
        (3, "hmac-sha256", 3000),
    ):
        node_simulation(runs, number, algorithm, code_bytes)
    command = Command(runs, tmp_path / "no-engine")
    asked = ("--node", "stm32l0-lora", "--code", "16K")
    ended = advised(command, *asked, use="mac-only")
    assert ended.code == 0, ended.messages
    newest = [it.run for it in Store(runs).summaries()]
    document = advised(command, *asked, "--json", use="mac-only").document
    costs = {it["suite"]: it for it in [document["recommendation"], *document["ranking"]]}
    assert set(costs) == {"cmac-aes-128", "hmac-sha256"}
    text = " ".join(ended.output.split())
    served = [run for run in newest if run in text]
    assert len(served) == 2 and newest[0] in served
    # A node has one core, no tool to configure, and messages of its own size.
    assert "more cores" not in text and "openssl" not in text
    assert document["question"]["traffic"]["name"] == "24 B messages"


def node_runs(runs: Path) -> None:
    """Two simulations of LoRaWAN's functions on a Cortex-M0: reference kernels, then tables."""
    facts = {it.name: it for it in all_algorithms()}
    functions = {"cmac-aes-128": ("mac", "verify"), "aes-128-ctr": ("encrypt", "decrypt")}
    for number, (backend, price, code_bytes) in enumerate(
        (("reference", 10_000, 2_700), ("table", 2_500, 13_500))
    ):
        found = [
            Simulation(
                case=SimulatedCase(
                    target="cortex-m0",
                    algorithm=algorithm,
                    operation=operation,
                    backend=backend,
                    message_bytes=size,
                ),
                metric="cycles-model",
                value=500 + price * (1 if size is None else -(-size // 16)),
                code_bytes=code_bytes,
                context_bytes=200,
                stack_bytes=100,
            )
            for algorithm, operations in functions.items()
            for operation in ("setup", *operations)
            for size in ([None] if operation == "setup" else [16, 32, 128])
        ]
        run = simulated_run(found, seed=number)
        run.context.algorithms = [facts[it] for it in functions]
        Store(runs).save(run, rows_table(figures(run), "simulation"))


@pytest.mark.parametrize(
    ("code", "backend", "price"), [((), "table", 2_500), (("--code", "8K"), "reference", 10_000)]
)
@pytest.mark.parametrize("size", [24, 40])
def test_a_lorawan_packet_costs_the_same_in_three_commands(
    tmp_path: Path, code: tuple[str, ...], backend: str, price: int, size: int
) -> None:
    runs = tmp_path / "runs"
    node_runs(runs)
    command = Command(runs, tmp_path / "no-engine")
    node = ("--node", "stm32l0-lora", "--sizes", str(size))
    advice = advised(command, *node, *code, "--json", use="lorawan").document
    blocks = -(-size // 16) + -(-(25 + size) // 16)
    cycles = 2 * 500 + price * blocks
    chosen = advice["recommendation"]
    assert chosen["backend"] == backend
    packet_ns = chosen["nanoseconds_per_packet"]
    assert packet_ns["value"] == pytest.approx(1e3 * cycles / 32, rel=1e-6)

    asked = ("model", "feasible", "--target", "cortex-m0", "--deadline", "1s", "--size", str(size))
    flash = () if not code else ("--flash", code[1])
    (sent, _) = command(*asked, "--protocol", "lorawan", *flash, "--json").document["functions"]
    assert (sent["backend"], sent["cycles"]) == (backend, pytest.approx(cycles))
    asked = ("protocol", "lorawan", "--node", "stm32l0-lora", "--payload", str(size), "--json")
    rows = command(*asked).document["rows"]
    if not code:
        assert rows[0]["crypto"]["cycles"] == pytest.approx(cycles)
        assert rows[0]["crypto"]["low"] == pytest.approx(packet_ns["low"] * 32 / 1e3)
        report_nj = 1e3 * rows[0]["energy"]["message_uj"] / size
        assert chosen["carried"]["nanojoules_per_byte"]["value"] == pytest.approx(report_nj)
    years = advice["forgery"]["years"]
    assert rows[0]["forgery_s"] == pytest.approx(years * 365.25 * 86_400)


def test_a_node_says_what_a_packet_costs_by_which_kernel(tmp_path: Path) -> None:
    node_runs(tmp_path / "runs")
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    text = " ".join(advised(command, "--node", "stm32l0-lora", use="lorawan").output.split())
    assert "(kernels, table)" in text
    assert "16 000 cycles for one (24 B messages), 500 µs at 32.0 MHz by the kernel table" in text
    assert "since made-up frames fill the channel" in text


def test_a_simulation_without_its_processor_is_no_source_of_a_node(tmp_path: Path) -> None:
    """As anonymous ones are, whose targets have no description."""
    store = Store(tmp_path / "runs")
    run = simulated_run()
    for target in run.targets:
        target.description = ""
    store.save(run, rows_table(figures(run), "simulation"))
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    ended = advised(command, "--node", "micaz", use="lorawan")
    assert ended.code == 2
    assert "has no figures of atmega128" in ended.sentence
    assert ended.sentence.endswith("type 'ciphermark simulate atmega128'")
