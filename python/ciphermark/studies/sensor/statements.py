"""What the paper says, before anything is simulated or measured.

Its text contradicts its own tables in places, so what they can tell is asked of both.
"""

from __future__ import annotations

from ciphermark.show.findings import Statement
from ciphermark.studies.asked_twice import Said

TABLE_3 = "Table 3"
CYCLES = "Table 3 in cycles, as Figure 2"
NO_FIGURE = "no figure is printed"

THREE_CLASSES = Said(
    claim="three-classes-by-word-size",
    text=(
        "“Depending on the word size of the architecture, cycle overhead falls into three "
        "classes”: in the geometric mean of the rows of Table 3 every 8-bit processor takes more "
        "cycles than the 16-bit one, and that more than every 32-bit one"
    ),
    place="4.2; abstract; 7",
    tables=CYCLES,
)
RC4_AHEAD = Said(
    claim="rc4-ahead-of-rc5-on-8-and-16-bits",
    text=(
        "“RC4 outperforms RC5 on encryption for the 8 and 16-bit architectures”: 16 bytes take "
        "fewer cycles with RC4. (4.2 finds them “close to each other” on the ATmega103)"
    ),
    place="1; 4.2; 7",
    tables=TABLE_3,
)
RC5_ON_STRONGARM = Said(
    claim="rc5-three-times-rc4-on-strongarm",
    text=(
        "“A similar comparison on StrongARM indicates RC5 is three times faster than RC4”: RC4 "
        "takes 2.4 to 3.75 times RC5's cycles for 16 bytes"
    ),
    place="4.2",
    tables=TABLE_3,
)
MD5_AHEAD = Said(
    claim="md5-ahead-of-sha1",
    text=(
        "“MD5 is significantly faster than SHA1”: on every processor, for texts of as many blocks, "
        "SHA-1 takes more than 1.1 times MD5's cycles"
    ),
    place="4.2",
    tables=TABLE_3,
)
RC5_AND_IDEA = Said(
    claim="rc5-1.5-times-idea-on-atmega103",
    text=(
        "“RC5 is 1.5 times faster than IDEA” on the ATmega103: IDEA takes 1.2 to 1.875 times RC5's "
        "cycles to encrypt 16 bytes"
    ),
    place="4.2",
    tables=TABLE_3,
)
RC5_AHEAD = Said(
    claim="rc5-ahead-of-idea",
    text=(
        "“The symmetric key encryption of RC5 outperforms IDEA”: 16 bytes take fewer cycles with "
        "RC5 on every processor"
    ),
    place="4.2",
    tables=TABLE_3,
)
MULTIPLIER = Said(
    claim="multiplier-halves-idea",
    text=(
        "“The Atmega 128 performs significantly better on IDEA (10220 clock cycles for Atmega 103 "
        "vs. 5200 for Atmega 128)”, whose main difference is a multiply instruction: without it "
        "encryption takes at least 1.8 times the cycles"
    ),
    place="4.2",
    tables=CYCLES,
)
SEVERAL_TIMES = Said(
    claim="hashing-several-times-more",
    text=(
        "Hashing costs more than ciphers: one block of a hash takes at least 3 times as long as "
        "encrypting 16 bytes, on every processor in the geometric mean of both hashes over each "
        "cipher"
    ),
    place="1; 7",
    tables=TABLE_3,
)
TENFOLD = Said(
    claim="hashing-almost-tenfold",
    text=(
        "“Hashing techniques require almost an order of a magnitude higher overhead”: the same "
        "mean over all processors is 7 to 14"
    ),
    place="1; 7",
    tables=TABLE_3,
)
INITIALISATION = Said(
    claim="initialisation-dominates-short-texts",
    text=(
        "“The initialization overheads are significant for all encryption algorithms (RC5, IDEA "
        "and RC4), especially for small plaintexts”: on every processor it takes at least as long "
        "as encrypting 16 bytes"
    ),
    place="4.2",
    tables=TABLE_3,
)
CACHES = Said(
    claim="caches-do-not-matter",
    text=(
        "“Negligible impact of caches”: of the XScale at 400 and at 200 MHz, with memory as fast, "
        "cycles differ by at most 5 % in the geometric mean; here, 16 bytes from memory take at "
        "most 1.05 times as long as from the nearest cache"
    ),
    place="abstract; 4.1; 4.2; 7",
    tables="Table 3, Xscale(400) and Xscale(200)",
)
CLOSE = Said(
    claim="normalised-overheads-close",
    text=(
        "“The performance overhead normalized by the word width and relative to the reference "
        "architecture (SPARC) is surprisingly close for most algorithms and platforms”: more than "
        "half of all cells are between 0.5 and 2 times the reference"
    ),
    place="4.3",
    tables="Table 3 as Figure 3",
)
AVR_LOWEST = Said(
    claim="normalised-overhead-lowest-on-avr",
    text=(
        "“The Atmega microcontrollers are leading the pack with the lowest normalized performance "
        "overhead for some algorithms (MD5, IDEA, RC4)”: in the geometric mean of the rows of each "
        "of the three, an ATmega is lowest"
    ),
    place="4.3",
    tables="Table 3 as Figure 3",
)
M16C_AND_SHA1 = Said(
    claim="m16c-poor-at-sha1",
    text=(
        "“The M16C performs poorly on our metric for SHA-1”: of all normalised overheads the "
        "M16C's are the highest for SHA-1, in the geometric mean of its rows"
    ),
    place="4.3",
    tables="Table 3 as Figure 3",
)
ARMS_ALIKE = Said(
    claim="strongarm-like-xscale",
    text=(
        "“The SA1110 and the XScale exhibit similar performance”: their cycles are within 1.25 "
        "times of each other, in the geometric mean of the rows"
    ),
    place="4.2",
    tables=CYCLES,
)
TWICE = Said(
    claim="32-bits-twice-8-and-16",
    text=(
        "“Both these processors outperform 8-bit and 16-bit micro-controllers roughly by a factor "
        "of two”: those take 1.6 to 2.5 times the cycles of SA-1110 and XScale, in the geometric "
        "mean of rows and pairs"
    ),
    place="4.2",
    tables=CYCLES,
)
SPARC_AHEAD = Said(
    claim="sparc-ahead",
    text=(
        "“The SPARC processor outperformed all other processors in most cases, both in absolute "
        "time as well as in clock cycles”: it takes the least of both in more than half of the rows"
    ),
    place="4.2",
    tables=TABLE_3,
)
XSCALE_AND_SPARC = Said(
    claim="xscale-ahead-of-sparc-for-sha1-and-idea",
    text=(
        "“The XScale performed slightly better than the SPARC for SHA-1 and IDEA "
        "encodes/decodes”: it takes fewer cycles in all of these rows, at either clock"
    ),
    place="4.2",
    tables=CYCLES,
)
SLOWEST = Said(
    claim="atmega103-slowest",
    text=(
        "“The slowest microcontroller (Atmega 103 –4 MHz) … will take the longest time to complete "
        "any of the analyzed cryptography algorithms”: no other takes longer in any row"
    ),
    place="4.2",
    tables=TABLE_3,
)
SAME_LENGTHS = Said(
    claim="time-does-not-vary-within-a-block",
    text=(
        "Times do not “vary depending on the input length since data padding up to packet size is "
        "applied”: texts of as many blocks of a hash take the same within 5 %"
    ),
    place="4.2",
    tables=TABLE_3,
)
MODEL = Said(
    claim="model-within-20-percent",
    text=(
        "The model: “most values are within 10%–20% of the measured value. For some … the error is "
        "almost twice (or half)”: more than half of the values are within 20 %, and none is off by "
        "more than twice"
    ),
    place="4.5",
    tables="Table 3 by the parameters of Table 4",
)

