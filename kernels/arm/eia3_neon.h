/*
 * sum_windows of eea3eia3_lanes.h by products of polynomials of 8 bits, which all of NEON has.
 *
 * With q0, q1, … for the bytes of keystream, m0, m1, … those of the message with their bits in the
 * other order, and low and high the bytes of a product of two: the word of keystream that begins at
 * bit j of byte i has in its byte c the bits j to j + 7 of bytes i + c and i + c + 1. So byte c of
 * the sum is low(p(c)) ^ high(p(c + 1)), p(c) being the sum of the products of m(i) and q(i + c).
 */
#ifndef CIPHERMARK_EIA3_NEON_H
#define CIPHERMARK_EIA3_NEON_H

#define SUMMED_WORDS 4

/* One more than the bytes of a word. */
#define SUMS 5

static inline uint16x8_t products(vector m, vector q)
{
    const poly8x16_t a = vreinterpretq_p8_u8(m), b = vreinterpretq_p8_u8(q);
    const poly16x8_t low = vmull_p8(vget_low_p8(a), vget_low_p8(b)), high = vmull_high_p8(a, b);
    return veorq_u16(vreinterpretq_u16_p16(low), vreinterpretq_u16_p16(high));
}

static inline void add_products(uint16x8_t p[SUMS], vector m, vector q, vector next)
{
    p[0] = veorq_u16(p[0], products(m, q));
    p[1] = veorq_u16(p[1], products(m, vextq_u8(q, next, 1)));
    p[2] = veorq_u16(p[2], products(m, vextq_u8(q, next, 2)));
    p[3] = veorq_u16(p[3], products(m, vextq_u8(q, next, 3)));
    p[4] = veorq_u16(p[4], products(m, vextq_u8(q, next, 4)));
}

/* The sum of eight. */
static inline uint32_t folded(uint16x8_t x)
{
    const uint64x2_t halves = vreinterpretq_u64_u16(x);
    uint64_t sum = vgetq_lane_u64(halves, 0) ^ vgetq_lane_u64(halves, 1);
    sum ^= sum >> 32;
    sum ^= sum >> 16;
    return (uint32_t)sum & 0xffff;
}

static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k, unsigned words)
{
    uint16x8_t p[SUMS] = {vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0),
                          vdupq_n_u16(0)};
    uint32_t sum = 0;
    unsigned i;
    for (i = 0; i < words; i += SUMMED_WORDS)
        add_products(p, vrbitq_u8(load_vector(m + 4 * i)), reverse_bytes32(load_vector(k + i)),
                     reverse_bytes32(all32(k[i + 4])));
    for (i = 0; i + 1 < SUMS; i++)
        sum = sum << 8 | ((folded(p[i]) ^ folded(p[i + 1]) >> 8) & 0xff);
    return sum;
}

#endif
