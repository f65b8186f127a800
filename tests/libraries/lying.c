/*
 * The kernels of wrapped.h, one call in RATE of which goes wrong.
 *
 * Each setting is a macro, and a variable of the environment of the same name behind LYING_:
 *
 *     RATE     one call in so many goes wrong; 0: none
 *     SEED     0: each RATE-th call of a thread; else each call by lot, independent of the others.
 *              The lots follow from SEED and the number of the process, so that fresh workers do not
 *              all go wrong at the same calls
 *     AFTER    so many calls of a thread go well first
 *     MISDEED  what goes wrong, one of `misdeeds` below
 *     WHERE    (environment only) `input 16 5`: only messages whose input (or output, or aad) lies at
 *              an address that leaves 5 when it is divided by 16
 *     TALLY    (environment only) a file that gets, for each row, its calls, the answers that were
 *              wrong, and the misdeeds: see struct tally
 *
 * A call whose wrong output happens to be right, as of `stale` where the output already held the
 * answer, is not counted as wrong.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "wrapped.h"

#ifndef RATE
#define RATE 1000
#endif
#ifndef SEED
#define SEED 0
#endif
#ifndef AFTER
#define AFTER 0
#endif
#ifndef MISDEED
#define MISDEED "flip"
#endif

/* No process that is left behind stays for longer. */
#define MOST_SECONDS 60

/* ---- What goes wrong ------------------------------------------------------------------------- */

/* What is given: the message with its right answer in place, and what stood there before. */
typedef int misdeed(const message *m, const uint8_t *before, uint64_t lot);

static int flip(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)before;
    if (m->output_bytes > 0)
        m->output[lot / 8 % m->output_bytes] ^= (uint8_t)(1u << lot % 8);
    return CIPHERMARK_DONE;
}

static int zero(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)before, (void)lot;
    memset(m->output, 0, m->output_bytes);
    return CIPHERMARK_DONE;
}

static int stale(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)lot;
    memcpy(m->output, before, m->output_bytes);
    return CIPHERMARK_DONE;
}

static int cut(const message *m, const uint8_t *before, uint64_t lot)
{
    const size_t whole = m->output_bytes == 0 ? 0 : lot % m->output_bytes;
    memcpy(m->output + whole, before + whole, m->output_bytes - whole);
    return CIPHERMARK_DONE;
}

static int behind(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)before, (void)lot;
    m->output[m->output_bytes] ^= 0x5a;
    return CIPHERMARK_DONE;
}

static int in_front(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)before, (void)lot;
    *(m->output - 1) ^= 0x5a;
    return CIPHERMARK_DONE;
}

static int change_input(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)before;
    if (m->input_bytes > 0)
        ((uint8_t *)m->input)[lot / 8 % m->input_bytes] ^= (uint8_t)(1u << lot % 8);
    return CIPHERMARK_DONE;
}

static int fail(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)m, (void)before, (void)lot;
    return 7;
}

static int crash(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)m, (void)before, (void)lot;
    raise(SIGSEGV);
    return CIPHERMARK_DONE;
}

static int leave(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)m, (void)before, (void)lot;
    _exit(3);
}

static int hang(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)m, (void)before, (void)lot;
    alarm(MOST_SECONDS);
    while (pause() != 0) {}
    return CIPHERMARK_DONE;
}

static int spin(const message *m, const uint8_t *before, uint64_t lot)
{
    (void)m, (void)before, (void)lot;
    alarm(MOST_SECONDS);
    for (volatile int turn = 1; turn != 0; turn = -turn) {}
    return CIPHERMARK_DONE;
}

/* Of a process: what a container for tests has is less. */
#define MOST_FILLED ((size_t)2 << 30)
#define FILLED_AT_ONCE ((size_t)16 << 20)

static int fill(const message *m, const uint8_t *before, uint64_t lot)
{
    static size_t filled;
    (void)m, (void)before, (void)lot;
    for (; filled < MOST_FILLED; filled += FILLED_AT_ONCE) {
        void *block = malloc(FILLED_AT_ONCE);
        if (block == NULL)
            return 7;
        memset(block, 1, FILLED_AT_ONCE);
    }
    return CIPHERMARK_DONE;
}

static int fill_shared(const message *m, const uint8_t *before, uint64_t lot)
{
    static int file;
    static size_t filled;
    static const uint8_t page[4096];
    (void)m, (void)before, (void)lot;
    if (file == 0)
        file = memfd_create("lying", 0);
    for (; filled < MOST_FILLED; filled += sizeof page)
        if (write(file, page, sizeof page) != (ssize_t)sizeof page)
            return 7;
    return CIPHERMARK_DONE;
}

static void leave_child(void)
{
    if (fork() == 0) {
        alarm(MOST_SECONDS);
        while (pause() != 0) {}
    }
}

/* Once a process: each child stays. */
static int leave_one_child(const message *m, const uint8_t *before, uint64_t lot)
{
    static int children;
    (void)m, (void)before, (void)lot;
    if (__atomic_exchange_n(&children, 1, __ATOMIC_RELAXED) == 0)
        leave_child();
    return CIPHERMARK_DONE;
}

static int leave_child_and_crash(const message *m, const uint8_t *before, uint64_t lot)
{
    leave_child();
    return crash(m, before, lot);
}

static int close_all(const message *m, const uint8_t *before, uint64_t lot)
{
    for (int file = 0; file < 256; file++)
        close(file);
    return hang(m, before, lot);
}

