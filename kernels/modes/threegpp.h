/*
 * What the functions of 3GPP share: messages that are counted in bits, and the numbers that come
 * with them, laid out in a nonce.
 *
 * | functions | nonce |
 * |---|---|
 * | UEA1, UEA2, EEA2, EEA3, EIA2, EIA3 | COUNT, 4 bytes; BEARER, 1 byte; DIRECTION, 1 byte |
 * | UIA1, UIA2 | COUNT, 4 bytes; FRESH, 4 bytes; DIRECTION, 1 byte |
 *
 * BEARER is 0 to 31, and DIRECTION 0 or 1.
 */
#ifndef CIPHERMARK_THREEGPP_H
#define CIPHERMARK_THREEGPP_H

#include "rows.h"
#include "words.h"

#define BEARER_NONCE_BYTES 6
#define FRESH_NONCE_BYTES 9
#define THREEGPP_TAG_BYTES 4

/* Bits that BEARER, where the nonce has it, and DIRECTION have beyond their range. */
static inline unsigned threegpp_excess(const uint8_t *nonce, size_t nonce_bytes)
{
    const unsigned bearer = nonce_bytes == BEARER_NONCE_BYTES ? 0xff : 0;
    return (unsigned)nonce[nonce_bytes - 1] >> 1 | (nonce[4] & bearer) >> 5;
}

static inline int has_threegpp_numbers(const uint8_t *nonce, size_t nonce_bytes)
{
    return threegpp_excess(nonce, nonce_bytes) == 0;
}

/* The `check_nonce` of all rows. */
int ciphermark_check_threegpp_nonce(const row *self, const uint8_t *nonce, size_t nonce_bytes);

/* Reads BEARER (5 bits), DIRECTION (1 bit) and 26 zeros. CIPHERMARK_BAD_NONCE, or done. */
static inline int bearer_word(const message *m, uint32_t *word)
{
    *word = (uint32_t)m->nonce[4] << 27 | (uint32_t)m->nonce[5] << 26;
    return has_threegpp_numbers(m->nonce, BEARER_NONCE_BYTES) ? CIPHERMARK_DONE
                                                              : CIPHERMARK_BAD_NONCE;
}

/* Writes COUNT and the word above. CIPHERMARK_BAD_NONCE, or done. */
static inline int bearer_block(const message *m, uint8_t block[8])
{
    uint32_t word;
    const int status = bearer_word(m, &word);
    memcpy(block, m->nonce, 4);
    store_be32(block + 4, word);
    return status;
}

/* Reads the DIRECTION of a nonce with FRESH. CIPHERMARK_BAD_NONCE, or done. */
static inline int fresh_direction(const message *m, uint8_t *direction)
{
    *direction = m->nonce[8];
    return has_threegpp_numbers(m->nonce, FRESH_NONCE_BYTES) ? CIPHERMARK_DONE
                                                             : CIPHERMARK_BAD_NONCE;
}

static inline uint64_t message_bits(const message *m)
{
    return (uint64_t)m->input_bytes * 8 - m->unused_bits;
}

/* The byte without that many of its low bits. */
static inline uint8_t without_bits(uint8_t byte, unsigned bits)
{
    return (uint8_t)(byte & 0xffu << bits);
}

/* Copies so many of the last bytes of the input, without bits that are no part of the message. */
static inline void message_end(uint8_t *end, const message *m, size_t bytes)
{
    memcpy(end, m->input + m->input_bytes - bytes, bytes);
    if (bytes > 0)
        end[bytes - 1] = without_bits(end[bytes - 1], m->unused_bits);
}

/* For ciphers, once they have written the output. */
static inline void clear_unused_bits(const message *m)
{
    uint8_t *last = m->output + m->output_bytes - 1;
    *last = without_bits(*last, m->unused_bits);
}

#define BEARER_CIPHER_ROW(name, does, parameters_, context, set_key_, process_, most_bytes, \
                          timing_, backend_) \
    {.algorithm = name, .operation = does, .timing = timing_, .key_bytes = {16, 16}, \
     .nonce_bytes = {BEARER_NONCE_BYTES, BEARER_NONCE_BYTES}, .lanes = 1, \
     .context_bytes = context, .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(parameters_), .set_key = set_key_, .process = process_, .backend = backend_, \
     .input_bytes = {1, most_bytes}, .block_bytes = 1, .counts_bits = 1, \
     .check_nonce = ciphermark_check_threegpp_nonce}

/* Both rows of a cipher: what is added to the text does not depend on it. */
#define BEARER_CIPHER_ROWS(name, parameters_, context, set_key_, process_, most_bytes, timing_, \
                           backend_) \
    BEARER_CIPHER_ROW(name, ENCRYPT, parameters_, context, set_key_, process_, most_bytes, \
                      timing_, backend_), \
    BEARER_CIPHER_ROW(name, DECRYPT, parameters_, context, set_key_, process_, most_bytes, \
                      timing_, backend_)

#define THREEGPP_MAC_ROW(name, nonce, parameters_, context, set_key_, process_, most_bytes, \
                         timing_, backend_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {16, 16}, \
     .nonce_bytes = {nonce, nonce}, .tag_bytes = THREEGPP_TAG_BYTES, .lanes = 1, \
     .context_bytes = context, .context_alignment = CONTEXT_ALIGNMENT, \
     .parameters = &(parameters_), .set_key = set_key_, .process = process_, .backend = backend_, \
     .input_bytes = {1, most_bytes}, .block_bytes = 1, .counts_bits = 1, \
     .check_nonce = ciphermark_check_threegpp_nonce}

#endif
