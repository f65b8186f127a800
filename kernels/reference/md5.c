/* MD5 (RFC 1321). */
#include "md5.h"

#include "words.h"

/* The rotations of each round, by the step modulo 4. */
static const uint8_t ROTATIONS[4][4] IN_FLASH = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* Section 3.3. */
void ciphermark_md5_start(void *chain)
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
void ciphermark_md5_finish(const void *chain, uint8_t *digest)
{
    const uint32_t *state = chain;
    unsigned i;
    for (i = 0; i < 4; i++)
        store_le32(digest + 4 * i, state[i]);
}

const struct hash ciphermark_md5_reference = {
    64, 16, 16, 8, 0, ciphermark_md5_start, compress, ciphermark_md5_finish};

static const row rows[] = {DIGEST_ROW("md5", ciphermark_md5_reference, 16, "reference")};

KERNELS(ciphermark_md5_reference_rows, rows);
