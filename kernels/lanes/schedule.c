#include "schedule.h"

#define DIGITS 256
#define LONGEST 0xffff

struct lane_batch ciphermark_lane_batch(void *const *contexts, const message *messages,
                                        size_t count)
{
    const struct lane_batch batch = {contexts, messages, count, contexts[0]};
    size_t i;
    for (i = 1; i < count; i++) {
        if (contexts[i] != contexts[0]) {
            const struct lane_batch of_many = {contexts, messages, count, NULL};
            return of_many;
        }
    }
    return batch;
}

/* What a message is sorted by first: those that are longer than all of the standards' are equal. */
static uint32_t rank(const message *m)
{
    return LONGEST - (uint32_t)(m->input_bytes < LONGEST ? m->input_bytes : LONGEST);
}

/* One pass of a radix sort, by eight bits from `shift` on. */
static void sort_by_digit(uint32_t *sorted, const uint32_t *entries, size_t count, unsigned shift)
{
    uint16_t first[DIGITS] = {0};
    uint16_t at = 0, these;
    size_t i;
    for (i = 0; i < count; i++)
        first[entries[i] >> shift & (DIGITS - 1)]++;
    for (i = 0; i < DIGITS; i++) {
        these = first[i];
        first[i] = at;
        at = (uint16_t)(at + these);
    }
    for (i = 0; i < count; i++)
        sorted[first[entries[i] >> shift & (DIGITS - 1)]++] = entries[i];
}

/* Sorts those of the least rank, which stand before all others; there are hardly ever any. */
static void order_longest(uint16_t *order, const message *messages, size_t count)
{
    size_t i, at;
    for (i = 1; i < count && messages[order[i]].input_bytes >= LONGEST; i++) {
        const uint16_t index = order[i];
        const size_t bytes = messages[index].input_bytes;
        for (at = i; at > 0 && messages[order[at - 1]].input_bytes < bytes; at--)
            order[at] = order[at - 1];
        order[at] = index;
    }
}

void ciphermark_order_lanes(uint16_t *order, const message *messages, size_t count)
{
    /* Ranks, and under them the indices. */
    uint32_t entries[CIPHERMARK_MOST_LANES], sorted[CIPHERMARK_MOST_LANES];
    size_t i;
    if (count == 0)
        return;
    for (i = 0; i < count; i++)
        entries[i] = rank(&messages[i]) << 16 | (uint32_t)i;
    sort_by_digit(sorted, entries, count, 16);
    sort_by_digit(entries, sorted, count, 24);
    for (i = 0; i < count; i++)
        order[i] = (uint16_t)entries[i];
    order_longest(order, messages, count);
}

/* Gives a group its packets; how many. */
static unsigned fill(struct lane_group *group, const struct lane_kernel *kernel,
                     const struct lane_batch *batch, const uint16_t *members, size_t left)
{
    group->batch = batch;
    group->members = members;
    group->count = left < kernel->width ? (unsigned)left : kernel->width;
    group->done = 0;
    group->steps = kernel->steps(&batch->messages[members[0]]);
    return group->count;
}

/* Moves groups that have done all their steps behind the others; how many go on. */
static unsigned part(struct lane_group **groups, unsigned active)
{
    unsigned i = 0;
    while (i < active) {
        struct lane_group *group = groups[i];
        if (group->done < group->steps) {
            i++;
            continue;
        }
        groups[i] = groups[--active];
        groups[active] = group;
    }
    return active;
}

/* How many groups are to step together: four are two and two, not three and one that waits alone. */
static unsigned together(const struct lane_kernel *kernel, size_t count)
{
    const size_t groups = (count + kernel->width - 1) / kernel->width;
    const size_t times = (groups + kernel->most_groups - 1) / kernel->most_groups;
    return times == 0 ? 0 : (unsigned)((groups + times - 1) / times);
}

void ciphermark_run_lanes(const struct lane_kernel *kernel, const struct lane_batch *batch,
                          const uint16_t *order, size_t count, struct lane_group **groups)
{
    const unsigned most = together(kernel, count);
    size_t next = 0;
    unsigned active = 0, before, i;
    while (active > 0 || next < count) {
        before = active;
        while (active < most && next < count)
            next += fill(groups[active++], kernel, batch, order + next, count - next);
        if (active > before)
            kernel->start(groups + before, active - before);
        kernel->step(groups, active);
        for (i = 0; i < active; i++)
            groups[i]->done++;
        before = active;
        active = part(groups, active);
        if (before > active && kernel->finish != NULL)
            kernel->finish(groups + active, before - active);
    }
    for (i = 0; i < most; i++)
        wipe(groups[i], kernel->state_bytes);
}
