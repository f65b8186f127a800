/*
 * SHA-256 (FIPS 180-4), with the constants K of reference/sha256.h.
 */

/* Section 4.1.2. */
uint big_sigma0(uint x) { return rotate(x, 30u) ^ rotate(x, 19u) ^ rotate(x, 10u); }
uint big_sigma1(uint x) { return rotate(x, 26u) ^ rotate(x, 21u) ^ rotate(x, 7u); }
uint sigma0(uint x) { return rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3; }
uint sigma1(uint x) { return rotate(x, 15u) ^ rotate(x, 13u) ^ x >> 10; }

/* Section 6.2.2, with the message schedule in a ring of its last 16 words. */
void compress(uint state[8], uint w[BLOCK_WORDS])
{
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];
    for (uint t = 0; t < 64; t++) {
        if (t >= BLOCK_WORDS)
            w[t % 16] += sigma1(w[(t - 2) % 16]) + w[(t - 7) % 16] + sigma0(w[(t - 15) % 16]);
        const uint t1 = h + big_sigma1(e) + bitselect(g, f, e) + K[t] + w[t % 16];
        const uint t2 = big_sigma0(a) + bitselect(a, b, c ^ a);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

kernel void digest(global const uint *input, global const uint *keys, global uint *output,
                   uint packets, uint items)
{
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    /* Section 5.3.3. */
    uint state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    hashed(state, input + packet.input, packet.bytes, 0);
    for (uint i = 0; i < 8; i++)
        output[packet.output + i] = swapped(state[i]);
}
