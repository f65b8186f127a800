/*
 * SEAL 3.0 (Rogaway, Coppersmith, A Software-Optimized Encryption Algorithm, Journal of Cryptology
 * 1998), with words of output big-endian. A position index n gives L = 32768 bits; after them the
 * stream goes on with n + 1.
 */
#include "hashes.h"
#include "words.h"

#define L_BYTES 4096
#define PART_BYTES 1024 /* of each l */
#define STEP_BYTES 16   /* of each i */

struct seal {
    uint32_t t[512];
    uint32_t s[256];
    uint32_t r[4 * (L_BYTES / PART_BYTES)];
};

/* Where a keystream is. */
struct position {
    uint32_t a, b, c, d;
    uint32_t n1, n2, n3, n4;
    uint32_t n;
    uint8_t l; /* of the part that comes next */
    uint8_t i; /* of the step that comes next, from 0 on */
    uint8_t held; /* bytes of the step before that are still to be given out */
    uint8_t step[STEP_BYTES];
};

/* table[k] = Gamma_a(first + k): word (i mod 5) of G_a(floor(i / 5)) where i = first + k. */
static void fill_table(uint32_t *table, const uint32_t a[5], unsigned first, unsigned count)
{
    uint32_t h[5];
    uint8_t block[64] = {0};
    unsigned k;
    for (k = 0; k < count; k++) {
        const unsigned i = first + k;
        if (k == 0 || i % 5 == 0) {
            memcpy(h, a, sizeof h);
            store_be32(block, i / 5);
            ciphermark_sha1_reference.compress(h, block, 1);
        }
        table[k] = h[i % 5];
    }
}

static int set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    struct seal *seal = context;
    uint32_t a[5];
    unsigned i;
    (void)self;
    (void)key_bytes;
    for (i = 0; i < 5; i++)
        a[i] = load_be32(key + 4 * i);
    fill_table(seal->t, a, 0, 512);
    fill_table(seal->s, a, 0x1000, 256);
    fill_table(seal->r, a, 0x2000, sizeof seal->r / sizeof seal->r[0]);
    return CIPHERMARK_DONE;
}

/* The word of T at an offset in bytes. */
static uint32_t t_at(const struct seal *seal, uint32_t offset)
{
    return seal->t[offset / 4];
}

static void add_t(const struct seal *seal, uint32_t *x, uint32_t *y)
{
    *y += t_at(seal, *x & 0x7fc);
    *x = rotate_right32(*x, 9);
}

static void round_of_four(const struct seal *seal, struct position *at)
{
    add_t(seal, &at->a, &at->b);
    add_t(seal, &at->b, &at->c);
    add_t(seal, &at->c, &at->d);
    add_t(seal, &at->d, &at->a);
}

/* The paper's Initialize(n, l, A, B, C, D, n1, n2, n3, n4). */
static void initialize(const struct seal *seal, struct position *at)
{
    const uint32_t *r = seal->r + 4 * at->l;
    at->a = at->n ^ r[0];
    at->b = rotate_right32(at->n, 8) ^ r[1];
    at->c = rotate_right32(at->n, 16) ^ r[2];
    at->d = rotate_right32(at->n, 24) ^ r[3];
    round_of_four(seal, at);
    round_of_four(seal, at);
    at->n1 = at->d;
    at->n2 = at->b;
    at->n3 = at->a;
    at->n4 = at->c;
    round_of_four(seal, at);
}

