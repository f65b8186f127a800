/*
 * Times every MAC of the groups of the image on messages of 64 KiB, a line of JSON for each:
 *
 *     {"algorithm":"hmac-md5","backend":"portable","message_bytes":65536,"messages":128,
 *      "ns":20123456,"tag":1234567890}
 *
 * `ns` is CPU time of all messages together. `tag` is the first four bytes of the last tag: two
 * builds that differ in it have not computed the same. Only for targets that are a process, which
 * have a clock.
 */
#define _POSIX_C_SOURCE 200112L

#include "groups.h"
#include "hal.h"
#include "print.h"
#include "words.h"

#include <time.h>

#define MESSAGE_BYTES 65536u
/* Long beside the reading of the clock, short beside what other load takes away. */
#define LEAST_NS 20000000u
/* Of the widest key and nonce; each row gets as much as it takes. */
#define SECRET_BYTES 16u

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t within(const struct ciphermark_range *range, size_t wanted)
{
    if (wanted < range->least)
        return range->least;
    return wanted > range->most ? range->most : wanted;
}

/* CPU time of so many messages; 0 where one of them has failed. */
static uint64_t time_messages(const struct ciphermark_function *row, void *context,
                              const struct ciphermark_message *message, uint64_t count)
{
    const uint64_t began = cpu_ns();
    uint64_t i;
    for (i = 0; i < count; i++) {
        if (row->process(row, context, message) != CIPHERMARK_DONE)
            return 0;
    }
    return cpu_ns() - began;
}

static void print_timed(const struct ciphermark_function *row, uint64_t messages, uint64_t ns,
                        const uint8_t *tag)
{
    hal_write("{\"algorithm\":\"");
    hal_write(row->algorithm);
    hal_write("\",\"backend\":\"");
    hal_write(row->backend);
    print("\",\"message_bytes\":", MESSAGE_BYTES, "");
    print(",\"messages\":", messages, "");
    print(",\"ns\":", ns, "");
    print(",\"tag\":", load_be32(tag), "}\n");
}

/* 0 where the row has failed. */
static int time_row(const struct ciphermark_function *row)
{
    static const uint8_t secret[SECRET_BYTES] = {1};
    static uint8_t input[MESSAGE_BYTES], tag[64];
    size_t memory_bytes;
    void *const context = hal_memory(&memory_bytes);
    const struct ciphermark_message message = {
        secret, within(&row->nonce_bytes, SECRET_BYTES), secret, 0, input, MESSAGE_BYTES,
        tag, row->tag_bytes, 0, 0};
    uint64_t count = 1, ns;
    if (row->context_bytes > memory_bytes || row->tag_bytes > sizeof tag)
        return 0;
    memset(context, 0, row->context_bytes);
    if (ciphermark_set_key(row, context, secret, within(&row->key_bytes, SECRET_BYTES)) !=
            CIPHERMARK_DONE ||
        ciphermark_check(row, &message) != CIPHERMARK_DONE)
        return 0;
    while ((ns = time_messages(row, context, &message, count)) < LEAST_NS) {
        if (ns == 0)
            return 0;
        count *= 2;
    }
    print_timed(row, count, ns, tag);
    return 1;
}

int firmware(void)
{
    size_t group, i;
    for (group = 0; group < firmware_group_count; group++) {
        for (i = 0; i < firmware_groups[group]->count; i++) {
            const struct ciphermark_function *const row = &firmware_groups[group]->rows[i];
            if (row->operation == CIPHERMARK_MAC && row->variant == NULL && !time_row(row))
                return 1;
        }
    }
    return 0;
}
