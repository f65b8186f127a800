/*
 * Tags of UIA2 (3GPP TS 35.215, sections 4.4 and 4.5) of 64 packets: the powers of P, and the two
 * products at the end, of eight packets at once. To be included after uea2uia2_lanes.h, for which
 * WRITES_TAGS_TOGETHER is defined.
 */
#ifndef CIPHERMARK_UIA2_TAGS_H
#define CIPHERMARK_UIA2_TAGS_H

#include "part.h"

/* Powers of P in falling order, whole wide vectors of them: of[BATCH - 1] is P^8 to P. Behind them
 * are words that are multiplied by zeros only. */
struct falling_powers {
    uint64_t of[BATCH + 1][WIDE_BLOCKS];
};

/* Powers for one packet after the other, of eight P: the first `needed`, at most eight. */
static inline void find_eight_powers(wide powers[WIDE_BLOCKS], wide p, size_t needed)
{
    wide of[WIDE_BLOCKS + 1];
    size_t i;
    of[1] = p;
    for (i = 2; i <= WIDE_BLOCKS; i++)
        of[i] = i <= needed ? multiply_words(of[i / 2], of[i - i / 2]) : all64(0);
    for (i = 0; i < WIDE_BLOCKS; i++)
        powers[i] = of[WIDE_BLOCKS - i];
    transpose_quads(powers);
}

/* The others for so many wide vectors of blocks; and, where they are more than BATCH, what a sum is
 * multiplied by when a batch comes after it, for its low and its high half. */
static inline wide find_more_powers(struct falling_powers *powers, wide eight, size_t wides)
{
    uint64_t first;
    wide step;
    size_t i;
    store_wide(powers->of[BATCH - 1], eight);
    if (wides <= 1)
        return eight;
    step = all64(powers->of[BATCH - 1][0]);
    for (i = 1; i < BATCH && i < wides; i++) {
        eight = multiply_words(eight, step);
        store_wide(powers->of[BATCH - 1 - i], eight);
    }
    if (wides <= BATCH)
        return eight;
    first = powers->of[0][0];
    return even_words(all64(first), all64(multiply(first, X_TO_64)));
}

/* The polynomial of so many whole blocks, at least one, as words whose sums are a product. */
static inline wide sum_blocks(struct falling_powers *powers, wide eight, const uint8_t *input,
                              size_t blocks)
{
    const size_t wides = (blocks + WIDE_BLOCKS - 1) / WIDE_BLOCKS;
    const size_t first = blocks - (wides - 1) * WIDE_BLOCKS;
    const wide next = find_more_powers(powers, eight, wides);
    size_t left = wides - 1, i = BATCH - 1 - left % BATCH;
    const wide some = reverse_blocks(
        first < WIDE_BLOCKS ? load_bytes(input, 8 * first) : load_wide(input));
    wide sum = products(some, load_wide(powers->of[i] + (WIDE_BLOCKS - first)));
    input += 8 * first;
    for (i++; i < BATCH; i++, left--, input += 8 * WIDE_BLOCKS)
        sum = xor_wide(sum, products(load_blocks(input), load_wide(powers->of[i])));
    for (; left > 0; left -= BATCH) {
        sum = products(sum, next);
        for (i = 0; i < BATCH; i++, input += 8 * WIDE_BLOCKS)
            sum = xor_wide(sum, products(load_blocks(input), load_wide(powers->of[i])));
    }
    return sum;
}

