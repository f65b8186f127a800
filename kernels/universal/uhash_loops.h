/*
 * UHASH by plain loops, a stream at a time: layer 1, NH, and what each stream has of layers 2 and 3.
 *
 * What is included before may have NH with words of 2 bytes itself, of all streams at once, and then
 * defines NH_OF_2_BEFORE: nh_streams_of_2 is as below.
 */
#ifndef CIPHERMARK_UHASH_LOOPS_H
#define CIPHERMARK_UHASH_LOOPS_H

#include "inlined.h"
#include "uhash_polynomials.h"
#include "uhash_product.h"
#include "umac.h"
#include "words.h"

#define GROUPS (UHASH_BLOCK_BYTES / UHASH_GROUP_BYTES)

/* ---- Layer 1: NH ---------------------------------------------------------------------------- */

struct nh_key {
    union {
        uint32_t of_4[(UHASH_BLOCK_BYTES + 16 * 3) / 4];
        uint16_t of_2[MOST_L1_KEY_BYTES / 2];
    } words;
};

static void set_nh_key(struct nh_key *key, unsigned word_bytes, const uint8_t *bytes, size_t count)
{
    size_t i;
    for (i = 0; i < count / word_bytes; i++) {
        if (word_bytes == 4)
            key->words.of_4[i] = load_be32(bytes + 4 * i);
        else
            key->words.of_2[i] = load_be16(bytes + 2 * i);
    }
}

NOT_INLINED uint64_t nh_of_4(const uint32_t *key, const uint8_t *input, size_t groups)
{
    uint64_t sums[4] = {0};
    for (; groups > 0; groups--, key += 8, input += UHASH_GROUP_BYTES) {
        unsigned i;
        for (i = 0; i < 4; i++) {
            const uint32_t a = load_le32(input + 4 * i) + key[i];
            const uint32_t b = load_le32(input + 4 * i + 16) + key[i + 4];
            sums[i] += (uint64_t)a * b;
        }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

#ifndef NH_OF_2_BEFORE
/*
 * Sums modulo 2^16 are read as signed by conversion, which C leaves to compilers; all of them keep
 * the bits. They are kept so that the products are one plain loop.
 */
NOT_INLINED uint32_t nh_of_2(const uint16_t *key, const uint8_t *input, size_t groups)
{
    int16_t a[8 * GROUPS], b[8 * GROUPS];
    const size_t pairs = 8 * groups;
    uint32_t sum = 0;
    size_t group, i;
    for (group = 0; group < groups; group++, key += 16, input += UHASH_GROUP_BYTES) {
        for (i = 0; i < 8; i++) {
            a[8 * group + i] = (int16_t)(uint16_t)(load_le16(input + 2 * i) + key[i]);
            b[8 * group + i] = (int16_t)(uint16_t)(load_le16(input + 2 * i + 16) + key[i + 8]);
        }
    }
    for (i = 0; i < pairs; i++)
        sum += (uint32_t)((int32_t)a[i] * b[i]);
    return sum;
}

INLINED void nh_streams_of_2(const uint16_t *key, unsigned streams, const uint8_t *input,
                             size_t groups, uint32_t *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        sums[i] = nh_of_2(key + 8 * i, input, groups);
}
#endif

/* Of whole groups; `bytes` are those of the block without zeros. */
INLINED void nh_groups(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                       const uint8_t *input, size_t groups, size_t bytes, uint64_t *sums)
{
    uint32_t of_2[MOST_UHASH_STREAMS];
    unsigned i;
    if (word_bytes == 2)
        nh_streams_of_2(key->words.of_2, streams, input, groups, of_2);
    for (i = 0; i < streams; i++) {
        if (word_bytes == 4)
            sums[i] = nh_of_4(key->words.of_4 + 4 * i, input, groups) + 8 * bytes;
        else
            sums[i] = (uint32_t)(of_2[i] + 8 * bytes);
    }
}

INLINED void nh_block(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                      const uint8_t *input, uint64_t *sums)
{
    nh_groups(key, word_bytes, streams, input, GROUPS, UHASH_BLOCK_BYTES, sums);
}

/* A copy has the zeros behind the message, up to whole groups and at least one. */
INLINED void nh_last(const struct nh_key *key, unsigned word_bytes, unsigned streams,
                     const uint8_t *input, size_t bytes, uint64_t *sums)
{
    const size_t groups = bytes == 0 ? 1 : (bytes + UHASH_GROUP_BYTES - 1) / UHASH_GROUP_BYTES;
    const size_t padded_bytes = groups * UHASH_GROUP_BYTES;
    uint8_t padded[UHASH_BLOCK_BYTES];
    memcpy(padded, input, bytes);
    memset(padded + bytes, 0, padded_bytes - bytes);
    nh_groups(key, word_bytes, streams, padded, groups, bytes, sums);
}

/* ---- Layer 2, of words of 2 bytes ------------------------------------------------------------ */

struct poly32_keys {
    uint64_t k[MOST_UHASH_STREAMS], squared[MOST_UHASH_STREAMS];
};

INLINED void poly32_step(uint64_t *y, const struct poly32_keys *keys, unsigned streams,
                         const uint64_t *m)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        y[i] = step32(y[i], keys->k[i], keys->squared[i], m[i]);
}

/* ---- Layer 3 --------------------------------------------------------------------------------- */

INLINED void product(const struct product_keys *keys, unsigned word_bytes, unsigned streams,
                     const struct uhash_values *values, uint64_t *sums)
{
    unsigned i;
    for (i = 0; i < streams; i++)
        sums[i] = product_of_one(keys, word_bytes, i, values);
}

#endif
