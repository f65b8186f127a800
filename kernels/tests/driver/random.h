/* Random numbers, which are the same whenever a program is given the same seed. */
#ifndef CIPHERMARK_RANDOM_H
#define CIPHERMARK_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static uint64_t seed;
static uint64_t random_state;

/* What is drawn for a number and a stream of it does not depend on what was drawn before. */
static inline void begin_random(size_t number, unsigned stream)
{
    random_state = seed + ((uint64_t)number << 32) + stream;
}

/* Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, 2014. */
static inline uint64_t random_word(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline size_t random_below(size_t end)
{
    return (size_t)(random_word() % end);
}

/* Both included. */
static inline size_t random_in(size_t least, size_t most)
{
    return least + random_below(most - least + 1);
}

static inline void fill_random(uint8_t *bytes, size_t count)
{
    for (; count > 0; count--)
        *bytes++ = (uint8_t)random_word();
}

#endif
