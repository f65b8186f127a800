"""What perf's samples of gateways are told to be."""

from __future__ import annotations

import pytest

from ciphermark.contract.tunnel import CpuPart, Tunnel
from ciphermark.run.tunnels import profiler
from ciphermark.workload import rows
from ciphermark.workloads.tunnel.document import remarks
from ciphermark.workloads.tunnel.row import TunnelRow
from tunnel_example import trial, tunnel_run, tunnels

KERNEL = "[kernel.kallsyms]"


@pytest.mark.parametrize(
    ("symbol", "object_", "expected"),
    [
        ("[unknown]", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "cryptography"),
        ("aes_gcm_enc_update_vaes_avx512", KERNEL, "cryptography"),
        ("chacha_2block_xor_avx512vl", "[chacha_x86_64]", "cryptography"),
        (
            "golang.org/x/crypto/chacha20poly1305.(*chacha20poly1305).Seal",
            "/bin/wg",
            "cryptography",
        ),
        ("crypto_aead_encrypt", KERNEL, "cryptography"),
        ("_copy_to_iter", KERNEL, "copies"),
        ("csum_partial_copy_generic", KERNEL, "copies"),
        ("__memmove_avx512_unaligned_erms", "/lib/libc.so.6", "copies"),
        ("finish_task_switch.isra.0", KERNEL, "wake-ups"),
        ("try_to_wake_up", KERNEL, "wake-ups"),
        ("do_sys_poll", KERNEL, "wake-ups"),
        ("runtime.findRunnable", "/usr/bin/wireguard-go", "wake-ups"),
        ("__napi_poll", KERNEL, "stack"),
        ("napi_threaded_poll_loop", KERNEL, "stack"),
        ("fib_select_path", KERNEL, "stack"),
        ("skb_release_data", KERNEL, "stack"),
        ("[unknown]", "/usr/sbin/openvpn", "program"),
    ],
)
def test_code_is_told_by_its_function_and_its_file(
    symbol: str, object_: str, expected: CpuPart
) -> None:
    assert profiler.part(symbol, object_) == expected


def test_samples_of_other_threads_and_what_is_no_sample_are_left_out() -> None:
    text = (
        "  71      7f1e4a8fb754 [unknown] (/usr/lib/libcrypto.so.3)\n"
        "  72  ffffffff9a8fb754 skb_release_data ([kernel.kallsyms])\n"
        "  72  ffffffff9a8fb755 operator new (/usr/lib/libstdc++ 6.so)\n"
        "  73      7f1e4a8fb754 [unknown] (/usr/lib/libcrypto.so.3)\n"
        "Warning: 72 lost\n\n"
    )
    assert profiler.parts(text, [71, 72]) == {"cryptography": 1, "stack": 1, "program": 1}


def row_with(executed: dict[CpuPart, int]) -> TunnelRow:
    case = next(it.case for it in tunnels() if it.case.suite == "aes-128-gcm")
    tunnel = Tunnel(case=case, trials=[trial(case, 1000.0)] * 7, executed=executed)
    (row,) = rows(tunnel_run([tunnel]))
    return row


def test_shares_are_of_what_was_seen_executing() -> None:
    row = row_with({"cryptography": 150, "stack": 300, "program": 50})
    assert row.share_from == "perf" and row.cryptography_share == pytest.approx(0.3)
    assert row.cpu_shares == {"cryptography": 0.3, "stack": 0.6, "program": 0.1}
    assert any("from perf" in sentence for sentence in remarks([row]))


@pytest.mark.parametrize("executed", [{}, {"cryptography": 20, "stack": 40}, {"program": 500}])
def test_without_enough_samples_or_names_of_functions_perf_tells_no_share_of_cryptography(
    executed: dict[CpuPart, int],
) -> None:
    assert row_with(executed).share_from != "perf"


def test_where_perf_is_missing_or_refused_the_sentence_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profiler.refusal.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    assert "type: apt-get install linux-perf" in profiler.refusal()
    profiler.refusal.cache_clear()
