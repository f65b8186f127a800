/* sum_windows and sum_end of eea3eia3_lanes.h by VPCLMULQDQ. */
#ifndef CIPHERMARK_EIA3_VPCLMUL_H
#define CIPHERMARK_EIA3_VPCLMUL_H

/* Four threes of words. */
#define SUMMED_WORDS 12

/* Of each three, the words of the message and the four of keystream that are factors. */
static const uint32_t MESSAGE_PAIRS[16] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11};
static const uint32_t KEYSTREAM_PAIRS[16] = {1, 0, 3, 2, 4, 3, 6, 5, 7, 6, 9, 8, 10, 9, 12, 11};

/* What is read of 64 bytes: 12 words of the message, and 13 of keystream. */
#define MESSAGE_BYTES 0x0000ffffffffffff
#define KEYSTREAM_BYTES 0x000fffffffffffff

/* Products whose second words are summed, and those whose third ones are. */
struct windows {
    vector second, third;
};

static inline struct windows no_windows(void)
{
    const struct windows it = {all32(0), all32(0)};
    return it;
}

/* Those of so many words of a message. */
static inline void add_windows(struct windows *it, vector message, const uint32_t *keystream)
{
    const vector a = _mm512_permutexvar_epi32(load_vector(MESSAGE_PAIRS), reverse_bits(message));
    const vector b = _mm512_permutexvar_epi32(
        load_vector(KEYSTREAM_PAIRS), _mm512_maskz_loadu_epi8(KEYSTREAM_BYTES, keystream));
    it->second = xor2(it->second, _mm512_clmulepi64_epi128(b, a, 0x00));
    it->third = xor2(it->third, _mm512_clmulepi64_epi128(b, a, 0x11));
}

static inline uint32_t sum_of_windows(const struct windows *it)
{
    const vector words = _mm512_mask_mov_epi32(it->second, 0x4444, it->third);
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
    const __m128i quarter =
        _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return (uint32_t)_mm_extract_epi32(quarter, 1) ^ (uint32_t)_mm_extract_epi32(quarter, 2);
}

static inline uint32_t sum_windows(const uint8_t *m, const uint32_t *k, unsigned words)
{
    struct windows windows = no_windows();
    unsigned i;
    for (i = 0; i < words; i += SUMMED_WORDS)
        add_windows(&windows, _mm512_maskz_loadu_epi8(MESSAGE_BYTES, m + 4 * i), k + i);
    return sum_of_windows(&windows);
}

#define SUMS_ENDS

static inline uint32_t sum_end(const message *m, const uint32_t *keystream, size_t bytes)
{
    const uint8_t *input = m->input + m->input_bytes - bytes;
    struct windows windows = no_windows();
    vector last;
    for (; bytes > 4 * SUMMED_WORDS; bytes -= 4 * SUMMED_WORDS) {
        add_windows(&windows, _mm512_maskz_loadu_epi8(MESSAGE_BYTES, input), keystream);
        input += 4 * SUMMED_WORDS;
        keystream += SUMMED_WORDS;
    }
    last = load_bytes(input, bytes);
    if (m->unused_bits > 0) {
        uint8_t end[VECTOR_BYTES];
        store_vector(end, last);
        end[bytes - 1] = without_bits(end[bytes - 1], m->unused_bits);
        last = load_vector(end);
    }
    add_windows(&windows, last, keystream);
    return sum_of_windows(&windows);
}

#endif
