/*
 * UHASH (RFC 4418, section 5; draft-krovetz-umac-01) for compilers that make vectors of loops: a
 * stream at a time goes over a block, which stays in the first cache.
 */
#include "portable_uhash.h"

#include "modular.h"
#include "words.h"

#define GROUPS (UHASH_BLOCK_BYTES / UHASH_GROUP_BYTES)

/* Primes of layers 2 and 3 are so much less than a power of two. */
enum { C32 = 5, C64 = 59, C128 = 159, C36 = 5, C19 = 1 };

/* ---- Keys ----------------------------------------------------------------------------------- */

static void set_l1_key(struct uhash_portable_state *state, const struct uhash_form *form,
                       const uint8_t *key)
{
    const size_t words = ciphermark_l1_key_bytes(form) / form->word_bytes;
    size_t i;
    for (i = 0; i < words; i++) {
        if (form->word_bytes == 4)
            state->l1_key.words_of_4[i] = load_be32(key + 4 * i);
        else
            state->l1_key.words_of_2[i] = load_be16(key + 2 * i);
    }
}

static void set_l2_key(struct uhash_portable_stream *stream, unsigned word_bytes,
                       const uint8_t *key)
{
    const uint64_t mask = 0x01ffffff01ffffff;
    if (word_bytes == 2) {
        stream->poly32_key = load_be32(key) & 0x1fffffff;
        key += 4;
    }
    stream->poly64_key = load_be64(key) & mask;
    stream->poly128_key.high = load_be64(key + 8) & mask;
    stream->poly128_key.low = load_be64(key + 16) & mask;
}

static uint64_t l3_prime(unsigned word_bytes)
{
    return word_bytes == 4 ? ((uint64_t)1 << 36) - C36 : ((uint64_t)1 << 19) - C19;
}

static void set_l3_key(struct uhash_portable_stream *stream, unsigned word_bytes,
                       const uint8_t *key, const uint8_t *pad)
{
    unsigned i;
    for (i = 0; i < 8; i++) {
        const uint64_t word = word_bytes == 4 ? load_be64(key + 8 * i) : load_be32(key + 4 * i);
        stream->l3_key[i] = word % l3_prime(word_bytes);
    }
    stream->l3_pad = word_bytes == 4 ? load_be32(pad) : load_be16(pad);
}

static void set_key(void *context, const struct uhash_form *form, const struct umac_kdf *kdf)
{
    struct uhash_portable_state *state = context;
    const unsigned word_bytes = form->word_bytes, streams = form->streams;
    uint8_t l1[MOST_L1_KEY_BYTES], l2[MOST_L2_KEY_BYTES], l3[MOST_L3_KEY_BYTES];
    uint8_t pads[MOST_L3_PAD_BYTES];
    unsigned i;
    kdf->derive(kdf, L1_KEY, l1, ciphermark_l1_key_bytes(form));
    kdf->derive(kdf, L2_KEY, l2, ciphermark_l2_key_bytes(form));
    kdf->derive(kdf, L3_KEY, l3, ciphermark_l3_key_bytes(form));
    kdf->derive(kdf, L3_PAD, pads, (size_t)streams * word_bytes);
    set_l1_key(state, form, l1);
    for (i = 0; i < streams; i++) {
        struct uhash_portable_stream *stream = &state->streams[i];
        set_l2_key(stream, word_bytes, l2 + ciphermark_l2_key_bytes(form) / streams * i);
        set_l3_key(stream, word_bytes, l3 + 16 * word_bytes * i, pads + word_bytes * i);
    }
}

static void start(void *context, const struct uhash_form *form)
{
    struct uhash_portable_state *state = context;
    unsigned i;
    state->blocks = 0;
    state->held = 0;
    state->poly_bits = (uint8_t)(16 * form->word_bytes);
    state->word_bits = 0;
    for (i = 0; i < form->streams; i++)
        state->streams[i].y = widened(1);
}

/* ---- Layer 1: NH ---------------------------------------------------------------------------- */

