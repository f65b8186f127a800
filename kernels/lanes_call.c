/*
 * The checked call of many messages, see include/kernels.h. In a file of its own, because it may
 * take 72 KiB of stack: programs that do not call it need not have them.
 */
#include <string.h>

#include "kernels.h"

typedef struct ciphermark_message message;

/* ---- Places in memory ------------------------------------------------------------------------ */

/* What a message has in memory. */
enum part { OUTPUT, INPUT, NONCE, AAD, PARTS };

/* Addresses from start on and before end, no later one. */
struct extent {
    uintptr_t start, end;
};

static inline struct extent extent_at(const uint8_t *bytes, size_t count)
{
    const struct extent extent = {(uintptr_t)bytes, (uintptr_t)bytes + count};
    return extent;
}

static inline struct extent extent_of(const message *m, unsigned part)
{
    switch (part) {
    case OUTPUT:
        return extent_at(m->output, m->output_bytes);
    case INPUT:
        /* In place there is the output, and nothing else. */
        return extent_at(m->input, m->input == m->output ? 0 : m->input_bytes);
    case NONCE:
        return extent_at(m->nonce, m->nonce_bytes);
    default:
        return extent_at(m->aad, m->aad_bytes);
    }
}

static inline int is_empty(struct extent extent)
{
    return extent.start == extent.end;
}

/* Whether all messages of the kernel can be plain, and it looks at their nonces itself. */
static int takes_plain(const struct ciphermark_function *kernel)
{
    const uint32_t does = kernel->operation;
    return kernel->process_lanes != NULL && kernel->block_bytes == 1 &&
           (does == CIPHERMARK_ENCRYPT || does == CIPHERMARK_DECRYPT || does == CIPHERMARK_MAC);
}

/* Its upper bit is set where number lies outside of least and most, neither of which has that bit. */
static inline size_t outside(size_t number, size_t least, size_t most)
{
    return (number - least) | (most - number);
}

/*
 * Whether ciphermark_check takes all messages, unless an output lies over something or a number of a
 * nonce is out of range: said by sums that wait for nothing, and have few instructions a message. Of
 * some other messages it is said, too, that they are not plain. A tag over the beginning of its message
 * is not: extent_of takes the same address for a cipher's in place.
 */
static int are_plain(const struct ciphermark_function *kernel, void *const *contexts,
                     const message *messages, size_t count)
{
    const struct ciphermark_range nonce = kernel->nonce_bytes, input = kernel->input_bytes;
    const size_t least = input.least > 1 ? input.least : 1;
    const size_t most = input.most < SIZE_MAX / 4 ? input.most : SIZE_MAX / 4;
    const size_t most_unused = kernel->counts_bits ? 7 : 0, tag = kernel->tag_bytes;
    const int is_mac = kernel->operation == CIPHERMARK_MAC;
    size_t out_of_range = 0, differences = 0, i;
    int are_missing = 0;
    if (!takes_plain(kernel))
        return 0;
    for (i = 0; i < count; i++) {
        const message *m = &messages[i];
        out_of_range |= outside(m->nonce_bytes, nonce.least, nonce.most);
        out_of_range |= outside(m->input_bytes, least, most);
        out_of_range |= most_unused - m->unused_bits;
        differences |= m->output_bytes ^ (is_mac ? tag : m->input_bytes);
        differences |= m->repeats | m->aad_bytes;
        are_missing |= (m->nonce == NULL) | (m->input == NULL) | (m->output == NULL);
        are_missing |= contexts[i] == NULL;
        are_missing |= is_mac & (m->input == m->output);
    }
    return out_of_range <= SIZE_MAX / 2 && differences == 0 && !are_missing;
}

/* What outputs may overlap, told by one look at each message. */
struct overview {
    /* For each part the least extent that holds it of all messages; it ends before it starts where
     * there is nothing. */
    struct extent all[PARTS];
    /* Whether each output lies behind the one before it, or each before it. */
    int are_in_order;
};

static inline void widen(struct extent *all, struct extent extent)
{
    if (is_empty(extent))
        return;
    all->start = extent.start < all->start ? extent.start : all->start;
    all->end = extent.end > all->end ? extent.end : all->end;
}

