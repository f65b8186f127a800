/*
 * Constant tables, which stay in flash on processors that have it apart from their memory.
 *
 *     static const uint8_t SBOX[256] IN_FLASH = {...};
 *     y = flash8(&SBOX[x]);
 */
#ifndef CIPHERMARK_TABLE_H
#define CIPHERMARK_TABLE_H

#include <stdint.h>

#ifdef __AVR__

#include <avr/pgmspace.h>

#define IN_FLASH PROGMEM

static inline uint8_t flash8(const uint8_t *entry)
{
    return pgm_read_byte(entry);
}

static inline uint16_t flash16(const uint16_t *entry)
{
    return pgm_read_word(entry);
}

static inline uint32_t flash32(const uint32_t *entry)
{
    return pgm_read_dword(entry);
}

static inline uint64_t flash64(const uint64_t *entry)
{
    const uint32_t *halves = (const uint32_t *)entry;
    return (uint64_t)flash32(halves + 1) << 32 | flash32(halves);
}

#else

#define IN_FLASH

static inline uint8_t flash8(const uint8_t *entry)
{
    return *entry;
}

static inline uint16_t flash16(const uint16_t *entry)
{
    return *entry;
}

static inline uint32_t flash32(const uint32_t *entry)
{
    return *entry;
}

static inline uint64_t flash64(const uint64_t *entry)
{
    return *entry;
}

#endif

#endif