VARIANCE = Statement(
    claim="variance-rare",
    text=(
        "“Variances in execution times rarely occur for most encryption algorithms”: of the "
        "paper's functions and operations on all targets, fewer than one in four vary by more than "
        "1 % over random keys and inputs"
    ),
    place="4.2",
    published=NO_FIGURE,
)
MD5_LARGEST = Statement(
    claim="md5-largest-code",
    text="“MD5 requires significantly more code than other algorithms”: the most on every target",
    place="4.4",
    published="Figure 4, without numbers",
)
RC4_SMALLEST = Statement(
    claim="rc4-smallest-code",
    text="“RC4 is the most efficient” in code size: the least on every target",
    place="4.4",
    published="Figure 4, without numbers",
)
AVR_CODE = Statement(
    claim="avr-needs-more-code",
    text=(
        "“The AVR architecture requires significantly more space than other ISAs for its code”: "
        "each ATmega takes at least 1.25 times the code of each other processor of the paper, in "
        "the geometric mean of the functions"
    ),
    place="4.4",
    published="Figure 4, without numbers",
)
STRONGARM_CODE = Statement(
    claim="strongarm-needs-more-code",
    text=(
        "“The StrongARM requires much more memory than the other 32 bit architectures, which "
        "appears to be due to the development tools”: at least 1.25 times the code of each, in the "
        "geometric mean of the functions"
    ),
    place="4.4",
    published="Figure 4, without numbers",
)
