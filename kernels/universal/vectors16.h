/*
 * How universal hashes load messages into vectors of 16 bytes; after the operations of a vector
 * header and its struct pairs64.
 */
#ifndef CIPHERMARK_VECTORS16_H
#define CIPHERMARK_VECTORS16_H

/*
 * Groups of 32 bytes, as many as a step of NH takes: the first 16 bytes of all, the second ones,
 * and ones in the lanes where there are groups.
 */
struct halves {
    vector first, second, kept;
};

static inline struct halves load_halves(const uint8_t *bytes)
{
    const struct halves halves = {load_vector(bytes), load_vector(bytes + 16), all32(UINT32_MAX)};
    return halves;
}

/* Of less, or no bytes: zeros are behind them in the last group, and there is at least one. */
static inline struct halves load_last_halves(const uint8_t *bytes, size_t count)
{
    const size_t first = count < 16 ? count : 16;
    const struct halves halves = {load_part(bytes, first), load_part(bytes + first, count - first),
                                  all32(UINT32_MAX)};
    return halves;
}

/* Of two places that are so far apart, the two words of 64 bits. */
static inline struct pairs64 load_pairs64(const uint8_t *bytes, size_t apart)
{
    const vector one = load_vector(bytes), other = load_vector(bytes + apart);
    const struct pairs64 words = {interleave_low64(one, other), interleave_high64(one, other)};
    return words;
}

/* What wider vectors need. */
static inline void leave_vectors(void)
{
}

#endif