static struct overview overview(const message *messages, size_t count)
{
    const struct extent none = {UINTPTR_MAX, 0};
    struct overview over = {{none, none, none, none}, 0};
    struct extent last = extent_of(&messages[0], OUTPUT);
    int do_ascend = 1, do_descend = 1;
    size_t i;
    for (i = 0; i < count; i++) {
        const struct extent output = extent_of(&messages[i], OUTPUT);
        widen(&over.all[OUTPUT], output);
        widen(&over.all[INPUT], extent_of(&messages[i], INPUT));
        widen(&over.all[NONCE], extent_of(&messages[i], NONCE));
        widen(&over.all[AAD], extent_of(&messages[i], AAD));
        if (i == 0)
            continue;
        do_ascend &= output.start >= last.end;
        do_descend &= output.end <= last.start;
        last = output;
    }
    over.are_in_order = do_ascend || do_descend;
    return over;
}

static int do_overlap(struct extent one, struct extent other)
{
    return one.start < other.end && other.start < one.end;
}

/* ---- Extents in the order of their addresses ------------------------------------------------- */

/* Extent number PARTS * i + part is that part of message i. */
static struct extent extent_number(const message *messages, uint16_t number)
{
    return extent_of(&messages[number / PARTS], number % PARTS);
}

static uintptr_t start_of(const message *messages, uint16_t number)
{
    return extent_number(messages, number).start;
}

static int is_before(const message *messages, uint16_t one, uint16_t other)
{
    return start_of(messages, one) < start_of(messages, other);
}

