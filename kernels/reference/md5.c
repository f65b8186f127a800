/* MD5 (RFC 1321). */
#include "hashes.h"

#include "table.h"
#include "words.h"

/* Section 3.4: T[i] = floor(2^32 · |sin(i + 1)|). */
static const uint32_t T[64] IN_FLASH = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* The rotations of each round, by the step modulo 4. */
static const uint8_t ROTATIONS[4][4] IN_FLASH = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* Section 3.3. */
static void start(void *chain)
{
    uint32_t *state = chain;
    state[0] = 0x67452301;
    state[1] = 0xefcdab89;
    state[2] = 0x98badcfe;
    state[3] = 0x10325476;
}

/* The auxiliary functions of section 3.4, and which word of the block a step takes. */
static uint32_t mixed(unsigned step, uint32_t b, uint32_t c, uint32_t d, unsigned *word)
{
    switch (step / 16) {
    case 0:
        *word = step;
        return (b & c) | (~b & d);
    case 1:
        *word = (5 * step + 1) % 16;
        return (b & d) | (c & ~d);
    case 2:
        *word = (3 * step + 5) % 16;
        return b ^ c ^ d;
    default:
        *word = 7 * step % 16;
        return c ^ (b | ~d);
    }
}

static void compress_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    unsigned step, word;
    for (step = 0; step < 64; step++) {
        const uint32_t f = mixed(step, b, c, d, &word);
        const uint32_t sum = a + f + load_le32(block + 4 * word) + flash32(&T[step]);
        a = d;
        d = c;
        c = b;
        b += rotate_left32(sum, flash8(&ROTATIONS[step / 16][step % 4]));
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void compress(void *chain, const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 64)
        compress_block(chain, blocks);
}

/* Section 3.5. */
static void finish(const void *chain, uint8_t *digest)
{
    const uint32_t *state = chain;
    unsigned i;
    for (i = 0; i < 4; i++)
        store_le32(digest + 4 * i, state[i]);
}

const struct hash ciphermark_md5_reference = {64, 16, 16, 8, 0, start, compress, finish};

static const row rows[] = {DIGEST_ROW("md5", ciphermark_md5_reference, 16, "reference")};

KERNELS(ciphermark_md5_reference_rows, rows);
