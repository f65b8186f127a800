/*
 * f8 (UEA1) and f9 (UIA1) of 3GPP TS 35.201: a stream cipher and a MAC of a cipher with keys of 128
 * bits and blocks of 64.
 */
#ifndef CIPHERMARK_F8F9_H
#define CIPHERMARK_F8F9_H

#include "block_cipher.h"
#include "threegpp.h"

/* 20,000 bits (section 3.2). The standard leaves f9 open; implementations hold it to the same. */
#define F8F9_MOST_BYTES 2500

#define F8F9_BLOCK_BITS 64

/* What each byte of the key is modified by (sections 3.4 and 4.4). */
#define F8_MODIFIER 0x55
#define F9_MODIFIER 0xaa

/* Bits are counted from the most significant of the first byte; the bit was 0. */
static inline void put_bit(uint8_t *bytes, unsigned at, unsigned bit)
{
    bytes[at / 8] = (uint8_t)(bytes[at / 8] | bit << (7 - at % 8));
}

/*
 * The end of f9's padded string (section 4.4): so many of the last bits of the message, which begin
 * a byte, DIRECTION, a one, and the zeros that `end` has already.
 */
static inline void padded_end(uint8_t *end, const message *m, unsigned bits, uint8_t direction)
{
    message_end(end, m, (bits + 7) / 8);
    put_bit(end, bits, direction);
    put_bit(end, bits + 1, 1);
}

/* Blocks of that end. */
static inline unsigned padded_blocks(unsigned bits)
{
    return (bits + 2 + F8F9_BLOCK_BITS - 1) / F8F9_BLOCK_BITS;
}

/*
 * The functions of rows whose parameters are a `struct block_cipher`. The context is two schedules:
 * of the key, and of the modified key.
 */
int ciphermark_f8_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_f8(const row *self, void *context, const message *m);
int ciphermark_f9_set_key(const row *self, void *context, const uint8_t *key, size_t key_bytes);
int ciphermark_f9(const row *self, void *context, const message *m);

/* Three rows of a cipher with schedules of `schedule` bytes. */
#define F8F9_ROWS(cipher_name, integrity_name, cipher, schedule, timing_, backend_) \
    BEARER_CIPHER_ROWS(cipher_name, cipher, 2 * (schedule), ciphermark_f8_set_key, ciphermark_f8, \
                       F8F9_MOST_BYTES, timing_, backend_), \
    THREEGPP_MAC_ROW(integrity_name, FRESH_NONCE_BYTES, cipher, 2 * (schedule), \
                     ciphermark_f9_set_key, ciphermark_f9, F8F9_MOST_BYTES, timing_, backend_)

#endif
