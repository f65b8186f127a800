"""Tunnels: predictions beside measurements, the sender beside a bare loop of sendmmsg and iperf3,
and what set-ups leave behind.

Predicted are kinds, suites and mixes of packets that had no part in the calibration: the path of a
kind is a line through two sizes of packets without a cipher, the suite is measured by itself.

The sender's packets a second are those of one core: packets over CPU time of its process, over veth
and two gateways, where the kernel's threads do the rest. The bare loop sends the same 64 packets
again and again, without numbers and times.

`--take-downs N` ends N beds at random moments, by Ctrl-C, SIGTERM and SIGKILL in turn, and counts
what is left.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from common import CIPHERMARK, benchmark, figure, find_engine

from ciphermark import contract
from ciphermark.run.tunnels import leftovers
from ciphermark.run.tunnels.bed import RECEIVER, SENDER, Bed

PROFILES = ("imix", "voip", "packets-40-1500", "wireguard-1420")
KINDS = "plain,openvpn,wireguard-go"
BYTES = 64
SECONDS = 1.0
TIMES = 7

RAW = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static double of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5001)};
    inet_pton(AF_INET, argv[1], &to.sin_addr);
    if (argc < 4 || connect(fd, (struct sockaddr *)&to, sizeof to)) return 1;
    static char payload[64][2048];
    struct iovec pieces[64];
    struct mmsghdr messages[64];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 64; i++) {
        pieces[i] = (struct iovec){payload[i], (size_t)atoi(argv[2]) - 28};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    long packets = 0;
    double end = of(CLOCK_MONOTONIC) + atof(argv[3]), cpu = of(CLOCK_PROCESS_CPUTIME_ID);
    while (of(CLOCK_MONOTONIC) < end) {
        int sent = sendmmsg(fd, messages, 64, 0);
        if (sent > 0) packets += sent;
    }
    printf("%ld %.9f\n", packets, of(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
"""

HOLDS = """
import signal, sys, time
from ciphermark.run.tunnels.bed import Bed, SENDER

def stop(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, stop)
print("begun", flush=True)
try:
    with Bed(1700) as bed:
        bed.private_file("key", "secret")
        bed.start("sleeper", ["sleep", "1000"], SENDER)
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""

LONGEST_BED_S = 1.5
"""Ends come at random moments from a start on: while it is laid, and when it is there."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short pass with fewer repeats")
    parser.add_argument("--take-downs", type=int, default=0, metavar="N", help="end N beds")
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which they end")
    chosen = parser.parse_args()
    engine = find_engine()
    with benchmark("Tunnels", engine):
        if chosen.take_downs:
            take_down(chosen.take_downs, chosen.seed)
            return
        send(engine.path)
        print()
        predict(chosen.quick)


