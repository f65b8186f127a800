/*
 * UHASH (RFC 4418, section 5; draft-krovetz-umac-01). The two differ only in how keys are derived,
 * and in words of 2 bytes, which the RFC no longer has.
 */
#include "uhash.h"

#include "modular.h"
#include "words.h"

static void set_key(void *context, const struct uhash_form *form, const struct umac_kdf *kdf)
{
    struct uhash_state *state = context;
    kdf->derive(kdf, L1_KEY, state->l1_key, ciphermark_l1_key_bytes(form));
    kdf->derive(kdf, L2_KEY, state->l2_key, ciphermark_l2_key_bytes(form));
    kdf->derive(kdf, L3_KEY, state->l3_key, ciphermark_l3_key_bytes(form));
    kdf->derive(kdf, L3_PAD, state->l3_pad, (size_t)form->streams * form->word_bytes);
}

/* Words of 32 bits in one result of layer 1. */
static unsigned nh_words(const struct uhash_form *form)
{
    return form->word_bytes / 2;
}

static void start_polynomial(struct uhash_stream *stream)
{
    memset(stream->y, 0, sizeof stream->y);
    stream->y[0] = 1;
}

static void start(void *context, const struct uhash_form *form)
{
    struct uhash_state *state = context;
    unsigned i;
    state->blocks = 0;
    state->block_bytes = 0;
    state->poly_words = (uint8_t)nh_words(form);
    state->words = 0;
    for (i = 0; i < form->streams; i++) {
        state->streams[i].nh = 0;
        start_polynomial(&state->streams[i]);
    }
}

/* ---- Layer 1: NH of blocks of 1024 bytes ---------------------------------------------------- */

/* Section 5.2.2 of the RFC: message words are little-endian, key words big-endian. */
static uint64_t nh_group_of_4(const uint8_t *key, const uint8_t *group)
{
    uint64_t sum = 0;
    unsigned i;
    for (i = 0; i < 16; i += 4) {
        const uint32_t a = load_le32(group + i) + load_be32(key + i);
        const uint32_t b = load_le32(group + i + 16) + load_be32(key + i + 16);
        sum += (uint64_t)a * b;
    }
    return sum;
}

/* A sum modulo 2^16 read as a signed number. */
static int32_t signed_sum(uint16_t message_word, uint16_t key_word)
{
    const uint16_t sum = (uint16_t)(message_word + (uint32_t)key_word);
    return (int32_t)sum - ((int32_t)(sum & 0x8000) * 2);
}

/* The signed form, which only the draft has, modulo 2^32. */
static uint32_t nh_group_of_2(const uint8_t *key, const uint8_t *group)
{
    uint32_t sum = 0;
    unsigned i;
    for (i = 0; i < 16; i += 2) {
        const int32_t a = signed_sum(load_le16(group + i), load_be16(key + i));
        const int32_t b = signed_sum(load_le16(group + i + 16), load_be16(key + i + 16));
        sum += (uint32_t)(a * b);
    }
    return sum;
}

/* Takes the group, which ends the block so far, into the sums of all streams. */
static void hash_group(struct uhash_state *state, const struct uhash_form *form, unsigned at)
{
    unsigned i;
    for (i = 0; i < form->streams; i++) {
        const uint8_t *key = state->l1_key + 16 * i + at;
        state->streams[i].nh += form->word_bytes == 4 ? nh_group_of_4(key, state->group)
                                                      : nh_group_of_2(key, state->group);
    }
}

/* Ends a block: what is missing in its last group is zeros, but its length is what it was. */
static void finish_block(struct uhash_state *state, const struct uhash_form *form)
{
    const unsigned held = state->block_bytes % UHASH_GROUP_BYTES;
    unsigned i;
    if (held > 0 || state->block_bytes == 0) {
        memset(state->group + held, 0, UHASH_GROUP_BYTES - held);
        hash_group(state, form, state->block_bytes - held);
    }
    for (i = 0; i < form->streams; i++)
        state->streams[i].nh += 8 * (uint32_t)state->block_bytes;
}

/* ---- Layer 2: POLY over the results of layer 1 ---------------------------------------------- */

