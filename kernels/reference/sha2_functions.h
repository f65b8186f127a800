/*
 * The functions of SHA-2 (FIPS 180-4, section 4.1); the lower-case sigmas are those of the message
 * schedule. What includes it, sha256_word.h or sha512_word.h, has `word`, rotate_word and the bits.
 */
#ifndef CIPHERMARK_SHA2_FUNCTIONS_H
#define CIPHERMARK_SHA2_FUNCTIONS_H

#define ROTATED(x, ...) ROTATED_BY(x, __VA_ARGS__)
#define ROTATED_BY(x, a, b, c) (rotate_word(x, a) ^ rotate_word(x, b) ^ rotate_word(x, c))
#define SHIFTED(x, ...) SHIFTED_BY(x, __VA_ARGS__)
#define SHIFTED_BY(x, a, b, c) (rotate_word(x, a) ^ rotate_word(x, b) ^ (x) >> (c))

static inline word Sigma0(word x)
{
    return ROTATED(x, BITS_Sigma0);
}

static inline word Sigma1(word x)
{
    return ROTATED(x, BITS_Sigma1);
}

static inline word sigma0(word x)
{
    return SHIFTED(x, BITS_sigma0);
}

static inline word sigma1(word x)
{
    return SHIFTED(x, BITS_sigma1);
}

#endif
