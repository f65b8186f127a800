/*
 * Words of KASUMI (3GPP TS 35.202) of many packets, and the words of their keys. To be included by a
 * file that has a vector header.
 */
#ifndef CIPHERMARK_KASUMI_WORDS_H
#define CIPHERMARK_KASUMI_WORDS_H

#include "kasumi.h"
#include "kasumi_step.h"

#define KEY_BYTES 16
#define KEY_WORDS 8

/* 16 bits of each packet. */
struct word {
    vector high, low;
};

/*
 * Of which all rounds take their keys (section 4.6): words of the key and rotations of them. The
 * rotations by 8 and 13 bits that the section has as well are two of these with their bytes
 * exchanged.
 */
struct key_word {
    struct word by1, by5, plain;
    struct word changed;     /* with its constant added */
    vector changed_for_step; /* upper byte of that, of which FI adds the lowest bit to the ninth */
};

struct lane_keys {
    struct key_word words[KEY_WORDS];
};

static inline struct word xor_words(struct word a, struct word b)
{
    const struct word sum = {xor2(a.high, b.high), xor2(a.low, b.low)};
    return sum;
}

static inline struct word exchanged(struct word x)
{
    const struct word word = {x.low, x.high};
    return word;
}

/* x ^ (y <<< 1) */
static inline struct word xor_rotated(struct word x, struct word y)
{
    const struct word word = {xor_doubled8(x.high, y.high, y.low),
                              xor_doubled8(x.low, y.low, y.high)};
    return word;
}

/* The word `number` places on, in a circle. */
static inline const struct key_word *key_word(const struct lane_keys *keys, unsigned number)
{
    return &keys->words[number % KEY_WORDS];
}

static inline struct word rotated(struct word x, int bits)
{
    const struct word word = {joined8(x.high, x.low, bits), joined8(x.low, x.high, bits)};
    return word;
}

/* The byte as FI's first step takes it: the lowest of its bits, which is the ninth, as the sign. */
static inline vector for_step(vector byte)
{
    return joined8(byte, byte, 7);
}

/* Section 4.6, table 1. */
static const uint16_t CONSTANTS[KEY_WORDS] = {
    0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};

/* Section 4.6, of the bytes of keys. */
static void set_lane_keys(struct lane_keys *keys, const vector bytes[KEY_BYTES])
{
    unsigned i;
    for (i = 0; i < KEY_WORDS; i++) {
        struct key_word *it = &keys->words[i];
        const struct word word = {bytes[2 * i], bytes[2 * i + 1]};
        const struct word constant = {all8((uint8_t)(CONSTANTS[i] >> 8)),
                                      all8((uint8_t)CONSTANTS[i])};
        it->plain = word;
        it->by1 = rotated(word, 1);
        it->by5 = rotated(word, 5);
        it->changed = xor_words(word, constant);
        it->changed_for_step = for_step(it->changed.high);
    }
}

/* The same key for all packets, with `modifier` added to each byte. */
static inline void load_one_key(struct lane_keys *keys, const uint8_t *key, uint8_t modifier)
{
    vector bytes[KEY_BYTES];
    unsigned i;
    for (i = 0; i < KEY_BYTES; i++)
        bytes[i] = all8(key[i] ^ modifier);
    set_lane_keys(keys, bytes);
}

/*
 * Adds a byte to every byte of the keys: 0x55 or 0xaa, each of which an odd number of places makes
 * of the other.
 */
static void modify_lane_keys(struct lane_keys *modified, const struct lane_keys *keys, uint8_t byte)
{
    const vector even = all8(byte), odd = all8((uint8_t)~byte);
    const struct word even_word = {even, even}, odd_word = {odd, odd};
    unsigned i;
    for (i = 0; i < KEY_WORDS; i++) {
        const struct key_word *from = &keys->words[i];
        struct key_word *it = &modified->words[i];
        it->plain = xor_words(from->plain, even_word);
        it->by1 = xor_words(from->by1, odd_word);
        it->by5 = xor_words(from->by5, odd_word);
        it->changed = xor_words(from->changed, even_word);
        it->changed_for_step = xor2(from->changed_for_step, odd);
    }
}

#endif
