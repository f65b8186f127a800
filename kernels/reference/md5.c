/* MD5 (RFC 1321). */
#include "md5.h"

#include "inlined.h"
#include "words.h"

/* Section 3.3. */
void ciphermark_md5_start(void *chain)
{
    uint32_t *state = chain;
    state[0] = 0x67452301;
    state[1] = 0xefcdab89;
    state[2] = 0x98badcfe;
    state[3] = 0x10325476;
}

/* The auxiliary functions of section 3.4. */
static uint32_t F(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (~x & z);
}

static uint32_t G(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & z) | (y & ~z);
}

static uint32_t H(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

static uint32_t I(uint32_t x, uint32_t y, uint32_t z)
{
    return y ^ (x | ~z);
}

/* What the rounds of section 3.4 differ in. */
struct round {
    uint32_t (*f)(uint32_t x, uint32_t y, uint32_t z);
    uint8_t k;       /* of the first operation's word X[k] */
    uint8_t further; /* how much greater, modulo 16, the next one's is */
    uint8_t s[4];    /* the rotations, again and again */
};

static const struct round ROUNDS[4] = {
    {F, 0, 1, {7, 12, 17, 22}},
    {G, 1, 5, {5, 9, 14, 20}},
    {H, 5, 3, {4, 11, 16, 23}},
    {I, 0, 7, {6, 10, 15, 21}},
};

/* Operation i of a round, counted from 0, on words in the roles of a, b, c and d. */
INLINED uint32_t operation(const struct round *round, unsigned i, uint32_t a, uint32_t b,
                           uint32_t c, uint32_t d, const uint8_t *block, const uint32_t *t)
{
    const uint8_t *word = block + 4 * ((round->k + round->further * i) % 16);
    const uint32_t sum = a + round->f(b, c, d) + load_le32(word) + flash32(&t[i]);
    return b + rotate_left32(sum, round->s[i % 4]);
}

/* By fours, in which each word has each role, so that none moves and rotations are constants. */
INLINED void run_round(const struct round *round, uint32_t v[4], const uint8_t *block,
                       const uint32_t *t)
{
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3];
    unsigned i;
    for (i = 0; i < 16; i += 4) {
        a = operation(round, i, a, b, c, d, block, t);
        d = operation(round, i + 1, d, a, b, c, block, t);
        c = operation(round, i + 2, c, d, a, b, block, t);
        b = operation(round, i + 3, b, c, d, a, block, t);
    }
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
}

static void compress_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t v[4];
    unsigned i;
    memcpy(v, state, sizeof v);
    run_round(&ROUNDS[0], v, block, &T[0]);
    run_round(&ROUNDS[1], v, block, &T[16]);
    run_round(&ROUNDS[2], v, block, &T[32]);
    run_round(&ROUNDS[3], v, block, &T[48]);
    for (i = 0; i < 4; i++)
        state[i] += v[i];
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