/* Section 5.3 of the RFC: the primes 2^32 - 5, 2^64 - 59 and 2^128 - 159. */
static const struct modulus *modulus_of(unsigned words)
{
    static const struct modulus p32 = {1, 5}, p64 = {2, 59}, p128 = {4, 159};
    return words == 1 ? &p32 : words == 2 ? &p64 : &p128;
}

/* Words from 2^32 - 6, 2^64 - 2^32 and 2^128 - 2^96 on may be no less than the prime. */
static int needs_escape(const uint32_t *word, unsigned words)
{
    return words == 1 ? word[0] >= 0xfffffffa : word[words - 1] == 0xffffffff;
}

/* The key of a stream for polynomials with words of so many times 32 bits, masked. */
static void load_poly_key(const struct uhash_state *state, const struct uhash_form *form,
                          unsigned stream, uint32_t *key)
{
    const unsigned words = state->poly_words, first = nh_words(form);
    const size_t stream_bytes = ciphermark_l2_key_bytes(form) / form->streams;
    /* Shorter keys stand before: 4 bytes and 8 bytes, of which words of 4 bytes lack the first. */
    const uint8_t *bytes = state->l2_key + stream * stream_bytes + 4 * (words - first);
    const uint32_t mask = words == 1 ? 0x1fffffff : 0x01ffffff;
    unsigned i;
    for (i = 0; i < words; i++)
        key[words - 1 - i] = load_be32(bytes + 4 * i) & mask;
}

/* word -= c, of a word that is larger. */
static void subtract(uint32_t *word, unsigned words, uint32_t c)
{
    unsigned i;
    for (i = 0; i < words; i++) {
        const uint32_t before = word[i];
        word[i] -= c;
        c = word[i] > before;
    }
}

/* y = k y + m; where m needs an escape, it is p - 1 and then m - c. */
static void step_polynomial(const struct modulus *modulus, const uint32_t *key,
                            struct uhash_stream *stream)
{
    if (needs_escape(stream->word, modulus->words)) {
        const uint32_t marker[MOST_WORDS] = {
            0xffffffff - modulus->c, 0xffffffff, 0xffffffff, 0xffffffff};
        ciphermark_multiply_add(modulus, stream->y, key, marker);
        subtract(stream->word, modulus->words, modulus->c);
    }
    ciphermark_multiply_add(modulus, stream->y, key, stream->word);
}

static void step_polynomials(struct uhash_state *state, const struct uhash_form *form)
{
    unsigned i;
    for (i = 0; i < form->streams; i++) {
        uint32_t key[MOST_WORDS];
        load_poly_key(state, form, i, key);
        step_polynomial(modulus_of(state->poly_words), key, &state->streams[i]);
    }
    state->words = 0;
}

/*
 * After 2^11 bytes (words of 2 bytes only) and 2^17 bytes, or 2^33, of results, a polynomial over
 * twice as many bits takes over and has the value of the one before as its first word.
 */
static int polynomial_is_full(const struct uhash_state *state, const struct uhash_form *form)
{
    if (form->word_bytes == 4)
        return state->blocks == (uint32_t)1 << 14;
    return state->blocks == 1 << 9 || state->blocks == (uint32_t)1 << 31;
}

static void climb(struct uhash_state *state, const struct uhash_form *form)
{
    unsigned i;
    for (i = 0; i < form->streams; i++) {
        struct uhash_stream *stream = &state->streams[i];
        memcpy(stream->word, stream->y, sizeof stream->y);
        start_polynomial(stream);
    }
    state->poly_words = (uint8_t)(2 * state->poly_words);
    step_polynomials(state, form);
}

/* The next 32 bits of a polynomial's word, which come from the most significant on. */
static void append(struct uhash_state *state, unsigned stream, unsigned at, uint32_t word)
{
    state->streams[stream].word[state->poly_words - 1u - state->words - at] = word;
}

/* Takes a block's results into layer 2. */
static void take_block(struct uhash_state *state, const struct uhash_form *form)
{
    unsigned i;
    finish_block(state, form);
    if (polynomial_is_full(state, form))
        climb(state, form);
    for (i = 0; i < form->streams; i++) {
        struct uhash_stream *stream = &state->streams[i];
        if (form->word_bytes == 4)
            append(state, i, 0, (uint32_t)(stream->nh >> 32));
        append(state, i, nh_words(form) - 1, (uint32_t)stream->nh);
        stream->nh = 0;
    }
    state->words = (uint8_t)(state->words + nh_words(form));
    if (state->words == state->poly_words)
        step_polynomials(state, form);
    state->blocks++;
    state->block_bytes = 0;
}