def send(engine: Path) -> None:
    """How many packets of 64 bytes a core sends: ours, a bare loop, iperf3, in turn."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Bed(1700) as bed:
        loop = Path(folder) / "loop"
        subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", loop], input=RAW, text=True, check=True)
        target = bed.links[2].addresses[1]
        count = ["--flows", "1", "--duration", "600"]
        bed.start("sink", [str(engine), "traffic", "receive", "--port", "5001", *count], RECEIVER)
        bed.line("sink", 10)
        bed.start("iperf", ["iperf3", "--server"], RECEIVER)
        time.sleep(0.5)
        flow = f"{bed.links[0].addresses[0]}={target}:5001"
        ours = [str(engine), "traffic", "send", "--flow", flow, "--lengths", str(BYTES)]
        client = ["iperf3", "--client", target, "--udp", "--bandwidth", "0", "--json"]
        payload = ["--length", str(BYTES - 28), "--time", "1"]
        for _ in range(TIMES):
            told = bed.must([*ours, "--duration", str(SECONDS)], SENDER)
            sent = msgspec.json.decode(told, type=contract.Sent)
            found.setdefault("ciphermark", []).append(sent.packets / sent.cpu_ns * 1e9)
            told = bed.must([str(loop), target, str(BYTES), str(SECONDS)], SENDER)
            packets, cpu_s = told.split()
            found.setdefault("a bare loop of sendmmsg", []).append(int(packets) / float(cpu_s))
            told = bed.must([*client, *payload], SENDER)
            end = json.loads(told)["end"]
            share = end["cpu_utilization_percent"]["host_total"] / 100
            rate = end["sum"]["packets"] / (share * end["sum"]["seconds"])
            found.setdefault("iperf3", []).append(rate)
    for name, rates in found.items():
        what = f"packets of {BYTES} bytes a second of one core, {name}"
        target = "1.00 million, or 90 % of the loop" if name == "ciphermark" else ""
        figure(what, f"{statistics.median(rates) / 1e6:.2f} million", target)


def predict(quick: bool) -> None:
    """Prints predicted beside measured."""
    profiles = PROFILES[:2] if quick else PROFILES
    suites = ["--suites", "aes-128-gcm,chacha20-poly1305"] if quick else []
    with tempfile.TemporaryDirectory() as runs:
        wanted = ["--kinds", KINDS, "--traffic", "udp", "--profile", ",".join(profiles)]
        ran = subprocess.run(
            [*CIPHERMARK, "tunnel", *wanted, *suites, "--quick", "--json", "--runs", runs]
            if quick
            else [*CIPHERMARK, "tunnel", *wanted, "--json", "--runs", runs],
            stdout=subprocess.PIPE,
            check=False,
        )
    rows = json.loads(ran.stdout)["rows"]
    errors, held = [], []
    print("Mbit/s of payload that a gateway's core carries: predicted (interval), measured\n")
    for row in rows:
        predicted, measured = row["predicted_bits_per_second"], row["gateway_bits_per_second"]
        if predicted is None or measured is None:
            continue
        value, low = predicted["value"] / 1e6, (predicted["low"] or 0.0) / 1e6
        high = math.inf if predicted["high"] is None else predicted["high"] / 1e6
        truth = measured["value"] / 1e6
        errors.append(abs(value / truth - 1))
        held.append(low <= truth <= high)
        name = f"{row['kind']} {row['suite']}, {row['profile']}"
        ends = f"({low:.0f} to {high:.0f})"
        print(f"{name:54} {value:9.0f} {ends:18} {truth:9.0f} {value / truth - 1:+.0%}")
    print()
    for row in rows:
        if row["error"] is not None:
            print(f"{row['kind']} {row['suite']}, {row['profile']}: {row['error']['message']}")
    if errors:
        figure("predictions", str(len(errors)))
        figure("median error", f"{statistics.median(errors):.1%}", "10 %")
        figure("intervals that hold the measured figure", f"{statistics.mean(held):.0%}", "90 %")


def take_down(count: int, seed: int) -> None:
    """Ends beds, and says what was left of them."""
    chance = random.Random(seed)
    before, ending, killed = outside(), 0, []
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
    for number in range(count):
        held = subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE)
        assert held.stdout is not None
        held.stdout.readline()
        time.sleep(chance.uniform(0, LONGEST_BED_S))
        held.send_signal(signals[number % len(signals)])
        held.wait()
        time.sleep(0.05)
        ending += any(of(held.pid))
        killed.append(held.pid)
        held.stdout.close()
    time.sleep(3)
    processes = sum(any(of(it)) for it in killed)
    interfaces = [it for it in threads() if it not in before[1]]
    figure("beds ended", str(count))
    figure("of these still ending 50 ms after the signal's end", str(ending))
    figure("beds of which a process is left after 3 s", str(processes), "0")
    figure("kernel threads of interfaces left after 3 s", str(len(interfaces)), "0")
    figure("interfaces, routes or mounts of the host changed", str(outside()[0] != before[0]))


def of(process: int) -> Iterator[int]:
    """Processes of the bed of a process."""
    for bed in leftovers.beds():
        try:
            if f":{process}:" in Path(f"/proc/{bed}/cmdline").read_text():
                yield bed
        except OSError:
            continue


def threads() -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            name = Path(f"/proc/{entry}/comm").read_text()
        except OSError:
            continue
        if name.startswith("napi/"):
            found.append(name)
    return found


def outside() -> tuple[Any, list[str]]:
    asked = (["ip", "-o", "link"], ["ip", "route", "show", "table", "all"])
    told = [subprocess.run(it, capture_output=True, text=True).stdout for it in asked]
    return (told, Path("/proc/self/mounts").read_text()), threads()


if __name__ == "__main__":
    main()
