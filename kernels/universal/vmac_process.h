/*
 * VMAC over vhash.h: calls with whole messages go straight to the tag, through no buffer. Kernels
 * say first how a pad is encrypted:
 *
 *     INLINED void encrypt_pad(const void *schedule, uint8_t *output, struct part input);
 */
#ifndef CIPHERMARK_VMAC_PROCESS_H
#define CIPHERMARK_VMAC_PROCESS_H

#include "vhash.h"

/* Parts of a context, see vmac.h. */
static inline const struct state *state_of(const void *context)
{
    return (const void *)((const uint8_t *)context + ALIGNED(sizeof(struct vmac_pad)));
}

static inline const void *schedule_of(const void *context)
{
    return (const uint8_t *)state_of(context) + ALIGNED(sizeof(struct state));
}

/* Zeros, and a nonce behind them. */
static inline struct part padded(const uint8_t *nonce, size_t bytes)
{
    struct part input = {0, 0};
    if (bytes > 8)
        input.low = load_part8(nonce, bytes - 8) << 8 * (16 - bytes);
    if (bytes >= 8)
        input.high = load_le64(nonce + bytes - 8);
    else
        input.high = load_part8(nonce, bytes) << 8 * (8 - bytes);
    return input;
}

/* As ciphermark_vmac_start finds the pad, by words; the part of it that masks the tag. */
INLINED const uint8_t *find_pad(struct vmac_pad *pad, const void *schedule, struct part input,
                                unsigned iterations)
{
    const uint64_t last = (uint64_t)1 << 56;
    const unsigned index = iterations == 1 && (input.high & last);
    if (iterations == 1)
        input.high &= ~last;
    if (!pad->pad.is_known || load_le64(pad->pad.input) != input.low ||
        load_le64(pad->pad.input + 8) != input.high) {
        encrypt_pad(schedule, pad->pad.block, input);
        store_le64(pad->pad.input, input.low);
        store_le64(pad->pad.input + 8, input.high);
        pad->pad.is_known = 1;
    }
    return pad->pad.block + 8 * index;
}

INLINED int process(const row *self, void *context, const message *m, unsigned iterations)
{
    uint64_t hashes[MOST_VHASH_ITERATIONS];
    const uint8_t *pad;
    unsigned i;
    if (ciphermark_check_vmac_nonce(self, m->nonce, m->nonce_bytes) != CIPHERMARK_DONE)
        return CIPHERMARK_BAD_NONCE;
    pad = find_pad(context, schedule_of(context), padded(m->nonce, m->nonce_bytes), iterations);
    hash(state_of(context), iterations, m->input, m->input_bytes, hashes);
    for (i = 0; i < iterations; i++)
        store_be64(m->output + 8 * i, hashes[i] + load_be64(pad + 8 * i));
    return CIPHERMARK_DONE;
}

static int process_64(const row *self, void *context, const message *m)
{
    return process(self, context, m, 1);
}

static int process_128(const row *self, void *context, const message *m)
{
    return process(self, context, m, 2);
}

/* Both rows of a kernel. */
#define VMAC_KERNEL_ROWS(...) \
    VMAC_ROW("vmac-64", 1, process_64, vhash, sizeof(struct state), __VA_ARGS__), \
    VMAC_ROW("vmac-128", 2, process_128, vhash, sizeof(struct state), __VA_ARGS__)

#endif