/* Sums of four packets' words of 128 bits, in order. */
static inline wide totals(wide a, wide b, wide c, wide d)
{
    const wide ab = xor_wide(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    const wide cd = xor_wide(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
    return xor_wide(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
}

/* What of the message is multiplied by P alone: the last one to eight bytes, and zeros. */
static inline uint64_t last_block(const message *m, size_t at)
{
    const size_t bytes = m->input_bytes - at;
    const uint64_t block = __builtin_bswap64(load_part8(m->input + at, bytes));
    return block & UINT64_MAX << (8 * (8 - bytes) + m->unused_bits);
}

/* Words of 64 bits from eight vectors of their bytes, the most significant first: each vector has
 * those of eight packets, in order. */
static inline void words_of_lanes(wide words[8], vector *bytes)
{
    unsigned i;
    bytes_to_quads(bytes);
    for (i = 0; i < 8; i++)
        bytes[i] = reverse_blocks(bytes[i]);
    transpose_octs(&bytes[0], &bytes[1], &bytes[2], &bytes[3]);
    transpose_octs(&bytes[4], &bytes[5], &bytes[6], &bytes[7]);
    for (i = 0; i < 8; i++)
        words[i] = bytes[i / 2 + i % 2 * 4];
}

/* The tags, in their upper halves and without OTP, of eight packets from `lane` on. */
static inline void find_tags(uint64_t tags[WIDE_BLOCKS], const struct keystream_group *it,
                             unsigned lane, wide p, wide q)
{
    const unsigned left = it->group.count - lane;
    const unsigned packets = left < WIDE_BLOCKS ? left : WIDE_BLOCKS;
    const size_t most_blocks = (lane_message(&it->group, lane)->input_bytes - 1) / 8;
    uint64_t last[WIDE_BLOCKS] = {0}, bits[WIDE_BLOCKS] = {0};
    wide powers[WIDE_BLOCKS], sums[WIDE_BLOCKS], e;
    struct falling_powers falling;
    unsigned i;
    store_wide(falling.of[BATCH], all64(0));
    find_eight_powers(powers, p, most_blocks);
    for (i = 0; i < WIDE_BLOCKS; i++)
        sums[i] = all64(0);
    for (i = 0; i < packets; i++) {
        const message *m = lane_message(&it->group, lane + i);
        const size_t whole = (m->input_bytes - 1) / 8;
        if (whole > 0)
            sums[i] = sum_blocks(&falling, powers[i], m->input, whole);
        last[i] = last_block(m, 8 * whole);
        bits[i] = message_bits(m);
    }
    e = even_words(reduce(totals(sums[0], sums[2], sums[4], sums[6])),
                   reduce(totals(sums[1], sums[3], sums[5], sums[7])));
    e = multiply_words(xor_wide(e, load_wide(last)), p);
    e = multiply_words(xor_wide(e, load_wide(bits)), q);
    store_wide(tags, e);
}

/* OTP of each packet, four of each 16 in a vector; and where it is. */
static inline void store_otp(uint8_t otp[4][VECTOR_BYTES], const vector z[4])
{
    const vector low01 = interleave_low8(z[0], z[1]), high01 = interleave_high8(z[0], z[1]);
    const vector low23 = interleave_low8(z[2], z[3]), high23 = interleave_high8(z[2], z[3]);
    store_vector(otp[0], interleave_low16(low01, low23));
    store_vector(otp[1], interleave_high16(low01, low23));
    store_vector(otp[2], interleave_low16(high01, high23));
    store_vector(otp[3], interleave_high16(high01, high23));
}

static inline const uint8_t *otp_of(uint8_t otp[4][VECTOR_BYTES], unsigned lane)
{
    return &otp[lane % 16 / 4][lane / 16 * 16 + lane % 4 * 4];
}

/* The tags of a group whose five words of keystream are made. */
static void write_tags(struct keystream_group *it)
{
    uint8_t otp[4][VECTOR_BYTES];
    uint64_t tags[WIDTH];
    wide p[8], q[8];
    unsigned lane;
    words_of_lanes(p, it->z);
    words_of_lanes(q, it->z + 8);
    store_otp(otp, it->z + 16);
    for (lane = 0; lane < it->group.count; lane += WIDE_BLOCKS)
        find_tags(tags + lane, it, lane, p[lane / WIDE_BLOCKS], q[lane / WIDE_BLOCKS]);
    for (lane = 0; lane < it->group.count; lane++)
        store_be32(lane_message(&it->group, lane)->output,
                   (uint32_t)(tags[lane] >> 32) ^ load_be32(otp_of(otp, lane)));
}

#endif
