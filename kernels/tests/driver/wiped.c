/*
 * Whether the states of groups are wiped when their packets are done: a kernel that fills its states with
 * a pattern stands for those of the library. Prints how many groups it had, or which byte was left.
 */
#include <stdio.h>

#include "schedule.h"

#define WIDTH 4
#define MOST_GROUPS 3
#define PACKETS 50

struct state {
    struct lane_group group;
    uint8_t secret[1000];
};

static unsigned started;

static size_t steps(const message *packet)
{
    return packet->input_bytes;
}

static void start(struct lane_group *const *groups, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        memset(((struct state *)groups[i])->secret, 0xa5, sizeof((struct state *)groups[i])->secret);
    started += count;
}

static void step(struct lane_group *const *groups, unsigned count)
{
    (void)groups;
    (void)count;
}

static const struct lane_kernel kernel = {WIDTH, MOST_GROUPS, steps, start, step, NULL,
                                          sizeof(struct state)};

int main(void)
{
    static struct state states[MOST_GROUPS];
    static message messages[PACKETS];
    void *contexts[PACKETS];
    struct lane_group *groups[MOST_GROUPS];
    uint16_t order[PACKETS];
    unsigned i, at;
    for (i = 0; i < PACKETS; i++) {
        messages[i].input_bytes = 1 + i * 7 % 5;
        contexts[i] = &messages[i];
    }
    for (i = 0; i < MOST_GROUPS; i++)
        groups[i] = &states[i].group;
    ciphermark_order_lanes(order, messages, PACKETS);
    const struct lane_batch batch = ciphermark_lane_batch(contexts, messages, PACKETS);
    ciphermark_run_lanes(&kernel, &batch, order, PACKETS, groups);
    for (i = 0; i < MOST_GROUPS; i++) {
        for (at = 0; at < sizeof states[i].secret; at++) {
            if (states[i].secret[at] != 0) {
                printf("byte %u of state %u is left\n", at, i);
                return 1;
            }
        }
    }
    printf("%u\n", started);
    return 0;
}
