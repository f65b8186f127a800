/* The words of SHA-256 and SHA-224, for the steps of both kinds of kernel. */
#ifndef CIPHERMARK_SHA256_WORD_H
#define CIPHERMARK_SHA256_WORD_H

#include "sha256.h"
#include "words.h"

typedef uint32_t word;

#define WORD_BYTES 4
#define STEPS 64
#define load_word load_be32
#define store_word store_be32
#define flash_word flash32

/* The functions of FIPS 180-4, section 4.1.2; the lower-case sigmas are those of the message
 * schedule. */
static inline word Sigma0(word x)
{
    return rotate_right32(x, 2) ^ rotate_right32(x, 13) ^ rotate_right32(x, 22);
}

static inline word Sigma1(word x)
{
    return rotate_right32(x, 6) ^ rotate_right32(x, 11) ^ rotate_right32(x, 25);
}

static inline word sigma0(word x)
{
    return rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3;
}

static inline word sigma1(word x)
{
    return rotate_right32(x, 17) ^ rotate_right32(x, 19) ^ x >> 10;
}

#endif
