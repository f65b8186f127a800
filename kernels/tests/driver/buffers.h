/* Places for messages, so that who reads or writes beside them is noticed. */
#ifndef CIPHERMARK_BUFFERS_H
#define CIPHERMARK_BUFFERS_H

#include <stdlib.h>
#include <string.h>

#include "random.h"

/* Of memory, that which caches hold together; vectors are no longer. */
#define LINE_BYTES 64
#define CANARY 0xa5
#define CANARY_BYTES 64

static inline size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Bytes at any place, which end where the room does unless there is something behind them. */
struct buffer {
    uint8_t *room;
    uint8_t *bytes;
    size_t before, size, behind;
};

static inline struct buffer allocated(size_t before, size_t size, size_t behind)
{
    struct buffer it = {NULL, NULL, before, size, behind};
    void *room;
    if (posix_memalign(&room, LINE_BYTES, before + size + behind) != 0)
        abort();
    it.room = room;
    it.bytes = it.room + before;
    return it;
}

/* For bytes that are only read, at a place in a line, so that a sanitizer sees who reads behind. */
static inline struct buffer copied_to(size_t place, const uint8_t *bytes, size_t size)
{
    const struct buffer it = allocated(place, size, 0);
    memcpy(it.bytes, bytes, size);
    return it;
}

static inline struct buffer copied(const uint8_t *bytes, size_t size)
{
    return copied_to(random_below(LINE_BYTES), bytes, size);
}

/* For bytes that are written, with canaries on both sides. */
static inline struct buffer guarded(size_t size)
{
    const struct buffer it = allocated(CANARY_BYTES + random_below(LINE_BYTES), size, CANARY_BYTES);
    memset(it.room, CANARY, it.before + it.size + it.behind);
    return it;
}

static inline int is_canary(const uint8_t *bytes, size_t count)
{
    for (; count > 0; count--) {
        if (*bytes++ != CANARY)
            return 0;
    }
    return 1;
}

static inline int is_guard_whole(const struct buffer *it)
{
    return is_canary(it->room, it->before) && is_canary(it->bytes + it->size, it->behind);
}

#endif
