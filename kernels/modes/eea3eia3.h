/* 128-EEA3 and 128-EIA3 of 3GPP TS 35.221: ZUC in two modes. */
#ifndef CIPHERMARK_EEA3EIA3_H
#define CIPHERMARK_EEA3EIA3_H

#include "keystream.h"
#include "threegpp.h"

/* 65,504 bits: the bound of the standard's first editions, to which implementations keep. */
#define EEA3EIA3_MOST_BYTES 8188

/* Words of a message that EIA3 takes at a time. */
#define EIA3_PART_WORDS 16

struct eia3 {
    const struct stream_cipher *cipher;
    /*
     * The sum of the words of keystream that begin at those bits at which the message has ones
     * (section 4.5). The keystream has one word more than the message, at most EIA3_PART_WORDS + 1.
     */
    uint32_t (*sum)(const uint8_t *words, const uint8_t *keystream, size_t count);
};

/* The word of keystream that begins at a bit. */
static inline uint32_t eia3_word(const uint8_t *keystream, size_t bit)
{
    return (uint32_t)(load_be64(keystream + bit / 32 * 4) << bit % 32 >> 32);
}

/* Section 3.3: COUNT, BEARER and DIRECTION twice. CIPHERMARK_BAD_NONCE, or done. */
static inline int eea3_iv(const message *m, uint8_t iv[STREAM_IV_BYTES])
{
    const int status = bearer_block(m, iv);
    if (status == CIPHERMARK_DONE)
        memcpy(iv + 8, iv, 8);
    return status;
}

/* Section 4.3: COUNT and BEARER twice, the second time with DIRECTION in two places. */
static inline int eia3_iv(const message *m, uint8_t iv[STREAM_IV_BYTES])
{
    const unsigned direction = m->nonce[5];
    const int status = bearer_block(m, iv);
    if (status != CIPHERMARK_DONE)
        return status;
    iv[4] = without_bits(iv[4], 3);
    memcpy(iv + 8, iv, 8);
    iv[8] = (uint8_t)(iv[8] ^ direction << 7);
    iv[14] = (uint8_t)(iv[14] ^ direction << 7);
    return CIPHERMARK_DONE;
}

/*
 * The functions of rows whose parameters are a `struct stream_cipher`, or a `struct eia3`; the
 * context is the key.
 */
int ciphermark_eea3(const row *self, void *context, const message *m);
int ciphermark_eia3(const row *self, void *context, const message *m);

#define EEA3_ROWS(cipher, timing_, backend_) \
    BEARER_CIPHER_ROWS("eea3", cipher, STREAM_KEY_BYTES, ciphermark_keystream_set_key, \
                       ciphermark_eea3, EEA3EIA3_MOST_BYTES, timing_, backend_)

#define EIA3_ROW(functions, timing_, backend_) \
    THREEGPP_MAC_ROW("eia3", BEARER_NONCE_BYTES, functions, STREAM_KEY_BYTES, \
                     ciphermark_keystream_set_key, ciphermark_eia3, EEA3EIA3_MOST_BYTES, timing_, \
                     backend_)

#endif
