/*
 * SHA-1 (FIPS 180-4).
 */

/* Section 6.1.2, with the message schedule in a ring of its last 16 words; functions and constants
 * of sections 4.1.1 and 4.2.1. */
void compress(uint state[5], uint w[BLOCK_WORDS])
{
    uint a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (uint t = 0; t < 80; t++) {
        if (t >= BLOCK_WORDS)
            w[t % 16] = rotate(w[(t - 3) % 16] ^ w[(t - 8) % 16] ^ w[(t - 14) % 16] ^ w[t % 16], 1u);
        uint f = b ^ c ^ d, k = t < 40 ? 0x6ed9eba1 : 0xca62c1d6;
        if (t < 20)
            f = bitselect(d, c, b), k = 0x5a827999;
        else if (t >= 40 && t < 60)
            f = bitselect(b, c, b ^ d), k = 0x8f1bbcdc;
        const uint next = rotate(a, 5u) + f + e + k + w[t % 16];
        e = d, d = c, c = rotate(b, 30u), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}
