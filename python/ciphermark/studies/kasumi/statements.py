"""What the thesis says, before anything is measured.

Its text contradicts its own tables in places, so its conclusions are asked of both.
"""

from __future__ import annotations

from ciphermark.show.findings import Statement
from ciphermark.studies.asked_twice import Said
from ciphermark.studies.kasumi import printed

CONCLUSION = "7, conclusion {}"
NO_FIGURE = "no figure"


SLOWER = Said(
    claim="software-much-slower",
    text=(
        "“The KASUMI SW-based implementation is much slower than the KASUMI HW-based "
        "implementation and this difference increases gradually as the packet block size is "
        "doubled”: it takes at least 2 times the cycles at every load, and the cycles between them "
        "grow with the packets"
    ),
    place=CONCLUSION.format(1),
    tables="Tables 4 to 11 and A1 to A16, actual ticks",
)
PER_BIT_OVER_SIZE = Said(
    claim="cycles-per-bit-same-over-size",
    text=(
        "“An increase in the packet size processed does not make any significant change to the "
        "number of processing cycles per bit for both implementations”: within 10 % of each other "
        "over 40 to 1000 bytes, 5000 packets"
    ),
    place=CONCLUSION.format(2),
    tables="Tables 4 to 11",
)
PER_BIT_OVER_PACKETS = Said(
    claim="cycles-per-bit-same-over-packets",
    text=(
        "“An increase in the numbers of packets processed will not make any significant change to "
        "the processing cycles accomplished per bit”: within 10 % of each other over 1000 to 8000 "
        "packets of 40 bytes, of both implementations"
    ),
    place="6.1.1.2, and 7, conclusion 2, as its chapter 6 explains it",
    tables="Table 12",
)
ALIKE_SMALL = Said(
    claim="encryption-like-decryption-of-small-packets",
    text=(
        "“With lower data rates, neither of the KASUMI implementations shows much difference "
        "between encryption or decryption”: cycles within 3 % of each other at 40 and 88 bytes, in "
        "the median of all numbers of packets"
    ),
    place=CONCLUSION.format(3) + "; 6.1.1.3 and 6.1.1.4",
    tables="Tables 13 and 14, A1, A2, A5, A6, A9, A10, A13, A14",
)
MORE_PACKETS = Said(
    claim="more-packets-cost-more-each",
    text=(
        "“An increase in the number of data packets has profound effects on the data processing "
        "effectiveness” of both “but this effect is especially huge in the SW-based”: cycles of a "
        "packet change by more than 10 % from 1000 to 8000 packets, those of software by more"
    ),
    place=CONCLUSION.format(4),
    tables="Tables 4 to 11",
)
FALLS = Said(
    claim="cycles-fall-with-cores",
    text="“As the number of core increases, the processing cycles decrease accordingly”",
    place=CONCLUSION.format(5),
    tables="Tables 15 to 17",
)
BEYOND_FIVE = Said(
    claim="little-gain-beyond-5-cores",
    text=(
        "“When the number of cores in use exceeds 5, it does not make much difference to the "
        "reduction in the number of processing cycles”: all further cores together make it less "
        "than 1.1 times as fast"
    ),
    place=CONCLUSION.format(5) + "; 5.6",
    tables="Tables 15 to 17",
)
MEMORY = Said(
    claim="memory-grows-with-packets",
    text=(
        "“As the number of data blocks increases, the memory allocation for buffering becomes "
        "essential”; with 64,000 packets “memory shortage is noticed”, and more than 24,000 need "
        "“at least a 2K byte cache size”: buffers for 64,000 packets take at least 2 times those "
        "for 16,000, and are to be had"
    ),
    place=CONCLUSION.format(6) + "; 6.1.2.3",
    tables="Tables 15 to 17, which print no memory",
)
FEW_CORES = Said(
    claim="one-or-two-cores-enough-with-accelerator",
    text=(
        "With the accelerator “it is not necessary to allocate more than one or two cores for the "
        "KASUMI algorithm handling task”: two carry what software does on all"
    ),
    place=CONCLUSION.format(7),
    tables="Table 15",
)
SEVEN_TIMES = Said(
    claim="software-takes-more-than-7-times",
    text=(
        "Software “took more than 7 times longer to process the same numbers of packets than the "
        "KASUMI HW acceleration did”, 40 bytes"
    ),
    place="6.1.1.2",
    tables="Table 12",
)
HARDWARE_ALIKE = Said(
    claim="accelerator-encrypts-like-it-decrypts-1000-bytes",
    text=(
        "“There is no difference between the encryption and decryption of KASUMI HW acceleration "
        "with regard to larger amount of data”: within 3 %, in the median of all numbers of "
        "packets"
    ),
    place="6.1.1.6",
    tables="Tables A4 and A8",
)
TWICE = Said(
    claim="decryption-takes-twice-encryption-1000-bytes",
    text=(
        "“Decryption with the KASUMI SW implementation took twice as many processing cycles as "
        "encryption” at 1000 bytes: at least 1.8 times"
    ),
    place="6.1.1.7",
    tables="Tables A12 and A16",
)
CAPACITY = Said(
    claim="capacity-0.9-gbit",
    text=(
        "“The capacity of the processor is calculated to be 977.4 MB, or 0.9 Gbits”, 24,000 "
        "packets of 512 bytes on all cores: printed cycles at 750 MHz give that within 10 %, and a "
        "machine reaches it"
    ),
    place="6.1.2.2",
    tables="Table 16",
)
SHARE_FALLS = Said(
    claim="overheads-matter-less-with-size",
    text=(
        "“As the packet size increases, all software overheads become less important”: transfer is "
        "a smaller share of processing with each larger size, encryption of 5000 packets"
    ),
    place="3.1.2 and 3.1.4",
    tables="Tables A1 to A4 and A9 to A12",
)
DOMINATE = Said(
    claim="overheads-dominate-small-packets",
    text=(
        "Its hypothesis, that overheads rule small packets and “raw performance” large ones: "
        "transfer and the fixed part of the function, a of a + b·n over the sizes, are more than "
        "b·n at 40 bytes and less at 1000"
    ),
    place="3.1.2",
    tables="Tables A1 to A4 and A9 to A12",
)