/* After the first polynomial, a one bit and zeros follow the last result. */
static void finish_polynomials(struct uhash_state *state, const struct uhash_form *form)
{
    unsigned i, at;
    if (state->poly_words == nh_words(form))
        return;
    for (i = 0; i < form->streams; i++) {
        for (at = 0; at < (unsigned)state->poly_words - state->words; at++)
            append(state, i, at, at == 0 ? 0x80000000 : 0);
    }
    step_polynomials(state, form);
}

/* ---- Layer 3: an inner product -------------------------------------------------------------- */

/* x mod 2^bits - c. */
static uint64_t remainder_of(uint64_t x, unsigned bits, unsigned c)
{
    const uint64_t prime = ((uint64_t)1 << bits) - c;
    while (x >> bits != 0)
        x = (x & (((uint64_t)1 << bits) - 1)) + (x >> bits) * c;
    return x < prime ? x : x - prime;
}

/* Section 5.4 of the RFC: modulo 2^36 - 5, or 2^19 - 1 with words of 2 bytes. */
static uint32_t inner_product(const uint8_t *key, unsigned word_bytes, const uint32_t b[4])
{
    const unsigned bits = word_bytes == 4 ? 36 : 19, c = word_bytes == 4 ? 5 : 1;
    uint64_t sum = 0;
    unsigned i;
    for (i = 0; i < 8; i++) {
        const uint32_t m = b[3 - i / 2] >> 16 * (1 - i % 2) & 0xffff;
        const uint64_t k = word_bytes == 4 ? load_be64(key + 8 * i) : load_be32(key + 4 * i);
        sum += m * remainder_of(k, bits, c);
    }
    return (uint32_t)remainder_of(sum, bits, c);
}

static void write_output(const struct uhash_state *state, const struct uhash_form *form,
                         unsigned stream, const uint32_t b[4], uint8_t *output)
{
    const unsigned word_bytes = form->word_bytes;
    const uint32_t sum = inner_product(state->l3_key + 16 * word_bytes * stream, word_bytes, b);
    output += word_bytes * stream;
    if (word_bytes == 4)
        store_be32(output, sum);
    else
        store_be16(output, (uint16_t)sum);
    xor_bytes(output, output, state->l3_pad + word_bytes * stream, word_bytes);
}

/* ---- A message ------------------------------------------------------------------------------ */

static void update(void *context, const struct uhash_form *form, const uint8_t *input, size_t bytes)
{
    struct uhash_state *state = context;
    while (bytes > 0) {
        unsigned held, taken;
        if (state->block_bytes == UHASH_BLOCK_BYTES)
            take_block(state, form);
        held = state->block_bytes % UHASH_GROUP_BYTES;
        taken = UHASH_GROUP_BYTES - held;
        if (bytes < taken)
            taken = (unsigned)bytes;
        memcpy(state->group + held, input, taken);
        if (held + taken == UHASH_GROUP_BYTES)
            hash_group(state, form, state->block_bytes - held);
        state->block_bytes = (uint16_t)(state->block_bytes + taken);
        input += taken;
        bytes -= taken;
    }
}

/* Layer 2 is left out of messages of one block. */
static void finish(void *context, const struct uhash_form *form, uint8_t *output)
{
    struct uhash_state *state = context;
    const int is_one_block = state->blocks == 0;
    unsigned i;
    if (is_one_block) {
        finish_block(state, form);
    } else {
        take_block(state, form);
        finish_polynomials(state, form);
    }
    for (i = 0; i < form->streams; i++) {
        const struct uhash_stream *stream = &state->streams[i];
        const uint32_t high = form->word_bytes == 4 ? (uint32_t)(stream->nh >> 32) : 0;
        const uint32_t block[4] = {(uint32_t)stream->nh, high};
        write_output(state, form, i, is_one_block ? block : stream->y, output);
    }
}

const struct uhash ciphermark_uhash_reference = {
    sizeof(struct uhash_state), set_key, start, update, finish};
