/*
 * CBC-MAC of whole blocks (ISO/IEC 9797-1, MAC algorithm 1, neither padded nor truncated): the last
 * block that cipher block chaining from zeros gives. Secure for messages of one length only.
 */
#ifndef CIPHERMARK_CBC_MAC_H
#define CIPHERMARK_CBC_MAC_H

#include "ecb.h"

/* Brings whole blocks into a chaining value. */
void ciphermark_cbc_mac_absorb(const struct block_cipher *cipher, const void *schedule,
                               uint8_t *chain, const uint8_t *input, size_t bytes);

/* Functions of rows whose parameters are a `struct block_cipher`; the context is its schedule. */
int ciphermark_cbc_mac(const row *self, void *context, const message *m);
int ciphermark_cbc_mac_chunks(const row *self, void *context, const message *m,
                              size_t chunk_bytes);

/* The row of a cipher with keys of `key` bytes, blocks of `block` and schedules of `schedule`. */
#define CBC_MAC_ROW(name, key, block, cipher, schedule, timing_, backend_) \
    {.algorithm = name, .operation = MAC, .timing = timing_, .key_bytes = {key, key}, \
     .tag_bytes = block, .lanes = 1, .context_bytes = schedule, \
     .context_alignment = CONTEXT_ALIGNMENT, .parameters = &(cipher), \
     .set_key = ciphermark_ecb_set_encrypt_key, .process = ciphermark_cbc_mac, \
     .backend = backend_, .process_chunks = ciphermark_cbc_mac_chunks, \
     .input_bytes = {block, SIZE_MAX}, .block_bytes = block, .takes_repeats = 1}

#endif
