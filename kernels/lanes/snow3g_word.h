/* Words of 32 bits of as many packets as a vector has bytes, for snow3g_lanes.h. */
#ifndef CIPHERMARK_SNOW3G_WORD_H
#define CIPHERMARK_SNOW3G_WORD_H

/* A vector for each byte, the most significant first. */
typedef struct {
    vector byte[4];
} word;

static inline word xor_words(word a, word b)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        a.byte[i] = xor2(a.byte[i], b.byte[i]);
    return a;
}

static inline word xor_three_words(word a, word b, word c)
{
    unsigned i;
    for (i = 0; i < 4; i++)
        a.byte[i] = xor3(a.byte[i], b.byte[i], c.byte[i]);
    return a;
}

#endif
