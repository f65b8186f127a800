/*
 * A process, as in linux/, that also says how deep each call goes into its stack: it runs on a stack
 * of its own, which is painted before a call and looked at after it. What it writes to its standard
 * error is what runners write (python/ciphermark/run/targets/intervals.py).
 *
 * Calls that go less than UNPAINTED bytes below the frame of mark_begin count as equally deep.
 */
#define _POSIX_C_SOURCE 200809L /* pthread_attr_setstack */

#define main run_on_the_stack_of_the_process
#include "../linux/hal.c"
#undef main

#include "marks.h"

#include <pthread.h>

#define STACK_BYTES ((size_t)1 << 20)
#define UNPAINTED 32 /* for what mark_begin itself may keep below its frame */
#define PAINT 0xa5

static uint8_t stack[STACK_BYTES] __attribute__((aligned(64)));
static volatile uint8_t *frame; /* of the last mark_begin */
static int status;

/* Nothing is called here, and all is volatile: what lies below this frame is nobody's. */
KEPT_APART void mark_begin(void)
{
    volatile uint8_t *at;
    frame = __builtin_frame_address(0);
    for (at = stack; at < frame - UNPAINTED; at++)
        *at = PAINT;
}

KEPT_APART void mark_end(void)
{
    static unsigned number;
    volatile uint8_t *at = stack;
    while (at < frame && *at == PAINT)
        at++;
    fprintf(stderr, "interval %u instructions - cycles - loads - stores - stack %lu\n", number++,
            (unsigned long)(frame - at));
}

static void *run(void *unused)
{
    (void)unused;
    status = firmware();
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, stack, sizeof stack) != 0 ||
        pthread_create(&thread, &attributes, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 100;
    return status;
}
