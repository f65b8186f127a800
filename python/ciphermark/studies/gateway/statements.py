"""What the post says, before anything is measured."""

from __future__ import annotations

from ciphermark.show.findings import Statement
from ciphermark.studies.asked_twice import Said
from ciphermark.studies.gateway.paper import ATOM, POST

TABLE = "the table"
SEEING = "below the table, “So what are we seeing here?”"
BUCK = "“Where do you get the most bang for the buck?”"
EXCURSION = "“Excursion: Encryption and Integrity”"
TRICKS = "“AMD's little tricks”"
IN_THE_END = "“So in the end”, last section but one"
NOT_PRINTED = "no figure"

UNITS = Said(
    claim="units-of-the-post",
    text=(
        "“19.49 MByte/s x 2 = 38.98 MByte/s or a bit over 300 MBit/s for AES-128-GCM”: 8 bits a "
        "byte, and no factor is lost"
    ),
    place=BUCK,
    tables="19.49 MB/s, 38.98 MB/s, “a bit over 300” Mbit/s",
)
SPLIT = Said(
    claim="boxes-split-by-function",
    text=(
        "The Prime Box (Atom) “is much faster for GCM”, the APU (AMD) “is faster for CBC”, for "
        "hashes it “is the opposite way around again”, “with exception of SHA512”"
    ),
    place=SEEING,
    tables="all ten rows",
)
TIE = Said(
    claim="cbc-and-hash-are-a-tie",
    text=(
        "With CBC the APU “would perform encryption faster but is really slow for integrity”; “I "
        "would say that this is a tie then”: AES-CBC and a hash one after the other are within 5 % "
        "on both, for every key size and hash"
    ),
    place=BUCK,
    tables="rows of AES-CBC and of hashes",
)
GCM_SLOWER = Said(
    claim="gcm-slower-than-cbc",
    text=(
        "“GCM is much slower than CBC”, since it “combines encryption and integrity in one step”: "
        "AES-GCM carries less than AES-CBC with the same key, for both key sizes"
    ),
    place=SEEING,
    tables="rows of AES",
)
GCM_AGAINST_BOTH = Said(
    claim="gcm-faster-than-cbc-and-hash",
    text=(
        "GCM “already includes the integrity bit”, so CBC must be held against it with a hash: GCM "
        "is faster then than AES-CBC with SHA1 or SHA256 (HMAC where it is measured), with both "
        "lengths of keys. The post makes no such comparison"
    ),
    place=BUCK,
    tables="rows of AES and of hashes",
)
CAMELLIA = Said(
    claim="camellia-beats-aes",
    text=(
        "Camellia “is very similar to AES” and is faster in the table: without instructions for "
        "AES, Camellia-CBC carries more than AES-CBC with the same key"
    ),
    place=TABLE,
    tables="rows of CBC",
)
MD5_FASTEST = Said(
    claim="md5-fastest-of-all",
    text="MD5 is the fastest of the ten functions",
    place=TABLE,
    tables="all ten rows",
)
HASH_ORDER = Said(
    claim="order-of-hashes",
    text="MD5, SHA1, SHA256, SHA512: each is slower than the one before",
    place=TABLE,
    tables="rows of hashes",
)
LONGER_KEYS = Said(
    claim="longer-keys-cost",
    text="Each cipher carries less with a key of 256 bits than with one of 128",
    place=TABLE,
    tables="rows of ciphers",
)
CLOCK = Said(
    claim="clock-matters-little",
    text=(
        "“The much higher clock speed does not make a huge difference in the execution speed of "
        "general, non-optimised code”: of the post's boxes in Camellia and MD5 the faster clock "
        "gains less than its factor and loses in the median; of this machine against the boxes "
        "cycles per byte differ by more than clocks do"
    ),
    place=IN_THE_END,
    tables="1.6 and 1 GHz, rows of Camellia and MD5",
)
MEMORY = Said(
    claim="memory-explains-hashes",
    text=(
        "“Faster access to memory gives it great advantage”, which “we can see perfectly in the "
        "benchmarks of the hashing algorithms”: more than their clocks explain is between the "
        "boxes, by over 10 % for every hash; here every hash takes over 10 % longer of messages "
        "that come from memory instead of the nearest cache"
    ),
    place=IN_THE_END,
    tables="rows of hashes",
)

