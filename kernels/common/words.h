/*
 * Words in the order of bytes that a specification says, whatever the processor's own order,
 * alignment and width of int.
 */
#ifndef CIPHERMARK_WORDS_H
#define CIPHERMARK_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Where a word may begin at any byte. Of processors that want it aligned, compilers for ARM copy a
 * word of unknown alignment by a call of memcpy.
 */
#if defined(__arm__) && !defined(__ARM_FEATURE_UNALIGNED)
#define HAS_UNALIGNED_WORDS 0
#else
#define HAS_UNALIGNED_WORDS 1
#endif

/* The processor's own order, where its compiler says: a word in it is one load. */
#if HAS_UNALIGNED_WORDS && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE_ENDIAN 1
#else
#define IS_LITTLE_ENDIAN 0
#endif
#if HAS_UNALIGNED_WORDS && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define IS_BIG_ENDIAN 1
#else
#define IS_BIG_ENDIAN 0
#endif

static inline uint16_t load_le16(const uint8_t *bytes)
{
    uint16_t word;
    if (IS_LITTLE_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8);
    return word;
}

static inline uint16_t load_be16(const uint8_t *bytes)
{
    uint16_t word;
    if (IS_BIG_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint16_t)((uint16_t)bytes[0] << 8 | bytes[1]);
    return word;
}

static inline uint32_t load_le32(const uint8_t *bytes)
{
    uint32_t word;
    if (IS_LITTLE_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
               bytes[0];
    return word;
}

static inline uint32_t load_be32(const uint8_t *bytes)
{
    uint32_t word;
    if (IS_BIG_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
               bytes[3];
    return word;
}

static inline uint64_t load_le64(const uint8_t *bytes)
{
    uint64_t word;
    if (IS_LITTLE_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint64_t)load_le32(bytes + 4) << 32 | load_le32(bytes);
    return word;
}

static inline uint64_t load_be64(const uint8_t *bytes)
{
    uint64_t word;
    if (IS_BIG_ENDIAN)
        memcpy(&word, bytes, sizeof word);
    else
        word = (uint64_t)load_be32(bytes) << 32 | load_be32(bytes + 4);
    return word;
}

static inline void store_le16(uint8_t *bytes, uint16_t word)
{
    if (IS_LITTLE_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
}

static inline void store_be16(uint8_t *bytes, uint16_t word)
{
    if (IS_BIG_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    bytes[0] = (uint8_t)(word >> 8);
    bytes[1] = (uint8_t)word;
}

static inline void store_le32(uint8_t *bytes, uint32_t word)
{
    if (IS_LITTLE_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    store_le16(bytes, (uint16_t)word);
    store_le16(bytes + 2, (uint16_t)(word >> 16));
}

static inline void store_be32(uint8_t *bytes, uint32_t word)
{
    if (IS_BIG_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    store_be16(bytes, (uint16_t)(word >> 16));
    store_be16(bytes + 2, (uint16_t)word);
}

static inline void store_le64(uint8_t *bytes, uint64_t word)
{
    if (IS_LITTLE_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    store_le32(bytes, (uint32_t)word);
    store_le32(bytes + 4, (uint32_t)(word >> 32));
}

static inline void store_be64(uint8_t *bytes, uint64_t word)
{
    if (IS_BIG_ENDIAN) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    store_be32(bytes, (uint32_t)(word >> 32));
    store_be32(bytes + 4, (uint32_t)word);
}

/* Rotations by 0 to the width less one. */
static inline uint8_t rotate_left8(uint8_t word, unsigned bits)
{
    return (uint8_t)((unsigned)word << bits | (unsigned)word >> ((8 - bits) & 7));
}

static inline uint8_t rotate_right8(uint8_t word, unsigned bits)
{
    return rotate_left8(word, (8 - bits) & 7);
}

static inline uint16_t rotate_left16(uint16_t word, unsigned bits)
{
    return (uint16_t)((uint32_t)word << bits | (uint32_t)word >> ((16 - bits) & 15));
}

#ifdef ROTATE_BY_BYTES

/*
 * For processors that shift a byte by one bit at a time. Compilers make two loops of the two shifts
 * of a rotation, which go over 32 bits together. Here a word is rotated by the nearest number of
 * whole bytes, which only moves registers, and then by the four single bits at most that are left,
 * towards either side.
 */
static inline uint32_t rotate_left32(uint32_t word, unsigned bits)
{
    const uint8_t above = (uint8_t)(bits + 4);
    uint8_t rest = above % 8;
    if (above & 8)
        word = word << 8 | word >> 24;
    if (above & 16)
        word = word << 16 | word >> 16;
    for (; rest > 4; rest--)
        word = word << 1 | word >> 31;
    for (; rest < 4; rest++)
        word = word >> 1 | word << 31;
    return word;
}

static inline uint32_t rotate_right32(uint32_t word, unsigned bits)
{
    return rotate_left32(word, (32 - bits) & 31);
}

#else

static inline uint32_t rotate_left32(uint32_t word, unsigned bits)
{
    return word << bits | word >> ((32 - bits) & 31);
}

static inline uint32_t rotate_right32(uint32_t word, unsigned bits)
{
    return word >> bits | word << ((32 - bits) & 31);
}

#endif

static inline uint64_t rotate_left64(uint64_t word, unsigned bits)
{
    return word << bits | word >> ((64 - bits) & 63);
}

static inline uint64_t rotate_right64(uint64_t word, unsigned bits)
{
    return word >> bits | word << ((64 - bits) & 63);
}

/* output = one ^ other; output may be either. By words, since modes spend their time here. */
static inline void xor_bytes(uint8_t *output, const uint8_t *one, const uint8_t *other,
                             size_t bytes)
{
    size_t i = 0, a, b;
    for (; HAS_UNALIGNED_WORDS && bytes - i >= sizeof a; i += sizeof a) {
        memcpy(&a, one + i, sizeof a);
        memcpy(&b, other + i, sizeof b);
        a ^= b;
        memcpy(output + i, &a, sizeof a);
    }
    for (; i < bytes; i++)
        output[i] = (uint8_t)(one[i] ^ other[i]);
}

/* 1 if both are the same, else 0, in a time that does not depend on where they differ. */
static inline int equal_bytes(const uint8_t *one, const uint8_t *other, size_t bytes)
{
    unsigned difference = 0;
    size_t i;
    for (i = 0; i < bytes; i++)
        difference |= (unsigned)(one[i] ^ other[i]);
    return (int)(((uint32_t)difference - 1) >> 31);
}

#endif
