/*
 * HMAC (RFC 2104) of SHA-1 (FIPS 180-4). One work item takes a packet, whose blocks depend on each
 * other.
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

/* A schedule is the states after the block of the inner and after that of the outer key. */
kernel void hmac(global const uint *input, global const uint *keys, global uint *output,
                 uint packets, uint items)
{
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const uint *schedule = keys + 10 * packet.key;
    uint inner[5], outer[5];
    for (uint i = 0; i < 5; i++)
        inner[i] = schedule[i], outer[i] = schedule[5 + i];
    const uint words = padded_words(packet.bytes);
    uint w[BLOCK_WORDS];
    for (uint at = 0; at < words; at += BLOCK_WORDS) {
        for (uint i = 0; i < BLOCK_WORDS; i++)
            w[i] = padded_word(input + packet.input, packet.bytes, at + i, words, 1);
        compress(inner, w);
    }
    for (uint i = 0; i < BLOCK_WORDS; i++)
        w[i] = padded_digest_word(i < 5 ? inner[i] : 0, i, 5);
    compress(outer, w);
    for (uint i = 0; i < 5; i++)
        output[packet.output + i] = swapped(outer[i]);
}
