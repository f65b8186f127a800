/*
 * memcpy, memmove and memset of a target without a C library: by words where both ends are aligned,
 * else by bytes. Compiled with -fno-tree-loop-distribute-patterns, or they would become calls of
 * themselves.
 */
#include <stdint.h>
#include <string.h>

/* A word in memory of any type. */
typedef uintptr_t __attribute__((may_alias)) word;

static int is_aligned(const void *bytes)
{
    return (uintptr_t)bytes % sizeof(word) == 0;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    uint8_t *output = to;
    const uint8_t *input = from;
    if (is_aligned(to) && is_aligned(from)) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)(void *)output = *(const word *)(const void *)input;
            output += sizeof(word);
            input += sizeof(word);
        }
    }
    for (; bytes > 0; bytes--)
        *output++ = *input++;
    return to;
}

/* Forwards is right too where the ends overlap and `to` is the lower. */
void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *output = to;
    const uint8_t *input = from;
    if ((uintptr_t)to < (uintptr_t)from)
        return memcpy(to, from, bytes);
    while (bytes-- > 0)
        output[bytes] = input[bytes];
    return to;
}

void *memset(void *to, int byte, size_t bytes)
{
    const word all = (word)-1 / 0xff * (uint8_t)byte;
    uint8_t *output = to;
    if (is_aligned(to)) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)(void *)output = all;
            output += sizeof(word);
        }
    }
    for (; bytes > 0; bytes--)
        *output++ = (uint8_t)byte;
    return to;
}
