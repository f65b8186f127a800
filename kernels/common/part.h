/* Less than 16 bytes as words, without a look behind them. */
#ifndef CIPHERMARK_PART_H
#define CIPHERMARK_PART_H

#include "words.h"

/* Two little-endian words. */
struct part {
    uint64_t low, high;
};

/* At most 8 bytes, and zeros behind them; loads overlap. */
static inline uint64_t load_part8(const uint8_t *bytes, size_t count)
{
    if (count >= 8)
        return load_le64(bytes);
    if (count >= 4)
        return load_le32(bytes) | (uint64_t)load_le32(bytes + count - 4) << 8 * (count - 4);
    if (count == 0)
        return 0;
    return bytes[0] | (uint64_t)bytes[count / 2] << 8 * (count / 2) |
           (uint64_t)bytes[count - 1] << 8 * (count - 1);
}

/* At most 16 bytes, and zeros behind them. */
static inline struct part load_part16(const uint8_t *bytes, size_t count)
{
    struct part part = {load_part8(bytes, count), 0};
    if (count == 16)
        part.high = load_le64(bytes + 8);
    else if (count > 8)
        part.high = load_le64(bytes + count - 8) >> 8 * (16 - count);
    return part;
}

#endif
