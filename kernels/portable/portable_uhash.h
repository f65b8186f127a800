/* UHASH by products of 64-bit words, for the MACs that are built of it. */
#ifndef CIPHERMARK_PORTABLE_UHASH_H
#define CIPHERMARK_PORTABLE_UHASH_H

#include "umac.h"
#include "halves.h"

/* Layers 2 and 3 of a stream. */
struct uhash_portable_stream {
    struct wide y;    /* the polynomial */
    struct wide word; /* the word that it takes next, as far as it is there */
    uint64_t poly32_key;
    uint64_t poly64_key;
    struct wide poly128_key;
    uint64_t l3_key[8]; /* reduced */
    uint32_t l3_pad;
};

struct uhash_portable_state {
    struct uhash_portable_stream streams[MOST_UHASH_STREAMS];
    union {
        uint32_t words_of_4[(UHASH_BLOCK_BYTES + 16 * 3) / 4];
        uint16_t words_of_2[MOST_L1_KEY_BYTES / 2];
    } l1_key;
    uint64_t blocks;    /* whole ones, of all streams */
    uint32_t held;      /* bytes of the last block */
    uint8_t poly_bits;  /* 32, 64 or 128 */
    uint8_t word_bits;  /* of the next word of the polynomial */
    uint8_t block[UHASH_BLOCK_BYTES];
};

extern const struct uhash ciphermark_uhash_portable;

#endif
