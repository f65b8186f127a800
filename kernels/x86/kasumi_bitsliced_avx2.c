/*
 * KASUMI over 256 packets a group, a bit of each in a vector, by AVX2. A group costs the same
 * however many packets it has, so what is left over is often faster by bytes.
 */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"

#define IN_ORDER(x) __asm__ volatile("" : "+x"(x))

/* Whole cache lines of each packet, of which 256 at a time are more than the fastest cache has. */
#define CHUNK 128

#define PROCESS_IN_ORDER encrypt_by_bits_or_bytes
#define F9_IN_ORDER f9_by_bits_or_bytes

#include "kasumi_lent.h"
#include "plane_blocks.h"

static void encrypt_by_bits_or_bytes(const struct lane_kernel *kernel,
                                     const struct lane_batch *batch, const uint16_t *order,
                                     size_t count);
static void f9_by_bits_or_bytes(const struct lane_batch *batch, const uint16_t *order,
                                size_t count);

#include "f8f9_lanes.h"

/* Packets of the least group that is faster than they are by bytes, measured on a Zen 3 core. */
#define FEWEST 96

/* How many of the packets go into groups; the others are the shortest. */
static size_t by_bits(size_t count)
{
    const size_t left_over = count % WIDTH;
    return left_over < FEWEST ? count - left_over : count;
}

static void encrypt_by_bits_or_bytes(const struct lane_kernel *kernel,
                                     const struct lane_batch *batch, const uint16_t *order,
                                     size_t count)
{
    const size_t many = by_bits(count);
    process_in_order(kernel, batch, order, many);
    ciphermark_f8_bytesliced_avx2(batch, order + many, count - many);
}

static void f9_by_bits_or_bytes(const struct lane_batch *batch, const uint16_t *order,
                                size_t count)
{
    const size_t many = by_bits(count);
    f9_in_order(batch, order, many);
    ciphermark_f9_bytesliced_avx2(batch, order + many, count - many);
}

static const row rows[] = {F8F9_LANES_ROWS("bitsliced-avx2")};

KERNELS_WHERE(ciphermark_kasumi_bitsliced_avx2_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
