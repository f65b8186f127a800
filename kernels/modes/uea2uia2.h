/* UEA2 and UIA2 of 3GPP TS 35.215, which are 128-EEA1 and 128-EIA1: SNOW 3G in two modes. */
#ifndef CIPHERMARK_UEA2UIA2_H
#define CIPHERMARK_UEA2UIA2_H

#include "keystream.h"
#include "threegpp.h"

/* x^64 modulo the polynomial of section 4.3.4, x^64 + x^4 + x^3 + x + 1. */
#define X_TO_64 0x1b

struct uia2 {
    const struct stream_cipher *cipher;
    /*
     * The polynomial whose coefficients are the message's blocks of 64 bits, with zeros after its
     * end, at p, without a constant term (section 4.5).
     */
    uint64_t (*evaluate)(const message *m, uint64_t p);
    /* The product of two modulo the polynomial of section 4.3.4. */
    uint64_t (*multiply)(uint64_t one, uint64_t other);
};

/* SNOW 3G by tables (portable/snow3g_table.c). */
extern const struct stream_cipher ciphermark_snow3g_table;

/* The block of the message that begins at a byte and is the last, with zeros after its end. */
uint64_t ciphermark_uia2_last_block(const message *m, size_t at);

/* The product of two polynomials modulo x^64 + x^4 + x^3 + x + 1, bit by bit. */
uint64_t ciphermark_uia2_multiply(uint64_t one, uint64_t other);

/* Writes IV0 to IV3 of a message (section 3.4). CIPHERMARK_BAD_NONCE, or done. */
static inline int uea2_iv(uint8_t iv[STREAM_IV_BYTES], const message *m)
{
    uint32_t word;
    const int status = bearer_word(m, &word);
    store_be32(iv, word);
    memcpy(iv + 4, m->nonce, 4);
    store_be32(iv + 8, word);
    memcpy(iv + 12, m->nonce, 4);
    return status;
}

/* The same of UIA2 (section 4.4): FRESH and COUNT twice, the second time without DIRECTION. */
static inline int uia2_iv(uint8_t iv[STREAM_IV_BYTES], const message *m)
{
    const uint32_t count = load_be32(m->nonce), fresh = load_be32(m->nonce + 4);
    uint8_t direction;
    const int status = fresh_direction(m, &direction);
    store_be32(iv, fresh ^ (uint32_t)direction << 15);
    store_be32(iv + 4, count ^ (uint32_t)direction << 31);
    store_be32(iv + 8, fresh);
    store_be32(iv + 12, count);
    return status;
}

/*
 * The functions of rows whose parameters are a `struct stream_cipher`, or a `struct uia2`; the
 * context is the key.
 */
int ciphermark_uea2_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_uea2(const row *self, void *context, const message *m);
int ciphermark_uia2(const row *self, void *context, const message *m);

#define UEA2_ROWS(cipher, timing_, backend_) \
    BEARER_CIPHER_ROWS("uea2", cipher, STREAM_KEY_BYTES, ciphermark_uea2_set_key, ciphermark_uea2, \
                       SIZE_MAX, timing_, backend_)

#define UIA2_ROW(functions, timing_, backend_) \
    THREEGPP_MAC_ROW("uia2", FRESH_NONCE_BYTES, functions, STREAM_KEY_BYTES, \
                     ciphermark_uea2_set_key, ciphermark_uia2, SIZE_MAX, timing_, backend_)

#endif
