/*
 * The padding of hashes with blocks of 16 big-endian words (FIPS 180-4, section 5.1.1): zeros follow
 * the packet up to a word, then come a one bit, zeros, and the length in bits.
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

/* A word of the block that a digest of so many words makes after one block. */
uint padded_digest_word(uint digest, uint number, uint digest_words)
{
    if (number < digest_words)
        return digest;
    if (number == digest_words)
        return 0x80000000u;
    return number == BLOCK_WORDS - 1 ? 32 * (BLOCK_WORDS + digest_words) : 0;
}