KEY_SETUP = Statement(
    claim="key-setup-small",
    text=(
        "“Smaller increase of clock cycles for different key setup”, so that such cases are left "
        "out: a key schedule for each packet adds at most 10 % to the cycles of 40 bytes, software"
    ),
    place="5.5, and the empty row of Table 3",
    published=NO_FIGURE,
)
OPTIMISABLE = Statement(
    claim="software-can-be-optimised",
    text=(
        "The software “is not fast enough and cannot be used unless it can be significantly "
        "optimized”: the quickest kernel takes at most half of the cycles of the one with tables, "
        "5000 packets of 1000 bytes"
    ),
    place="7, last paragraph",
    published=NO_FIGURE,
)
POLLING = Statement(
    claim="polling-faster-than-interrupts",
    text=(
        "“The event-driven loop is a higher performance processing architecture than the "
        "interrupt-driven loop”: cores that sleep when there is no work take more than 3 % more "
        "cycles for the same packets of 40 bytes"
    ),
    place="4.2.4.2",
    published=NO_FIGURE,
)
FREE_PIPELINE = Statement(
    claim="modified-pipeline-scales-better",
    text=(
        "The modified pipeline “provides better load-balancing and scaling capabilities than "
        "traditional pipelining”: stages on any core take more than 3 % fewer cycles than stages "
        "on cores of their own"
    ),
    place="4.2.4.6",
    published=NO_FIGURE,
)
ORDERED = Statement(
    claim="ordered-flow-scales-over-cores",
    text=(
        "“Multiple cores working on packets in the same flow results in faster packet throughput”: "
        "of one flow, delivery in order from all cores takes more than 3 % fewer cycles than with "
        "one core at a time (atomic)"
    ),
    place="4.2.4.5",
    published=NO_FIGURE,
)
GROUPS = Statement(
    claim="cores-work-only-for-their-groups",
    text=(
        "A core “works only with a group number corresponding to a bit set in the core's group "
        "mask”: the cores of each group have the packets of its flows and no others"
    ),
    place="4.2.4.4",
    published=NO_FIGURE,
)
PRIORITIES = Statement(
    claim="urgent-packets-first",
    text="The scheduler gives a core “the highest priority” work that it may take, out of 8 queues",
    place="4.2.4.4 and 4.2.4.5",
    published=NO_FIGURE,
)
OCTEON = Statement(
    claim="simulated-octeon-instructions",
    text=(
        "Instructions of the reference kernel on a simulated OCTEON, beside the cycles per byte of "
        "the thesis's software"
    ),
    place="4.3, Tables A9 to A12",
    published=printed.software_cycles(),
)
