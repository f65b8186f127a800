/*
 * f8 (UEA1) and f9 (UIA1) of 3GPP TS 35.201 over many packets, by the blocks of byte_blocks.h or
 * plane_blocks.h, one of which the including file has before it. A context is the key and nothing else: the keys of rounds
 * are computed for 16 to 64 packets at once when a group begins.
 */
#ifndef CIPHERMARK_F8F9_LANES_H
#define CIPHERMARK_F8F9_LANES_H

#include "f8f9.h"
#include "f8_lanes.h"
#include "f9_lanes.h"

static int set_lane_key(const row *self, void *context, const uint8_t *key, size_t key_bytes)
{
    (void)self;
    memcpy(context, key, key_bytes);
    return CIPHERMARK_DONE;
}

#define F8_LANES_ROW(does, backend_) \
    LANES_ROW("uea1", does, BEARER_NONCE_BYTES, 0, NULL, KEY_BYTES, set_lane_key, encrypt_one, \
              encrypt_lanes, F8F9_MOST_BYTES, backend_)

#define F8F9_LANES_ROWS(backend_) \
    F8_LANES_ROW(ENCRYPT, backend_), F8_LANES_ROW(DECRYPT, backend_), \
    LANES_ROW("uia1", MAC, FRESH_NONCE_BYTES, THREEGPP_TAG_BYTES, NULL, KEY_BYTES, set_lane_key, \
              f9_one, f9_lanes, F8F9_MOST_BYTES, backend_)

#endif
