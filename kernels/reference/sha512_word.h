/* The words of SHA-512 and SHA-384, for the steps of both kinds of kernel. */
#ifndef CIPHERMARK_SHA512_WORD_H
#define CIPHERMARK_SHA512_WORD_H

#include "sha512.h"
#include "words.h"

typedef uint64_t word;

#define WORD_BYTES 8
#define STEPS 80
#define load_word load_be64
#define store_word store_be64
#define flash_word flash64

/* The functions of FIPS 180-4, section 4.1.3; the lower-case sigmas are those of the message
 * schedule. */
static inline word Sigma0(word x)
{
    return rotate_right64(x, 28) ^ rotate_right64(x, 34) ^ rotate_right64(x, 39);
}

static inline word Sigma1(word x)
{
    return rotate_right64(x, 14) ^ rotate_right64(x, 18) ^ rotate_right64(x, 41);
}

static inline word sigma0(word x)
{
    return rotate_right64(x, 1) ^ rotate_right64(x, 8) ^ x >> 7;
}

static inline word sigma1(word x)
{
    return rotate_right64(x, 19) ^ rotate_right64(x, 61) ^ x >> 6;
}

#endif
