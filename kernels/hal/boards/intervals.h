/*
 * The marks of a board, and the intervals between them. To be included where
 *
 *     struct reading { … };                          what the counter shows
 *     static inline struct reading read(void);
 *
 * are known; whoever includes it also says what lies between two readings:
 *
 *     static uint64_t cycles_between(const struct reading *from, const struct reading *to);
 */
#include "boards/board.h"
#include "marks.h"

static struct reading begun;
static struct interval {
    struct reading from, to;
} intervals[MOST_INTERVALS];
static uint8_t count;

static uint64_t cycles_between(const struct reading *from, const struct reading *to);

KEPT_APART void mark_begin(void)
{
    begun = read();
}

KEPT_APART void mark_end(void)
{
    const struct reading now = read();
    if (count < MOST_INTERVALS) {
        intervals[count].from = begun;
        intervals[count].to = now;
        count++;
    }
}

uint8_t board_intervals(uint64_t cycles[MOST_INTERVALS])
{
    const uint8_t found = count;
    uint8_t i;
    for (i = 0; i < found; i++)
        cycles[i] = cycles_between(&intervals[i].from, &intervals[i].to);
    count = 0;
    return found;
}