LINK_SATURATED = Statement(
    claim="aes-128-gcm-fills-100m-link",
    text=(
        "With AES-128-GCM it is “possible to saturate a symmetric 100M link and still have some "
        "resources left”: 2 × 100 Mbit/s of messages of 1024 bytes, the tunnel's own overhead left "
        "out"
    ),
    place=f"{BUCK}, first paragraph",
    published=(
        f"2 cores × {POST['aes-128-gcm'][0]:.2f} MB/s × 8 bit = "
        f"{2 * 8 * POST['aes-128-gcm'][0]:.0f} Mbit/s on {ATOM.title}, 200 Mbit/s needed: "
        f"{100 - 20_000 / (2 * 8 * POST['aes-128-gcm'][0]):.0f} % left"
    ),
)
GCM_DOUBLES = Statement(
    claim="gcm-doubles-on-two-cores",
    text=(
        "“GCM can use both cores of the processors simultaneously so that the throughput doubles”: "
        "all CPUs carry at least 95 % of so many times what one does, many tunnels at once and the "
        "packets of one tunnel in their order"
    ),
    place=BUCK,
    published="19.49 MB/s × 2, reckoned and not measured",
)
CBC_CANNOT = Statement(
    claim="cbc-cannot-use-a-second-core",
    text=(
        "“CBC cannot use a second processor because encrypting the next block of data requires the "
        "last one as an input”: more CPUs add less than 10 %, in neither of these ways"
    ),
    place=BUCK,
    published=NOT_PRINTED,
)
BOTH_ENDS = Statement(
    claim="both-ends-cost-the-same",
    text=(
        "“The computational power that is required on both ends is always exactly the same”: "
        "decrypting takes what encrypting takes, to ±5 %, for every cipher"
    ),
    place=EXCURSION,
    published=f"{NOT_PRINTED}; `openssl speed -evp` encrypts only",
)
OVERHEAD = Statement(
    claim="tunnel-overhead-negligible",
    text=(
        "“The overhead of the VPN is neglected here as it is not computationally expensive”: a "
        "packet of ESP takes at most 5 % longer than its cipher and its MAC alone, at 1024 bytes"
    ),
    place=EXCURSION,
    published=NOT_PRINTED,
)
REAL_WORLD = Statement(
    claim="gcm-benchmark-close-to-real-world",
    text=(
        "For GCM “the result of the benchmark is pretty close to the actual performance in a "
        "real-world scenario”: a packet of ESP takes at most 5 % longer than bare GCM, at either "
        "end"
    ),
    place=BUCK,
    published=NOT_PRINTED,
)
OPTIMISED_SLOWER = Statement(
    claim="optimised-version-slower",
    text=(
        "“The non-optimised version of the same algorithm is performing faster than the one which "
        "is theoretically faster because it uses SSSE3”: without AES instructions, OpenSSL's "
        "AES-CBC gains more than 2 % from hiding SSSE3, with both key sizes"
    ),
    place=TRICKS,
    published="“benefits massively”; the AMD is printed without SSSE3 only",
)
NOTHING_SIMILAR = Statement(
    claim="nothing-similar-elsewhere",
    text=(
        "“We have not noticed anything similar for other processors although that may be well "
        "possible”: hiding one feature of the processor makes no function of any library that can "
        "be told faster by more than 2 %"
    ),
    place=TRICKS,
    published=NOT_PRINTED,
)
BIGGER_CORE = Statement(
    claim="bigger-core-three-times-as-fast",
    text=(
        "“An Intel Core2Duo processor with the same clock speed is three or four times as fast "
        "when executing AES”: asked of this processor, without its AES instructions, AES-CBC takes "
        "the Atom at least 3 times the cycles"
    ),
    place="“One last side note”",
    published="“three or four times”; of the Core2Duo no figure",
)
HOTTER = Statement(
    claim="apu-consumes-more-power",
    text=(
        "The APU “surprisingly consumes much more power and emits much more heat”, “pretty bad for "
        "only one GHz”"
    ),
    place=IN_THE_END,
    published=NOT_PRINTED,
)