/* The eight table lookups of an i, numbered as in the paper. */
static void mix(const struct seal *seal, struct position *at)
{
    uint32_t a = at->a, b = at->b, c = at->c, d = at->d;
    uint32_t p, q;
    p = a & 0x7fc; /* 1 */
    b += t_at(seal, p);
    a = rotate_right32(a, 9);
    b ^= a;
    q = b & 0x7fc; /* 2 */
    c ^= t_at(seal, q);
    b = rotate_right32(b, 9);
    c += b;
    p = (p + c) & 0x7fc; /* 3 */
    d += t_at(seal, p);
    c = rotate_right32(c, 9);
    d ^= c;
    q = (q + d) & 0x7fc; /* 4 */
    a ^= t_at(seal, q);
    d = rotate_right32(d, 9);
    a += d;
    p = (p + a) & 0x7fc; /* 5 */
    b ^= t_at(seal, p);
    a = rotate_right32(a, 9);
    q = (q + b) & 0x7fc; /* 6 */
    c += t_at(seal, q);
    b = rotate_right32(b, 9);
    p = (p + c) & 0x7fc; /* 7 */
    d ^= t_at(seal, p);
    c = rotate_right32(c, 9);
    q = (q + d) & 0x7fc; /* 8 */
    a += t_at(seal, q);
    d = rotate_right32(d, 9);
    at->a = a;
    at->b = b;
    at->c = c;
    at->d = d;
}

/* The paper's i counts from 1, this one from 0. */
static void change_registers(struct position *at)
{
    const uint32_t one = at->i % 2 == 0 ? at->n1 : at->n3;
    const uint32_t other = at->i % 2 == 0 ? at->n2 : at->n4;
    at->a += one;
    at->b += other;
    at->c ^= one;
    at->d ^= other;
}

static void advance(struct position *at)
{
    at->i++;
    if (at->i < PART_BYTES / STEP_BYTES)
        return;
    at->i = 0;
    at->l++;
    if (at->l < L_BYTES / PART_BYTES)
        return;
    at->l = 0;
    at->n++;
}

static void generate_step(const struct seal *seal, struct position *at, uint8_t *output)
{
    const uint32_t *s = seal->s + 4 * at->i;
    if (at->i == 0)
        initialize(seal, at);
    mix(seal, at);
    store_be32(output, at->b + s[0]);
    store_be32(output + 4, at->c ^ s[1]);
    store_be32(output + 8, at->d + s[2]);
    store_be32(output + 12, at->a ^ s[3]);
    change_registers(at);
    advance(at);
}

/* Gives out what is held of the step before, then whole steps, then the beginning of one. */
static void generate(const struct seal *seal, struct position *at, uint8_t *output, size_t bytes)
{
    const size_t held = bytes < at->held ? bytes : at->held;
    memcpy(output, at->step + STEP_BYTES - at->held, held);
    at->held = (uint8_t)(at->held - held);
    output += held;
    bytes -= held;
    for (; bytes >= STEP_BYTES; bytes -= STEP_BYTES, output += STEP_BYTES)
        generate_step(seal, at, output);
    if (bytes > 0) {
        generate_step(seal, at, at->step);
        memcpy(output, at->step, bytes);
        at->held = (uint8_t)(STEP_BYTES - bytes);
    }
}

static int keystream_chunks(const row *self, void *context, const message *m, size_t chunk_bytes)
{
    struct position position = {0};
    size_t at, bytes;
    (void)self;
    position.n = load_be32(m->nonce);
    for (at = 0; at < m->output_bytes; at += bytes) {
        bytes = m->output_bytes - at < chunk_bytes ? m->output_bytes - at : chunk_bytes;
        generate(context, &position, m->output + at, bytes);
    }
    return CIPHERMARK_DONE;
}

static int keystream(const row *self, void *context, const message *m)
{
    return keystream_chunks(self, context, m, SIZE_MAX);
}

static const row rows[] = {
    {.algorithm = "seal3", .operation = KEYSTREAM, .timing = CIPHERMARK_VARIABLE_TIME,
     .key_bytes = {20, 20}, .nonce_bytes = {4, 4}, .lanes = 1,
     .context_bytes = sizeof(struct seal), .context_alignment = CONTEXT_ALIGNMENT,
     .set_key = set_key, .process = keystream, .backend = "reference",
     .process_chunks = keystream_chunks, .input_bytes = {1, SIZE_MAX}, .block_bytes = 1},
};

KERNELS(ciphermark_seal3_reference_rows, rows);
