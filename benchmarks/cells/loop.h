/*
 * A loop written by hand around one call of a library: what people write who want to know its cost,
 * with a clock that counts core cycles. A program is told the algorithm, the bytes of a message, and
 * one of four places for its contexts and its stack: how they lie to cache lines changes short messages.
 *
 * A sample is a batch of about 65 us with a chain of dependent additions before and behind it, each
 * of which takes one cycle: they tell the core's clock. Beside them stand four chains at once, which
 * take longer while another thread uses the core. Printed is the median, in cycles per message, of the
 * samples beside which the four took least, and how long they took there beside a single one: of a machine
 * with other work the quietest moments, if there were any.
 */
#ifndef LOOP_H
#define LOOP_H

#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 2001
#define QUIETEST 41
#define BATCH_NS 65e3
#define CHAIN 12800
#define LIKE_RATES 1.01
#define INTERRUPTED 1e9
#define UNUSED_BY_SOME __attribute__((unused))

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

#if defined(__x86_64__)
#define ADD(sum) "add " sum ", " sum "\n\t"
#else
#define ADD(sum) "add " sum ", " sum ", " sum "\n\t"
#endif
#define FOUR_TIMES(add) add add add add
#define ONE ADD("%0")
#define EACH ADD("%0") ADD("%1") ADD("%2") ADD("%3")

/* A look at the core. */
struct look {
    double rate;     /* its cycles per nanosecond */
    double crowding; /* time of four chains over that of one */
};

static struct look look(void)
{
    double start = now_ns(), one_ns, four_ns;
    uint64_t a = 1, b = 1, c = 1, d = 1;
    for (int i = 0; i < CHAIN / 16; i++)
        __asm__ volatile(FOUR_TIMES(FOUR_TIMES(ONE)) : "+r"(a));
    one_ns = now_ns() - start;
    start = now_ns();
    for (int i = 0; i < CHAIN / 16; i++)
        __asm__ volatile(FOUR_TIMES(FOUR_TIMES(EACH)) : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    four_ns = now_ns() - start;
    return (struct look){CHAIN / one_ns, four_ns / one_ns};
}

struct sample {
    double cycles; /* per message */
    double crowding;
};

static int less_crowded(const void *one, const void *other)
{
    double a = ((const struct sample *)one)->crowding, b = ((const struct sample *)other)->crowding;
    return (a > b) - (a < b);
}

static int cheaper(const void *one, const void *other)
{
    double a = ((const struct sample *)one)->cycles, b = ((const struct sample *)other)->cycles;
    return (a > b) - (a < b);
}

/* A message that a library refuses must not pass for a quick one. */
static UNUSED_BY_SOME void require(int good)
{
    if (!good) {
        fprintf(stderr, "the library refused a call\n");
        exit(1);
    }
}

static double batch_ns(void (*call)(void), long messages)
{
    double start = now_ns();
    for (long i = 0; i < messages; i++)
        call();
    return now_ns() - start;
}

static void write_nonces(void);

/* Prints the cycles that one call takes, and how crowded the core was. */
static void print_cost(void (*call)(void))
{
    static struct sample samples[SAMPLES];
    long messages = 1;
    write_nonces();
    while (batch_ns(call, messages) < BATCH_NS / 2)
        messages *= 2;
    for (int i = 0; i < SAMPLES; i++) {
        struct look before = look();
        double ns = batch_ns(call, messages);
        struct look after = look();
        samples[i].cycles = ns * (before.rate + after.rate) / 2 / messages;
        samples[i].crowding = before.crowding > after.crowding ? before.crowding : after.crowding;
        /* An interrupted chain seems slow beside four at once, and with it the core. */
        if (before.rate > LIKE_RATES * after.rate || after.rate > LIKE_RATES * before.rate)
            samples[i].crowding = INTERRUPTED;
    }
    qsort(samples, SAMPLES, sizeof samples[0], less_crowded);
    double crowding = samples[QUIETEST / 2].crowding;
    qsort(samples, QUIETEST, sizeof samples[0], cheaper);
    printf("%.3f %.3f\n", samples[QUIETEST / 2].cycles, crowding);
}

/* The buffers of all programs: keys, nonces and messages need not be secret. */
#define BUFFER __attribute__((unused, aligned(64))) static uint8_t
#define MOST_BYTES 16384
BUFFER key[64] = {1, 2, 3};
BUFFER message[MOST_BYTES + 64];
BUFFER output[MOST_BYTES + 64];
BUFFER tag[64];
static size_t bytes; /* of a message */

/*
 * Nonces grow by one a message, counted big-endian in their first eight bytes. They were written
 * long before they are read: a load that is wider than the store just before it waits for it, which
 * is no cost of the library.
 */
#define NONCES 64
BUFFER nonces[NONCES][16];
static UNUSED_BY_SOME const uint8_t *nonce = nonces[0];

static UNUSED_BY_SOME void next_nonce(void)
{
    static unsigned count;
    nonce = nonces[count++ % NONCES];
}

static void write_nonces(void)
{
    for (int i = 0; i < NONCES; i++)
        nonces[i][7] = (uint8_t)i;
}

static size_t place; /* 0 to 3, in steps of 16 bytes */

/* Zero bytes for a context, as many steps behind the beginning of a cache line. */
static UNUSED_BY_SOME void *context_of(size_t context_bytes)
{
    uint8_t *memory = aligned_alloc(64, (context_bytes + 127) / 64 * 64);
    memset(memory, 0, (context_bytes + 127) / 64 * 64);
    return memory + 16 * place;
}

/* What one algorithm of a library is timed by. */
struct cell {
    const char *algorithm;
    void (*prepare)(void); /* once: contexts and keys */
    void (*call)(void);    /* one message */
};

static int run(int argc, char **argv, const struct cell *cells, size_t count)
{
    volatile uint8_t *lowered;
    bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    place = argc == 4 ? strtoul(argv[3], NULL, 10) % 4 : 0;
    lowered = alloca(16 * place + 1);
    *lowered = 0;
    for (size_t i = 0; i < count && bytes > 0 && bytes <= MOST_BYTES; i++) {
        if (strcmp(cells[i].algorithm, argv[1]) == 0) {
            cells[i].prepare();
            print_cost(cells[i].call);
            return 0;
        }
    }
    fprintf(stderr, "name an algorithm of this program, 1 to %d bytes and a place from 0 to 3\n", MOST_BYTES);
    return 1;
}

#define PROGRAM(...) \
    int main(int argc, char **argv) \
    { \
        static const struct cell cells[] = {__VA_ARGS__}; \
        return run(argc, argv, cells, sizeof cells / sizeof cells[0]); \
    }

#endif
