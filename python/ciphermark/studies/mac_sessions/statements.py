"""What the paper says, in its own words, before anything is measured.

It prints no figures beside its plots, so its sentences stand where figures would.
"""

from __future__ import annotations

from ciphermark.show.findings import Statement

TREND = "IV.A.1, General computational trend"
SIZE = "IV.A.2, Computational trend versus message size"
BUILD = "IV.A.3, Effect of a function's implementation"
CORES = "IV.B, Effect of the number of utilized processor cores"
NOT_PRINTED = "in plots only"

ALIKE_ACROSS_MACHINES = Statement(
    claim="trends-alike-across-architectures",
    text=(
        "“The computational trend, using the same compilation for CryptoPP library, is almost the "
        "same across evaluated architectures”: the order of the functions is"
    ),
    place=TREND,
    published="figures 4 and 5, 6 and 7 alike, by eye; " + NOT_PRINTED,
)
ALIKE_ACROSS_CORES = Statement(
    claim="trends-alike-across-cores",
    text=(
        "Functions “perform with nearly similar computational trends regardless of the computing "
        "architecture or its number of cores”: the costs of one session on one core and of 100 on "
        "all have Spearman rank correlations of 0.9 or more over the functions"
    ),
    place="VI, Conclusions",
    published=NOT_PRINTED,
)
CHANGES_WITH_SIZE = Statement(
    claim="trend-changes-with-size",
    text=(
        "“The computational trend changes with message sizes”, so that one chooses “the best "
        "performing function based on the size”: the fastest function at 16 bytes is not the "
        "fastest at 64 KiB, in one of the builds"
    ),
    place=SIZE,
    published="figures 4–7 cross; " + NOT_PRINTED,
)
VMAC_FASTEST = Statement(
    claim="vmac-fastest-with-hardware",
    text=(
        "“VMAC-AES128 for fastest” processing 64 kilobyte messages “in the hardware-assisted "
        "compilation”"
    ),
    place=BUILD,
    published="figures 4 and 5; " + NOT_PRINTED,
)
SERPENT_SLOWEST = Statement(
    claim="omac-serpent-slowest-with-hardware",
    text="“OMAC-SERPENT for slowest in the hardware-assisted compilation”, 64 kilobyte messages",
    place=BUILD,
    published="figures 4 and 5; " + NOT_PRINTED,
)
MD5_FASTEST = Statement(
    claim="hmac-md5-fastest-in-software",
    text="Software-only, “HMAC-MD5 being the fastest processing 64 kilobyte messages”",
    place=BUILD,
    published="figures 6 and 7; " + NOT_PRINTED,
)
SHA512_SLOWEST = Statement(
    claim="hmac-sha512-slowest-in-software",
    text="Software-only, “HMAC-SHA512 being the slowest” processing 64 kilobyte messages",
    place=BUILD,
    published="figures 6 and 7; " + NOT_PRINTED,
)
BOOSTED = Statement(
    claim="aes-and-sha-boosted",
    text=(
        "“Functions such as AES and SHA take advantage of speed boosting” by hardware: "
        "OMAC-RIJNDAEL, HMAC-SHA1 and HMAC-SHA256 are at least 1.1 times as fast at 64 KiB as in "
        "plain C/C++"
    ),
    place=BUILD,
    published=NOT_PRINTED,
)
WORD_SIZE = Statement(
    claim="word-size-explains-hmac-sha512",
    text=(
        "HMAC-SHA512 is the slowest of the software-only builds: it is in a 32-bit build of "
        "portable kernels and is not in a 64-bit build of the same C (the paper does not say why, "
        "nor how wide the words of its builds were)"
    ),
    place=BUILD,
    published="HMAC-SHA512 the slowest in figures 6 and 7; one of the two is of a 32-bit processor",
)
MIRRORS = Statement(
    claim="apparent-mirrors-absolute-on-one-core",
    text=(
        "“For single-core architectures, the apparent processing power should mirror the absolute "
        "one, or be slightly higher due to resources demand and measurement overheads”: on one "
        "core it is 0 to 3 % higher"
    ),
    place=CORES,
    published="figures 8 and 9; " + NOT_PRINTED,
)
FALLS = Statement(
    claim="apparent-falls-with-cores",
    text=(
        "“Additional cores translated to better apparent performance”: with each more it falls by "
        "more than 3 %"
    ),
    place=CORES,
    published="figures 9 to 11; " + NOT_PRINTED,
)
RISES = Statement(
    claim="absolute-rises-with-cores",
    text=(
        "“The absolute performance is dropped” with more cores: absolute cycles per byte on all "
        "are more than 3 % above those on one; it suspects preemptions and migrations"
    ),
    place=CORES + ", and VI, Conclusions",
    published="figure 10 above figure 9; " + NOT_PRINTED,
)
LEAST_HIGHER = Statement(
    claim="least-scheduled-have-higher-apparent",
    text=(
        "“Least scheduled threads will have higher apparent processing power than the most "
        "scheduled threads of same workload”"
    ),
    place="V.D, Operating System Scheduling",
    published="no figure",
)
UNEVEN = Statement(
    claim="sessions-scheduled-unevenly",
    text=(
        "“Some operating systems might schedule sub workloads unevenly”: the CPU time of the 90th "
        "percentile of sessions is more than 5 % of the median above that of the 10th"
    ),
    place="V.D, Operating System Scheduling",
    published="no figure",
)
SIBLINGS = Statement(
    claim="threads-of-a-core-not-told-apart",
    text=(
        "Of multi-threading cores there is “no possibility of differentiating” a thread “from a "
        "physical core”"
    ),
    place="V.A, Multi-threaded processor architectures",
    published="no figure",
)
OFFLOAD = Statement(
    claim="offload-needs-apparent",
    text=(
        "Where functions are offloaded “it will be more logical to benchmark for the apparent "
        "processing performance”, which includes what the main processor and the other unit do: "
        "of sessions on one CPU the absolute figure leaves out more than 10 % of the apparent one"
    ),
    place="V.B, MAC function offloading outside the main processor",
    published="no figure",
)
CLOCKS = Statement(
    claim="no-absolute-without-common-clock",
    text=(
        "Where clocks of cores are not synchronised “it is not possible to get the absolute "
        "performance”, and “still possible, however, to benchmark for the apparent performance”"
    ),
    place="V.C, Systems with no synchronized clock",
    published="no figure",
)
ESTIMATE = Statement(
    claim="absolute-from-parallelism",
    text=(
        "“An estimate for absolute performance can then be made knowing the system's parallelism "
        "factor”: apparent times the CPUs that the kernel counts as busy is within 5 % of the "
        "measured absolute figure, of 100 sessions in the median"
    ),
    place="V.C, Systems with no synchronized clock",
    published="no figure",
)
OWN_BENCHMARK = Statement(
    claim="own-benchmark-validates",
    text=(
        "“The library has its own benchmarking tool that can be used as a validation tool for our "
        "benchmarking results”: its figures and ours agree within 10 %"
    ),
    place="III.D, Cryptographic Library Used in Benchmarking",
    published="no figure",
)
