/* UHASH, for the MACs that are built of it. */
#ifndef CIPHERMARK_UHASH_H
#define CIPHERMARK_UHASH_H

#include "umac.h"

/* What layers 1 and 2 hold for a stream. */
struct uhash_stream {
    uint64_t nh;      /* of the block so far */
    uint32_t word[4]; /* the word that the polynomial takes next, as far as it is there */
    uint32_t y[4];    /* the polynomial; both have their least significant part first */
};

struct uhash_state {
    uint64_t blocks; /* whole ones, of all streams */
    struct uhash_stream streams[MOST_UHASH_STREAMS];
    uint16_t block_bytes; /* of the block that is not done */
    uint8_t poly_words;   /* 1, 2 or 4: of 32 bits, in a word of the polynomial */
    uint8_t words;        /* of the next word of the polynomial */
    uint8_t group[UHASH_GROUP_BYTES];
    uint8_t l1_key[MOST_L1_KEY_BYTES];
    uint8_t l2_key[MOST_L2_KEY_BYTES];
    uint8_t l3_key[MOST_L3_KEY_BYTES];
    uint8_t l3_pad[MOST_L3_PAD_BYTES];
};

extern const struct uhash ciphermark_uhash_reference;

/* For rows, see umac.h. */
#define UHASH_REFERENCE_HASH(word, streams) ciphermark_uhash_reference
#define UHASH_REFERENCE_STATE_BYTES sizeof(struct uhash_state)
#define UHASH_REFERENCE_ALIGNMENT CONTEXT_ALIGNMENT
#define UHASH_REFERENCE_PROCESS(mac, word, streams) ciphermark_incremental
#define UHASH_REFERENCE_LANES(mac, word, streams) .lanes = 1

#endif
