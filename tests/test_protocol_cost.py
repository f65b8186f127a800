"""Cycles, energies and battery life, computed by hand for a node of round numbers."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.answers.advice.facts import forgery
from ciphermark.answers.models.costs import FunctionCosts, Room, costs, in_cycles
from ciphermark.answers.models.observations import Footprint
from ciphermark.answers.protocols import nodes, protocols
from ciphermark.answers.protocols.cost import YEAR_S, ProtocolCost, Reports, protocol_cost
from ciphermark.answers.protocols.nodes import Battery, Node
from ciphermark.errors import UsageError
from protocol_example import ECB, RADIO, known, node, observed

EVERY = [it.name for it in protocols.protocols()]

REPORTS = Reports(payload_bytes=24, period_s=100)


def known_costs(functions: dict[tuple[str, str], tuple[float, float]] = ECB) -> FunctionCosts:
    return FunctionCosts(costs(observed(functions)), known())


KNOWN = known_costs()


def cost(
    name: str,
    at: Node | None = None,
    reports: Reports = REPORTS,
    side: str = "send",
    functions: FunctionCosts = KNOWN,
) -> ProtocolCost:
    [protocol] = protocols.named(name)
    return protocol_cost(protocol, at or node(), reports, side, functions)


def test_cycles_are_those_of_the_blocks() -> None:
    """2 blocks in CTR and 4 in the CMAC, of 200 + 300 a byte each time."""
    found = cost("lorawan").crypto
    assert [it.cost.cycles for it in found.works] == [200 + 300 * 32, 200 + 300 * 64]
    assert found.cycles == found.low == found.high == 29_200
    assert found.seconds == pytest.approx(0.0292)


def test_a_key_of_each_message_is_set_up_for_it() -> None:
    """4000 for the key, 3 blocks of 8 bytes; who receives it encrypts one block more."""
    sent, received = (cost("mutesla", side=side).crypto for side in ("send", "receive"))
    setup, tag = (it.cost.cycles for it in sent.works)
    # 24 bytes were not measured, and lie on a line.
    assert (setup, tag) == (4000, pytest.approx(100 + 800 * 24, rel=0.01))
    assert received.cycles - sent.cycles == pytest.approx(100 + 800 * 8)


def test_a_message_for_which_no_kernel_has_all_figures_is_refused() -> None:
    known_ = observed()
    known_.observations = [
        msgspec.structs.replace(it, backend="asm") if it.operation == "setup" else it
        for it in known_.observations
    ]
    with pytest.raises(UsageError, match="no kernel of rc5-32-12-8-ecb has figures for all"):
        cost("mutesla", functions=FunctionCosts(costs(known_), known()))


ECB_BYTES = Footprint(code_bytes=1000, context_bytes=100, stack_bytes=40)
CBC_BYTES = Footprint(code_bytes=1200, context_bytes=110, stack_bytes=50)


def with_memory(**footprints: Footprint) -> FunctionCosts:
    found = {("atmega128", f"aes-128-{mode}", "reference"): it for mode, it in footprints.items()}
    of_modes = {
        ("aes-128-ctr", "encrypt"): (200.0, 300.0),
        ("aes-128-cbc", "encrypt"): (200.0, 300.0),
    }
    return FunctionCosts(costs(observed({**ECB, **of_modes}, footprints=found)), known())


def test_modes_of_one_cipher_share_its_code() -> None:
    """CTR by 1100 bytes, CBC-MAC by CBC's 1200, of which the cipher's 1000 are once; two keys."""
    ctr = msgspec.structs.replace(ECB_BYTES, code_bytes=1100)
    known_ = with_memory(ecb=ECB_BYTES, ctr=ctr, cbc=CBC_BYTES)
    found = cost("lorawan", functions=known_)
    assert found.memory is not None
    assert found.memory.flash_bytes == 1000 + 100 + 200
    assert found.memory.ram_bytes == 2 * 110 + 50 + found.frame.secured_bytes


def test_a_message_that_waits_for_its_key_is_kept() -> None:
    footprints = {("atmega128", "rc5-32-12-8-ecb", "reference"): ECB_BYTES}
    known_ = FunctionCosts(costs(observed(footprints=footprints)), known())
    sent, received = (cost("mutesla", side=it, functions=known_) for it in ("send", "receive"))
    assert sent.memory is not None and received.memory is not None
    frame = sent.frame.secured_bytes
    assert (sent.memory.flash_bytes, sent.memory.ram_bytes) == (1000, 100 + 40 + frame)
    assert received.memory.ram_bytes - sent.memory.ram_bytes == frame


def test_memory_is_not_told_of_half_of_the_code() -> None:
    assert cost("lorawan", functions=with_memory(ctr=ECB_BYTES)).memory is None
    assert cost("lorawan").memory is None


def test_energy_of_cryptography_is_voltage_current_and_time() -> None:
    """2 V · 5 mA · 29.2 ms."""
    assert cost("lorawan").energy.crypto_uj == pytest.approx(292)


def test_energy_of_the_radio_is_that_of_all_bytes_in_the_air() -> None:
    """LoRaWAN's frame has 13 + 24 bytes, 4 of them for security; 5 of preamble; a byte takes
    1 ms at 2 V and 20 mA to send, 10 mA to receive."""
    sent, received = cost("lorawan").energy, cost("lorawan", side="receive").energy
    assert sent.radio_uj == pytest.approx(42 * 40)
    assert sent.added_radio_uj == pytest.approx(4 * 40)
    assert sent.plain_uj == pytest.approx(38 * 40)
    assert received.radio_uj == pytest.approx(42 * 20)


def test_shares_are_of_the_whole_message() -> None:
    energy = cost("lorawan").energy
    assert energy.message_uj == pytest.approx(292 + 1680)
    assert energy.crypto_share == pytest.approx(292 / 1972)
    assert energy.security_share == pytest.approx((292 + 160) / 1972)


def test_a_processor_that_feeds_the_radio_is_awake_with_it() -> None:
    radio = msgspec.structs.replace(RADIO, keeps_processor_awake=True)
    assert cost("lorawan", node(radio=radio)).energy.radio_uj == pytest.approx(42 * 2 * (20 + 5))


def test_what_else_a_message_takes_is_there_with_and_without_security() -> None:
    energy = cost("lorawan", node(other_uj_per_message=1000)).energy
    assert energy.message_uj == pytest.approx(2972)
    assert energy.plain_uj == pytest.approx(1520 + 1000)


def test_a_battery_lasts_as_long_as_its_charge() -> None:
    """1000 mAh at 2 V are 7200 J; a message of 1972 µJ in 100 s takes 19.72 µW."""
    life = cost("lorawan").battery
    assert life.secured_days == pytest.approx(7200 / 19.72e-6 / 86_400)
    assert life.plain_days == pytest.approx(7200 / 15.20e-6 / 86_400)


def test_sleep_and_self_discharge_take_their_part() -> None:
    """2 V · 10 µA; half of 7200 J in a year."""
    battery = Battery(capacity_mah=1000, self_discharge_per_year=0.5)
    life = cost("lorawan", node(sleep_ua=10, battery=battery)).battery
    assert life.secured_days == pytest.approx(7200 / (19.72e-6 + 20e-6 + 3600 / YEAR_S) / 86_400)


def test_nobody_knows_how_long_a_receiver_listens() -> None:
    assert cost("lorawan", side="receive").battery is None


def test_tags_are_guessed_as_fast_as_frames_are_sent() -> None:
    """TinySec, section 4.2: 2^31 tries at 40 packets a second take over 20 months, in which half of
    all tags are tried: one made-up frame of 2^32 passes."""
    radio = msgspec.structs.replace(RADIO, bit_rate_bps=19_200, preamble_bytes=24)
    found = cost("tinysec-ae", node(radio=radio))
    assert found.frame.seconds == pytest.approx(1 / 40)
    assert 20 < found.forgery_s / 2 / (YEAR_S / 12) < 21
    assert found.tag_bits == 32


def test_forgeries_take_as_long_as_in_advice() -> None:
    found = cost("lorawan")
    rate = nodes.tries_per_second(RADIO, found.frame.secured_bytes)
    advised = forgery("cmac-aes-128", 4, 24, attempts_per_second=rate)
    assert advised is not None
    assert found.forgery_s == pytest.approx(advised.years * YEAR_S)


def test_without_a_tag_a_forgery_takes_no_time() -> None:
    assert cost("802.15.4-enc").forgery_s == 0


def test_the_mode_itself_is_taken_where_it_was_measured() -> None:
    functions = ECB | {("aes-128-ctr", "encrypt"): (50, 310), ("cmac-aes-128", "mac"): (60, 320)}
    ctr, cmac = cost("lorawan", functions=known_costs(functions)).crypto.works
    assert (ctr.is_exact, ctr.cost.algorithm) == (True, "aes-128-ctr")
    assert cmac.cost.cycles == 60 + 320 * 64
    assert not any(it.is_exact for it in cost("lorawan").crypto.works)


def test_what_was_measured_here_goes_before_what_a_model_knows_of_elsewhere() -> None:
    """The mode was measured on another processor only, the bare cipher on this one."""
    elsewhere = observed({("aes-128-ctr", "encrypt"): (50, 310)}, target="other")
    here = observed()
    both = msgspec.structs.replace(
        here,
        processors=here.processors | elsewhere.processors,
        observations=here.observations + elsewhere.observations,
    )
    ctr, _ = cost("lorawan", functions=FunctionCosts(costs(both), known())).crypto.works
    assert (ctr.cost.algorithm, ctr.cost.basis) == ("aes-128-ecb", "measured")


def test_what_was_not_measured_here_is_predicted_with_its_interval() -> None:
    """Other processors of 8 bits cost the same to within a tenth."""
    found = [
        observed({it: (a * more, b * more) for it, (a, b) in ECB.items()}, target=name)
        for name, more in (("one", 0.95), ("two", 1.0), ("three", 1.05))
    ]
    others = msgspec.structs.replace(
        found[0],
        processors={name: it for one in found for name, it in one.processors.items()},
        observations=[it for one in found for it in one.observations],
    )
    crypto = cost("lorawan", functions=FunctionCosts(costs(others), known())).crypto
    assert {it.cost.basis for it in crypto.works} == {"paper-model"}
    assert crypto.cycles == pytest.approx(29_200, rel=0.1)
    assert crypto.low < crypto.cycles < crypto.high


def test_a_message_that_is_longer_than_any_known_one_follows_its_blocks() -> None:
    """9 blocks of a CBC-MAC: 144 bytes were not measured, 128 were."""
    found = cost("802.15.4-enc-mic-64", reports=Reports(payload_bytes=90, period_s=100))
    mac = found.crypto.works[1]
    assert (mac.blocks, mac.cost.message_bytes) == (9, 144)
    assert mac.cost.cycles == pytest.approx(200 + 300 * 144)
    assert mac.cost.low < mac.cost.cycles < mac.cost.high
    assert not mac.cost.is_measured


def with_tables(room: Room) -> FunctionCosts:
    """Modes by two kernels: tables take half the cycles and five times the code."""
    modes = {("aes-128-ctr", "encrypt"): (200, 300), ("cmac-aes-128", "mac"): (200, 300)}
    plain = observed(modes)
    tables = [
        msgspec.structs.replace(it, backend="table", cycles=it.cycles / 2)
        for it in plain.observations
    ]
    footprints = {
        ("atmega128", algorithm, backend): msgspec.structs.replace(ECB_BYTES, code_bytes=code)
        for algorithm, _ in modes
        for backend, code in (("reference", 1000), ("table", 5000))
    }
    data = msgspec.structs.replace(
        plain, observations=[*plain.observations, *tables], footprints=footprints
    )
    return FunctionCosts(costs(data), known(), room)


@pytest.mark.parametrize(
    ("room", "backends", "cycles", "flash_bytes"),
    [
        (Room(), "table", 14_600, 5000),
        (Room(flash_bytes=5000), "table", 14_600, 5000),
        # One pass by tables beside one by the reference does not fit either.
        (Room(flash_bytes=4999), "reference", 29_200, 1000),
        # The longer pass gains more.
        (Room(refused={("aes-128-ctr", "table")}), "reference + table", 19_500, 6000),
    ],
)
def test_a_packet_is_secured_by_the_fastest_kernels_that_fit(
    room: Room, backends: str, cycles: float, flash_bytes: int
) -> None:
    found = cost("lorawan", functions=with_tables(room))
    assert (found.crypto.backends, found.crypto.cycles) == (backends, pytest.approx(cycles))
    assert found.memory is not None and found.memory.flash_bytes == flash_bytes


def test_counts_of_instructions_are_no_costs() -> None:
    with pytest.raises(UsageError, match="only instructions"):
        in_cycles(observed(metric="instructions"))
    assert in_cycles(observed()).observations == observed().observations


def test_a_function_without_data_is_named_with_what_to_type() -> None:
    only_aes = {it: ECB[it] for it in ECB if it[0] == "aes-128-ecb"}
    said = "snep: rc5-32-12-8-ecb encrypt: .*; write ciphermark simulate atmega128"
    with pytest.raises(UsageError, match=said):
        cost("snep", functions=known_costs(only_aes))


@pytest.mark.parametrize(
    ("name", "payload", "most"),
    [("tinysec-ae", 30, 29), ("802.15.4-enc-mic-128", 95, 94), ("oscore", 85, 84)],
)
def test_a_payload_that_no_frame_has_room_for_is_refused(
    name: str, payload: int, most: int
) -> None:
    with pytest.raises(UsageError, match=f"{payload} bytes; write at most --payload {most}"):
        cost(name, reports=Reports(payload_bytes=payload, period_s=100))
    cost(name, reports=Reports(payload_bytes=most, period_s=100))


def test_a_radio_with_small_frames_limits_them_too() -> None:
    radio = msgspec.structs.replace(RADIO, largest_frame_bytes=36)
    with pytest.raises(UsageError, match="lorawan.*write at most --payload 23"):
        cost("lorawan", node(radio=radio))


def test_a_radio_whose_frames_hold_not_even_the_header_is_refused() -> None:
    radio = msgspec.structs.replace(RADIO, largest_frame_bytes=10)
    with pytest.raises(UsageError, match="choose another node"):
        cost("lorawan", node(radio=radio))


def test_more_reports_than_the_radio_may_send_are_refused() -> None:
    """42 ms in the air at a duty cycle of 1 %."""
    radio = msgspec.structs.replace(RADIO, duty_cycle=0.01)
    busy = Reports(payload_bytes=24, period_s=4)
    with pytest.raises(UsageError, match=r"time for a report every 4\.2 s, not every 4 s"):
        cost("lorawan", node(radio=radio), busy)
    cost("lorawan", node(), busy)


def test_more_reports_than_the_processor_can_secure_are_refused() -> None:
    """29.2 ms of cryptography and 42 ms in the air."""
    with pytest.raises(UsageError, match=r"every 0\.0712 s, not every 0\.06 s"):
        cost("lorawan", reports=Reports(payload_bytes=24, period_s=0.06))


@settings(max_examples=40)
@given(st.sampled_from(EVERY), st.integers(0, 28), st.integers(1, 86_400))
def test_security_never_saves_energy_or_life(name: str, payload: int, period: int) -> None:
    found = cost(name, reports=Reports(payload_bytes=payload, period_s=period))
    longer = cost(name, reports=Reports(payload_bytes=payload + 1, period_s=period))
    assert longer.energy.message_uj >= found.energy.message_uj >= found.energy.plain_uj
    assert found.battery.secured_days <= found.battery.plain_days
    assert 0 <= found.energy.crypto_share <= found.energy.security_share < 1


@settings(max_examples=40)
@given(st.sampled_from(EVERY), st.floats(1, 100), st.floats(1.1, 4))
def test_a_faster_clock_saves_energy_and_rarer_reports_life(
    name: str, clock_mhz: float, more: float
) -> None:
    slow, fast = (cost(name, node(clock_mhz=it)) for it in (clock_mhz, clock_mhz * more))
    assert fast.energy.crypto_uj < slow.energy.crypto_uj
    rare = Reports(payload_bytes=24, period_s=100 * more)
    assert cost(name, reports=rare).battery.secured_days > cost(name).battery.secured_days
