/*
 * The IVs of ZUC and SNOW 3G for the functions of 3GPP, as modes/eea3eia3.h and modes/uea2uia2.h
 * have them, of nonces that were checked: by words, for what was stored by bytes can only be loaded
 * by words once it has reached the cache.
 */
#ifndef CIPHERMARK_LANE_IVS_H
#define CIPHERMARK_LANE_IVS_H

#include "part.h"

/* The 16 bytes of an IV. */
typedef struct part iv_of(const uint8_t *nonce);

/* COUNT, BEARER, DIRECTION and 26 zeros, twice. */
static inline struct part eea3_iv_of(const uint8_t *nonce)
{
    const uint64_t word = load_le32(nonce) | (uint64_t)(nonce[4] << 3 | nonce[5] << 2) << 32;
    const struct part iv = {word, word};
    return iv;
}

/* COUNT, BEARER and 27 zeros, twice, and DIRECTION in two places of the second time. */
static inline struct part eia3_iv_of(const uint8_t *nonce)
{
    const uint64_t word = load_le32(nonce) | (uint64_t)(nonce[4] << 3) << 32;
    const uint64_t direction = nonce[5];
    const struct part iv = {word, word ^ direction << 7 ^ direction << 55};
    return iv;
}

/* BEARER, DIRECTION, 26 zeros and COUNT, twice. */
static inline struct part uea2_iv_of(const uint8_t *nonce)
{
    const uint64_t count = load_le32(nonce);
    const uint64_t word = count << 32 | (uint64_t)(nonce[4] << 3 | nonce[5] << 2);
    const struct part iv = {word, word};
    return iv;
}

/* FRESH and COUNT, twice, the first time with DIRECTION in both. */
static inline struct part uia2_iv_of(const uint8_t *nonce)
{
    const uint64_t word = (uint64_t)load_le32(nonce) << 32 | load_le32(nonce + 4);
    const uint64_t direction = nonce[8];
    const struct part iv = {word ^ direction << 23 ^ direction << 39, word};
    return iv;
}

static inline void store_iv(uint8_t bytes[16], struct part iv)
{
    store_le64(bytes, iv.low);
    store_le64(bytes + 8, iv.high);
}

#endif
