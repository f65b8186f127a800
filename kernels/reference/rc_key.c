/*
 * The key expansion of RC5 (Rivest, The RC5 Encryption Algorithm, 1994, section 4.3), which is that
 * of RC6 too (Rivest, Robshaw, Sidney, Yin, The RC6 Block Cipher, 1998, section 2.1).
 */
#include "rc_key.h"

#include <string.h>

#include "words.h"

/* The odd integers nearest to (e - 2) · 2^32 and (φ - 1) · 2^32. */
#define P 0xb7e15163
#define Q 0x9e3779b9

/* The key in words L[0] to L[c - 1], zeros after its last byte. Returns c. */
static unsigned load_key(uint32_t L[RC_MOST_KEY_BYTES / 4], const uint8_t *key, size_t key_bytes)
{
    uint8_t padded[RC_MOST_KEY_BYTES] = {0};
    const unsigned c = (unsigned)((key_bytes + 3) / 4);
    unsigned i;
    memcpy(padded, key, key_bytes);
    for (i = 0; i < c; i++)
        L[i] = load_le32(padded + 4 * i);
    return c;
}

void ciphermark_rc_expand_key(uint32_t *S, unsigned t, const uint8_t *key, size_t key_bytes)
{
    uint32_t L[RC_MOST_KEY_BYTES / 4], A = 0, B = 0;
    const unsigned c = load_key(L, key, key_bytes);
    unsigned i, j, step;
    S[0] = P;
    for (i = 1; i < t; i++)
        S[i] = S[i - 1] + Q;
    i = j = 0;
    for (step = 3 * (t > c ? t : c); step > 0; step--) {
        A = S[i] = rotate_left32(S[i] + A + B, 3);
        B = L[j] = rotate_left32(L[j] + A + B, (unsigned)((A + B) & 31));
        i = i + 1 < t ? i + 1 : 0;
        j = j + 1 < c ? j + 1 : 0;
    }
}