static uint64_t nh_of_4(const uint32_t *key, const uint8_t *input, size_t groups)
{
    uint64_t sums[4] = {0};
    for (; groups > 0; groups--, key += 8, input += UHASH_GROUP_BYTES) {
        unsigned i;
        for (i = 0; i < 4; i++) {
            const uint32_t a = load_le32(input + 4 * i) + key[i];
            const uint32_t b = load_le32(input + 4 * i + 16) + key[i + 4];
            sums[i] += (uint64_t)a * b;
        }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/*
 * Sums modulo 2^16 are read as signed by conversion, which C leaves to compilers; all of them keep
 * the bits. They are kept so that the products are one plain loop.
 */
static uint32_t nh_of_2(const uint16_t *key, const uint8_t *input, size_t groups)
{
    int16_t a[8 * GROUPS], b[8 * GROUPS];
    const size_t pairs = 8 * groups;
    uint32_t sum = 0;
    size_t group, i;
    for (group = 0; group < groups; group++, key += 16, input += UHASH_GROUP_BYTES) {
        for (i = 0; i < 8; i++) {
            a[8 * group + i] = (int16_t)(uint16_t)(load_le16(input + 2 * i) + key[i]);
            b[8 * group + i] = (int16_t)(uint16_t)(load_le16(input + 2 * i + 16) + key[i + 8]);
        }
    }
    for (i = 0; i < pairs; i++)
        sum += (uint32_t)((int32_t)a[i] * b[i]);
    return sum;
}

/* Of whole groups; `bytes` are those of the block without its zeros. */
static uint64_t nh(const struct uhash_portable_state *state, const struct uhash_form *form,
                   unsigned stream, const uint8_t *input, size_t groups, size_t bytes)
{
    if (form->word_bytes == 4)
        return nh_of_4(state->l1_key.words_of_4 + 4 * stream, input, groups) + 8 * bytes;
    return (uint32_t)(nh_of_2(state->l1_key.words_of_2 + 8 * stream, input, groups) + 8 * bytes);
}

/* ---- Layer 2: POLY -------------------------------------------------------------------------- */

/* Both are less than 2^34, and k less than 2^29; so is the result. */
static uint64_t multiply_add32(uint64_t y, uint64_t k, uint64_t m)
{
    const uint64_t sum = y * k + m;
    return (sum & 0xffffffff) + (sum >> 32) * C32;
}

static uint64_t multiply_add64(uint64_t y, uint64_t k, uint64_t m)
{
    return fold64(add_wide(multiply_wide(y, k), widened(m)), C64);
}

static void split(uint32_t words[4], struct wide number)
{
    words[0] = (uint32_t)number.low;
    words[1] = (uint32_t)(number.low >> 32);
    words[2] = (uint32_t)number.high;
    words[3] = (uint32_t)(number.high >> 32);
}

/* As the reference does it: only messages of more than 16 MiB come here, every 2 KiB. */
static struct wide multiply_add128(struct wide y, struct wide k, struct wide m)
{
    static const struct modulus modulus = {4, C128};
    uint32_t words[4], factor[4], addend[4];
    split(words, y);
    split(factor, k);
    split(addend, m);
    ciphermark_multiply_add(&modulus, words, factor, addend);
    y.high = (uint64_t)words[3] << 32 | words[2];
    y.low = (uint64_t)words[1] << 32 | words[0];
    return y;
}

/* Section 5.3.2 of the RFC: a word that may be no less than the prime is p - 1, then m - c. */
static void step32(struct uhash_portable_stream *stream)
{
    uint64_t y = stream->y.low, m = stream->word.low & 0xffffffff;
    if (m >= 0xfffffffa) {
        y = multiply_add32(y, stream->poly32_key, 0xffffffff - C32);
        m -= C32;
    }
    stream->y.low = multiply_add32(y, stream->poly32_key, m);
}

static void step64(struct uhash_portable_stream *stream)
{
    uint64_t y = stream->y.low, m = stream->word.low;
    if (m >> 32 == 0xffffffff) {
        y = multiply_add64(y, stream->poly64_key, UINT64_MAX - C64);
        m -= C64;
    }
    stream->y.low = multiply_add64(y, stream->poly64_key, m);
}

static void step128(struct uhash_portable_stream *stream)
{
    const struct wide marker = {UINT64_MAX, UINT64_MAX - C128};
    const struct wide minus_c = {UINT64_MAX, 0 - (uint64_t)C128};
    struct wide m = stream->word;
    if (m.high >> 32 == 0xffffffff) {
        stream->y = multiply_add128(stream->y, stream->poly128_key, marker);
        m = add_wide(m, minus_c);
    }
    stream->y = multiply_add128(stream->y, stream->poly128_key, m);
}

static void step(struct uhash_portable_state *state, unsigned streams)
{
    unsigned i;
    for (i = 0; i < streams; i++) {
        if (state->poly_bits == 32)
            step32(&state->streams[i]);
        else if (state->poly_bits == 64)
            step64(&state->streams[i]);
        else
            step128(&state->streams[i]);
    }
    state->word_bits = 0;
}

/* The value of a polynomial, less than its prime. */
static struct wide value(const struct uhash_portable_stream *stream, unsigned poly_bits)
{
    if (poly_bits == 32)
        return widened(stream->y.low % (0xffffffff - (C32 - 1)));
    if (poly_bits == 64)
        return widened(reduce64(stream->y.low, C64));
    return stream->y;
}

/* After so many results a polynomial over twice as many bits begins with the last one's value. */
static int polynomial_is_full(const struct uhash_portable_state *state, unsigned word_bytes)
{
    if (word_bytes == 4)
        return state->blocks == (uint64_t)1 << 14;
    return state->blocks == 1 << 9 || state->blocks == (uint64_t)1 << 31;
}

static void climb(struct uhash_portable_state *state, unsigned streams)
{
    unsigned i;
    for (i = 0; i < streams; i++) {
        struct uhash_portable_stream *stream = &state->streams[i];
        stream->word = value(stream, state->poly_bits);
        stream->y = widened(1);
    }
    state->poly_bits = (uint8_t)(2 * state->poly_bits);
    step(state, streams);
}

/* The next bits of a polynomial's word, which come from the most significant on. */
static void append(struct wide *word, unsigned bits, uint64_t number)
{
    if (bits == 64) {
        word->high = word->low;
        word->low = number;
    } else {
        word->high = word->high << 32 | word->low >> 32;
        word->low = word->low << 32 | number;
    }
}

static void take_block(struct uhash_portable_state *state, const struct uhash_form *form,
                       const uint8_t *block, size_t groups, size_t bytes)
{
    const unsigned bits = 16u * form->word_bytes;
    unsigned i;
    if (polynomial_is_full(state, form->word_bytes))
        climb(state, form->streams);
    for (i = 0; i < form->streams; i++)
        append(&state->streams[i].word, bits, nh(state, form, i, block, groups, bytes));
    state->word_bits = (uint8_t)(state->word_bits + bits);
    if (state->word_bits == state->poly_bits)
        step(state, form->streams);
    state->blocks++;
}

/* After the first polynomial, a one bit and zeros follow the last result. */
static void finish_polynomials(struct uhash_portable_state *state, const struct uhash_form *form)
{
    const unsigned bits = 16u * form->word_bytes;
    uint64_t padding = (uint64_t)1 << (bits - 1);
    unsigned i;
    if (state->poly_bits == bits)
        return;
    for (; state->word_bits < state->poly_bits; padding = 0) {
        for (i = 0; i < form->streams; i++)
            append(&state->streams[i].word, bits, padding);
        state->word_bits = (uint8_t)(state->word_bits + bits);
    }
    step(state, form->streams);
}

/* ---- Layer 3: an inner product with words of 16 bits ---------------------------------------- */

static uint64_t inner_product(const uint64_t key[4], uint64_t half)
{
    return (half >> 48) * key[0] + (half >> 32 & 0xffff) * key[1] + (half >> 16 & 0xffff) * key[2] +
           (half & 0xffff) * key[3];
}

static void write_output(const struct uhash_portable_stream *stream, unsigned word_bytes,
                         struct wide b, uint8_t *output)
{
    const uint64_t sum =
        inner_product(stream->l3_key, b.high) + inner_product(stream->l3_key + 4, b.low);
    if (word_bytes == 4)
        store_be32(output, (uint32_t)(sum % l3_prime(4)) ^ stream->l3_pad);
    else
        store_be16(output, (uint16_t)(sum % l3_prime(2) ^ stream->l3_pad));
}

/* ---- A message ------------------------------------------------------------------------------ */

/* The last block is kept until it is known to be the last, or not. */
static void update(void *context, const struct uhash_form *form, const uint8_t *input, size_t bytes)
{
    struct uhash_portable_state *state = context;
    const size_t wanted = UHASH_BLOCK_BYTES - state->held;
    if (state->held > 0 && bytes > wanted) {
        memcpy(state->block + state->held, input, wanted);
        take_block(state, form, state->block, GROUPS, UHASH_BLOCK_BYTES);
        state->held = 0;
        input += wanted;
        bytes -= wanted;
    }
    for (; state->held == 0 && bytes > UHASH_BLOCK_BYTES; bytes -= UHASH_BLOCK_BYTES) {
        take_block(state, form, input, GROUPS, UHASH_BLOCK_BYTES);
        input += UHASH_BLOCK_BYTES;
    }
    memcpy(state->block + state->held, input, bytes);
    state->held += (uint32_t)bytes;
}

/* Zeros after the last block, up to whole groups and at least one. */
static size_t pad_block(struct uhash_portable_state *state)
{
    const size_t groups = (state->held + UHASH_GROUP_BYTES - 1u) / UHASH_GROUP_BYTES;
    const size_t padded = groups == 0 ? 1 : groups;
    memset(state->block + state->held, 0, UHASH_GROUP_BYTES * padded - state->held);
    return padded;
}

/* Layer 2 is left out of messages of one block. */
static void finish(void *context, const struct uhash_form *form, uint8_t *output)
{
    struct uhash_portable_state *state = context;
    const size_t groups = pad_block(state), held = state->held;
    const int is_one_block = state->blocks == 0;
    unsigned i;
    if (!is_one_block) {
        take_block(state, form, state->block, groups, held);
        finish_polynomials(state, form);
    }
    for (i = 0; i < form->streams; i++) {
        const struct uhash_portable_stream *stream = &state->streams[i];
        const struct wide b = is_one_block ? widened(nh(state, form, i, state->block, groups, held))
                                           : value(stream, state->poly_bits);
        write_output(stream, form->word_bytes, b, output + form->word_bytes * i);
    }
}

const struct uhash ciphermark_uhash_portable = {
    sizeof(struct uhash_portable_state), set_key, start, update, finish};