/* Puts the first of a heap's numbers, from `at` on, where it belongs: the last address is on top. */
static void sift_down(const message *messages, uint16_t *heap, size_t at, size_t count)
{
    const uint16_t sifted = heap[at];
    size_t child;
    for (; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(messages, heap[child], heap[child + 1]))
            child++;
        if (!is_before(messages, sifted, heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = sifted;
}

/* Heapsort: no extra memory, and no order that is much slower than others. */
static void sort_by_address(const message *messages, uint16_t *numbers, size_t count)
{
    size_t i;
    for (i = count / 2; i-- > 0;)
        sift_down(messages, numbers, i, count);
    for (i = count; i-- > 1;) {
        const uint16_t last = numbers[0];
        numbers[0] = numbers[i];
        numbers[i] = last;
        sift_down(messages, numbers, 0, i);
    }
}

#define MOST_PLACES 4096u

/* Of each number, on average, that is moved before a heap is faster. */
#define MOST_MOVES 8u

/* Into so many places of equal length, by the address where each extent starts. */
static void distribute(const message *messages, uint16_t *distributed, const uint16_t *numbers,
                       size_t count)
{
    uint16_t first[MOST_PLACES];
    uintptr_t least = UINTPTR_MAX, most = 0;
    size_t places = 1, i;
    unsigned shift = 0;
    uint16_t at = 0, these;
    while (places < count && places < MOST_PLACES)
        places *= 2;
    for (i = 0; i < count; i++) {
        const uintptr_t start = start_of(messages, numbers[i]);
        least = start < least ? start : least;
        most = start > most ? start : most;
    }
    while ((most - least) >> shift >= places)
        shift++;
    memset(first, 0, places * sizeof first[0]);
    for (i = 0; i < count; i++)
        first[(start_of(messages, numbers[i]) - least) >> shift]++;
    for (i = 0; i < places; i++) {
        these = first[i];
        first[i] = at;
        at = (uint16_t)(at + these);
    }
    for (i = 0; i < count; i++)
        distributed[first[(start_of(messages, numbers[i]) - least) >> shift]++] = numbers[i];
}

/*
 * As sort_by_address. Packets lie about evenly in the memory that they share, so that they are nearly in
 * order when each is in its place, and few are moved; where that is not so the heap sorts them.
 */
static void sort_by_place(const message *messages, uint16_t *numbers, size_t count)
{
    uint16_t distributed[PARTS * CIPHERMARK_MOST_LANES];
    size_t moves = 0, i, at;
    distribute(messages, distributed, numbers, count);
    for (i = 0; i < count; i++) {
        const uintptr_t start = start_of(messages, distributed[i]);
        for (at = i; at > 0 && start_of(messages, numbers[at - 1]) > start; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = distributed[i];
        moves += i - at;
        if (moves > MOST_MOVES * count) {
            memcpy(numbers + i + 1, distributed + i + 1, (count - i - 1) * sizeof numbers[0]);
            sort_by_address(messages, numbers, count);
            return;
        }
    }
}

/* Whether one that is written lies over any other. */
static int do_sorted_overlap(const message *messages, const uint16_t *numbers, size_t count)
{
    uintptr_t read_end = 0, written_end = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        const struct extent extent = extent_number(messages, numbers[i]);
        const int is_written = numbers[i] % PARTS == OUTPUT;
        if (extent.start < written_end || (is_written && extent.start < read_end))
            return 1;
        if (is_written)
            written_end = extent.end;
        else if (extent.end > read_end)
            read_end = extent.end;
    }
    return 0;
}

/* Whether any output overlaps another, or anything of those parts of any message. */
static int do_parts_overlap(const message *messages, size_t count, const int are_looked_at[PARTS])
{
    uint16_t numbers[PARTS * CIPHERMARK_MOST_LANES];
    size_t i, used = 0;
    for (i = 0; i < PARTS * count; i++) {
        const uint16_t number = (uint16_t)i;
        if (are_looked_at[number % PARTS] && !is_empty(extent_number(messages, number)))
            numbers[used++] = number;
    }
    sort_by_place(messages, numbers, used);
    return do_sorted_overlap(messages, numbers, used);
}

/* Mostly outputs come in order and what is read lies apart from all of them. */
static int do_lie_apart(const struct overview *over)
{
    const struct extent *all = over->all;
    return over->are_in_order && !do_overlap(all[OUTPUT], all[INPUT]) &&
           !do_overlap(all[OUTPUT], all[NONCE]) && !do_overlap(all[OUTPUT], all[AAD]);
}

/* Whether any output lies over anything else; only what may overlap is sorted. */
static int do_outputs_overlap(const struct overview *over, const message *messages, size_t count)
{
    const struct extent *all = over->all;
    const int may_overlap[PARTS] = {
        [OUTPUT] = 1,
        [INPUT] = do_overlap(all[OUTPUT], all[INPUT]),
        [NONCE] = do_overlap(all[OUTPUT], all[NONCE]),
        [AAD] = do_overlap(all[OUTPUT], all[AAD]),
    };
    return !do_lie_apart(over) && do_parts_overlap(messages, count, may_overlap);
}

/* ---- The call -------------------------------------------------------------------------------- */

static int check_all(const struct ciphermark_function *kernel, void *const *contexts,
                     const message *messages, size_t count)
{
    struct overview over;
    size_t i;
    if (count == 0 || count > CIPHERMARK_MOST_LANES)
        return CIPHERMARK_BAD_COUNT;
    if (contexts == NULL || messages == NULL)
        return CIPHERMARK_BAD_BUFFER;
    over = overview(messages, count);
    if (are_plain(kernel, contexts, messages, count) && do_lie_apart(&over))
        return CIPHERMARK_DONE;
    for (i = 0; i < count; i++) {
        const int status =
            contexts[i] == NULL ? CIPHERMARK_BAD_BUFFER : ciphermark_check(kernel, &messages[i]);
        if (status != CIPHERMARK_DONE)
            return status;
    }
    return do_outputs_overlap(&over, messages, count) ? CIPHERMARK_BAD_BUFFER : CIPHERMARK_DONE;
}

/* Of messages that were checked a wrong tag is all that can be refused. */
static int process_each(const struct ciphermark_function *kernel, void *const *contexts,
                        const message *messages, size_t count)
{
    int answer = CIPHERMARK_DONE;
    size_t i;
    for (i = 0; i < count; i++) {
        const int status = kernel->process(kernel, contexts[i], &messages[i]);
        answer = status == CIPHERMARK_DONE ? answer : status;
    }
    return answer;
}

int ciphermark_process_lanes(const struct ciphermark_function *kernel, void *const *contexts,
                             const struct ciphermark_message *messages, size_t count)
{
    const int refusal = check_all(kernel, contexts, messages, count);
    if (refusal != CIPHERMARK_DONE)
        return refusal;
    return kernel->process_lanes == NULL
               ? process_each(kernel, contexts, messages, count)
               : kernel->process_lanes(kernel, contexts, messages, count);
}
