/*
 * f8 and f9 of KASUMI, of which few packets go to another kernel. To be included by a file that has
 * byte_blocks.h and F8_OF_FEW and F9_OF_FEW, functions of kasumi_lent.h for them.
 */
#ifndef CIPHERMARK_KASUMI_FEW_H
#define CIPHERMARK_KASUMI_FEW_H

#include "kasumi_lent.h"

#define PROCESS_IN_ORDER encrypt_many_or_few
#define F9_IN_ORDER f9_many_or_few

static void encrypt_many_or_few(const struct lane_kernel *kernel, const struct lane_batch *batch,
                                const uint16_t *order, size_t count);
static void f9_many_or_few(const struct lane_batch *batch, const uint16_t *order, size_t count);

#include "f8f9_lanes.h"

/*
 * Packets that fill a vector of 8: up to so many are faster there than in one of 32 or 64, on a Zen 3 core by
 * 1.3 times, and on an Emerald Rapids by AVX-512 too. Its groups would run one after another, and two of
 * them take longer than one of those.
 */
#define FEW 8

static void encrypt_many_or_few(const struct lane_kernel *kernel, const struct lane_batch *batch,
                                const uint16_t *order, size_t count)
{
    if (count <= FEW)
        F8_OF_FEW(batch, order, count);
    else
        process_in_order(kernel, batch, order, count);
}

static void f9_many_or_few(const struct lane_batch *batch, const uint16_t *order, size_t count)
{
    if (count <= FEW)
        F9_OF_FEW(batch, order, count);
    else
        f9_in_order(batch, order, count);
}

#endif
