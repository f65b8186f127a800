/*
 * Hashes with blocks of 16 big-endian words and a state of STATE_WORDS, and HMAC of them (RFC 2104).
 * The padding (FIPS 180-4, section 5.1.1): zeros follow the packet up to a word, then come a one bit,
 * zeros, and the length in bits. One work item takes a packet, whose blocks depend on each other.
 */

#define BLOCK_WORDS 16

/* Words of a padded packet of so many bytes. */
uint padded_words(uint bytes)
{
    return (bytes + 9 + 63) / 64 * BLOCK_WORDS;
}

/* A word of the padded packet, which has so many words; whole blocks were hashed before it. */
uint padded_word(global const uint *from, uint bytes, uint number, uint words, uint blocks_before)
{
    const uint at = 4 * number, all = bytes + 64 * blocks_before;
    uint word = at < bytes ? swapped(from[number]) : 0;
    if (number == bytes / 4)
        word |= 0x80000000u >> 8 * (bytes % 4);
    if (number == words - 2)
        word = all >> 29;
    return number == words - 1 ? all << 3 : word;
}

/* A word of the block that a digest makes after one block. */
uint padded_digest_word(const uint *digest, uint number)
{
    if (number < STATE_WORDS)
        return digest[number];
    if (number == STATE_WORDS)
        return 0x80000000u;
    return number == BLOCK_WORDS - 1 ? 32 * (BLOCK_WORDS + STATE_WORDS) : 0;
}

/* Takes a block into the state; it may write over the block. The hash's own file has it. */
void compress(uint state[STATE_WORDS], uint w[BLOCK_WORDS]);

/* All blocks of the packet, after so many whole ones of which the state is. */
void hashed(uint state[STATE_WORDS], global const uint *from, uint bytes, uint blocks_before)
{
    const uint words = padded_words(bytes);
    for (uint at = 0; at < words; at += BLOCK_WORDS) {
        uint w[BLOCK_WORDS];
        for (uint i = 0; i < BLOCK_WORDS; i++)
            w[i] = padded_word(from, bytes, at + i, words, blocks_before);
        compress(state, w);
    }
}

/* A schedule is the states after the block of the inner and after that of the outer key. */
kernel void hmac(global const uint *input, global const uint *keys, global uint *output,
                 uint packets, uint items)
{
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const uint *schedule = keys + 2 * STATE_WORDS * packet.key;
    uint inner[STATE_WORDS], outer[STATE_WORDS], w[BLOCK_WORDS];
    for (uint i = 0; i < STATE_WORDS; i++)
        inner[i] = schedule[i], outer[i] = schedule[STATE_WORDS + i];
    hashed(inner, input + packet.input, packet.bytes, 1);
    for (uint i = 0; i < BLOCK_WORDS; i++)
        w[i] = padded_digest_word(inner, i);
    compress(outer, w);
    for (uint i = 0; i < STATE_WORDS; i++)
        output[packet.output + i] = swapped(outer[i]);
}
