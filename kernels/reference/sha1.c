/* SHA-1 (FIPS 180-4). */
#include "sha1.h"

#include "words.h"

/* Section 5.3.1. */
void ciphermark_sha1_start(void *chain)
{
    uint32_t *state = chain;
    state[0] = 0x67452301;
    state[1] = 0xefcdab89;
    state[2] = 0x98badcfe;
    state[3] = 0x10325476;
    state[4] = 0xc3d2e1f0;
}

/* The functions of section 4.1.1 with the constants of section 4.2.1. */
static uint32_t mixed(unsigned t, uint32_t x, uint32_t y, uint32_t z)
{
    switch (t / 20) {
    case 0:
        return ((x & y) ^ (~x & z)) + 0x5a827999;
    case 1:
        return (x ^ y ^ z) + 0x6ed9eba1;
    case 2:
        return ((x & y) ^ (x & z) ^ (y & z)) + 0x8f1bbcdc;
    default:
        return (x ^ y ^ z) + 0xca62c1d6;
    }
}

/* Section 6.1.3: W_t for t of 16 and more, which takes the place of W_(t-16). */
static void schedule(uint32_t w[16], unsigned t)
{
    const uint32_t sum = w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ w[t % 16];
    w[t % 16] = rotate_left32(sum, 1);
}

/* Section 6.1.2, with the schedule of section 6.1.3, which needs less memory. */
static void compress_block(uint32_t state[5], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    uint32_t w[16], sum;
    unsigned t;
    for (t = 0; t < 16; t++)
        w[t] = load_be32(block + 4 * t);
    for (t = 0; t < 80; t++) {
        if (t >= 16)
            schedule(w, t);
        sum = rotate_left32(a, 5) + mixed(t, b, c, d) + e + w[t % 16];
        e = d;
        d = c;
        c = rotate_left32(b, 30);
        b = a;
        a = sum;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

static void compress(void *chain, const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 64)
        compress_block(chain, blocks);
}

void ciphermark_sha1_finish(const void *chain, uint8_t *digest)
{
    const uint32_t *state = chain;
    unsigned i;
    for (i = 0; i < 5; i++)
        store_be32(digest + 4 * i, state[i]);
}

const struct hash ciphermark_sha1_reference = {
    64, 20, 20, 8, 1, ciphermark_sha1_start, compress, ciphermark_sha1_finish};

static const row rows[] = {DIGEST_ROW("sha1", ciphermark_sha1_reference, 20, "reference")};

KERNELS(ciphermark_sha1_reference_rows, rows);
