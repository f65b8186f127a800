/* SHA-1 (FIPS 180-4). */
#include "sha1.h"

#include "inlined.h"
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

/* The functions of section 4.1.1. */
static uint32_t Ch(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (~x & z);
}

static uint32_t Parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

static uint32_t Maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

/* Section 6.1.3: W_t, which for t of 16 and more takes the place of W_(t-16). */
INLINED uint32_t scheduled(uint32_t w[16], unsigned t)
{
    uint32_t *w_t = &w[t % 16];
    if (t >= 16)
        *w_t = rotate_left32(w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ *w_t, 1);
    return *w_t;
}

/* Those t that have the same function and constant (section 4.2.1). */
INLINED void twenty_steps(uint32_t v[5], uint32_t w[16], unsigned first, uint32_t K,
                          uint32_t (*f)(uint32_t x, uint32_t y, uint32_t z))
{
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4];
    unsigned t;
    for (t = first; t < first + 20; t++) {
        const uint32_t sum = rotate_left32(a, 5) + f(b, c, d) + e + K + scheduled(w, t);
        e = d;
        d = c;
        c = rotate_left32(b, 30);
        b = a;
        a = sum;
    }
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
    v[4] = e;
}

/* Section 6.1.2, with the schedule of section 6.1.3, which needs less memory. */
static void compress_block(uint32_t state[5], const uint8_t *block)
{
    uint32_t w[16], v[5];
    unsigned i;
    for (i = 0; i < 16; i++)
        w[i] = load_be32(block + 4 * i);
    memcpy(v, state, sizeof v);
    twenty_steps(v, w, 0, 0x5a827999, Ch);
    twenty_steps(v, w, 20, 0x6ed9eba1, Parity);
    twenty_steps(v, w, 40, 0x8f1bbcdc, Maj);
    twenty_steps(v, w, 60, 0xca62c1d6, Parity);
    for (i = 0; i < 5; i++)
        state[i] += v[i];
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
