/*
 * Tags of UIA2 (3GPP TS 35.215, sections 4.4 and 4.5) of many packets: the powers of P, and the two
 * products at the end, of eight packets at once. To be included after vpclmulqdq.h and uea2uia2_lanes.h.
 */
#ifndef CIPHERMARK_UIA2_TAGS_H
#define CIPHERMARK_UIA2_TAGS_H

#include "part.h"
#include "uia2_polynomial.h"

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

/* The tags, in their upper halves and without OTP, of eight packets from `lane` on. */
static inline void find_tags(uint64_t tags[WIDE_BLOCKS], const struct lane_group *group,
                             unsigned lane, wide p, wide q)
{
    const unsigned left = group->count - lane;
    const unsigned packets = left < WIDE_BLOCKS ? left : WIDE_BLOCKS;
    const size_t most_blocks = (lane_message(group, lane)->input_bytes - 1) / 8;
    uint64_t last[WIDE_BLOCKS] = {0}, bits[WIDE_BLOCKS] = {0};
    wide powers[WIDE_BLOCKS], sums[WIDE_BLOCKS], e;
    struct falling_powers falling;
    unsigned i;
    store_wide(falling.of[BATCH], all64(0));
    find_eight_powers(powers, p, most_blocks);
    for (i = 0; i < WIDE_BLOCKS; i++)
        sums[i] = all64(0);
    for (i = 0; i < packets; i++) {
        const message *m = lane_message(group, lane + i);
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

static void write_tags(struct keystream_group *it)
{
    uint32_t z[TAG_WORDS][WIDTH];
    uint64_t p[WIDTH], q[WIDTH], tags[WIDTH];
    unsigned lane;
    take_words(z, it, TAG_WORDS);
    for (lane = 0; lane < WIDTH; lane++) {
        p[lane] = joined(z[0][lane], z[1][lane]);
        q[lane] = joined(z[2][lane], z[3][lane]);
    }
    for (lane = 0; lane < it->group.count; lane += WIDE_BLOCKS)
        find_tags(tags + lane, &it->group, lane, load_wide(p + lane), load_wide(q + lane));
    for (lane = 0; lane < it->group.count; lane++)
        store_be32(lane_message(&it->group, lane)->output,
                   (uint32_t)(tags[lane] >> 32) ^ z[4][lane]);
}

#endif