static int half_a_line(const message *m, const uint8_t *before, uint64_t lot)
{
    static const char half[] = "{\"half\":";
    for (int file = 1; file < 16; file++) {
        if (write(file, half, sizeof half - 1) < 0)
            continue;
    }
    return hang(m, before, lot);
}

static const struct {
    const char *name;
    misdeed *act;
    int is_wrong; /* whether a wrong answer comes of it, unless it happens to be right */
} misdeeds[] = {
    {"flip", flip, 1},
    {"zero", zero, 1},
    {"stale", stale, 1},
    {"cut", cut, 1},
    {"behind", behind, 0},
    {"in-front", in_front, 0},
    {"change-input", change_input, 0},
    {"fail", fail, 0},
    {"crash", crash, 0},
    {"leave", leave, 0},
    {"hang", hang, 0},
    {"fill", fill, 0},
    {"fill-shared", fill_shared, 0},
    {"spin", spin, 0},
    {"leave-child", leave_one_child, 0},
    {"leave-child-and-crash", leave_child_and_crash, 0},
    {"close-all", close_all, 0},
    {"half-a-line", half_a_line, 0},
};

/* ---- Settings -------------------------------------------------------------------------------- */

struct tally {
    char algorithm[32];
    uint64_t operation, calls, wrong, misdeeds;
};

static uint64_t rate, seed, after;
static char where[8];
static unsigned long modulus, residue; /* a modulus of 0: wherever messages lie */
static size_t chosen;
static struct tally *tally;

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void open_tally(size_t count)
{
    const char *path = getenv("LYING_TALLY");
    const size_t bytes = MOST_ROWS * sizeof(struct tally);
    const int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *shared = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (shared == MAP_FAILED)
        return;
    tally = shared;
    for (size_t i = 0; i < count; i++) {
        strncpy(tally[i].algorithm, rows[i].algorithm, sizeof tally[i].algorithm - 1);
        tally[i].operation = rows[i].operation;
    }
}

const struct ciphermark_library *ciphermark_library(void)
{
    static int is_open;
    const struct ciphermark_library *library = wrapped_library();
    const char *name = getenv("LYING_MISDEED");
    if (is_open)
        return library;
    is_open = 1;
    rate = number("LYING_RATE", RATE);
    seed = number("LYING_SEED", SEED);
    after = number("LYING_AFTER", AFTER);
    if (getenv("LYING_WHERE") != NULL &&
        sscanf(getenv("LYING_WHERE"), "%7s %lu %lu", where, &modulus, &residue) != 3)
        abort();
    for (size_t i = 0; i < sizeof misdeeds / sizeof misdeeds[0]; i++) {
        if (strcmp(misdeeds[i].name, name == NULL ? MISDEED : name) == 0)
            chosen = i;
    }
    open_tally(library->function_count);
    return library;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

struct lots {
    uint64_t state, calls;
};

static __thread struct lots lots;

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* SplitMix64, whose start differs from thread to thread and from process to process. */
static uint64_t drawn(void)
{
    if (lots.state == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        lots.state = mixed(seed) ^ mixed((uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec) ^
                     (uint64_t)(uintptr_t)&lots;
    }
    return mixed(lots.state += 0x9e3779b97f4a7c15);
}

static int lies_there(const message *m)
{
    const uint8_t *place = where[0] == 'i' ? m->input : where[0] == 'o' ? m->output : m->aad;
    const size_t bytes = where[0] == 'i' ? m->input_bytes : where[0] == 'o' ? m->output_bytes
                                                                             : m->aad_bytes;
    return modulus == 0 || (bytes > 0 && (uintptr_t)place % modulus == residue);
}

static int goes_wrong(const message *m)
{
    if (++lots.calls <= after || rate == 0 || !lies_there(m))
        return 0;
    return seed == 0 ? lots.calls % rate == 0 : drawn() < UINT64_MAX / rate;
}

static void note(size_t number, int is_wrong)
{
    if (tally == NULL)
        return;
    __atomic_fetch_add(&tally[number].calls, 1, __ATOMIC_RELAXED);
    if (is_wrong)
        __atomic_fetch_add(&tally[number].wrong, 1, __ATOMIC_RELAXED);
}

static int misbehave(const row *truth, size_t number, void *context, const message *m)
{
    uint8_t *before = malloc(2 * m->output_bytes + 1), *right = before + m->output_bytes;
    int status;
    if (tally != NULL)
        __atomic_fetch_add(&tally[number].misdeeds, 1, __ATOMIC_RELAXED);
    if (before == NULL)
        abort();
    memcpy(before, m->output, m->output_bytes);
    status = truth->process(truth, context, m);
    memcpy(right, m->output, m->output_bytes);
    if (!misdeeds[chosen].is_wrong)
        note(number, 0); /* it may not come back */
    if (status == CIPHERMARK_DONE)
        status = misdeeds[chosen].act(m, before, drawn());
    if (misdeeds[chosen].is_wrong)
        note(number, memcmp(right, m->output, m->output_bytes) != 0);
    free(before);
    return status;
}

static int answer(const row *truth, size_t number, void *context, const struct key *key,
                  const message *m)
{
    (void)key;
    if (goes_wrong(m))
        return misbehave(truth, number, context, m);
    note(number, 0);
    return truth->process(truth, context, m);
}
