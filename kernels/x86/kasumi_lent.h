/* What the kernels of KASUMI lend each other. */
#ifndef CIPHERMARK_KASUMI_LENT_H
#define CIPHERMARK_KASUMI_LENT_H

#include "schedule.h"

/*
 * f8 and f9 of those packets of a batch that `order` names, the longest first: 32 in a vector, or
 * fewer. Their contexts begin with the 16 bytes of a key, and their nonces have been checked.
 */
void ciphermark_f8_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count);
void ciphermark_f9_bytesliced_avx2(const struct lane_batch *batch, const uint16_t *order,
                                   size_t count);

/* The same, 8 in a vector. */
void ciphermark_f8_paired_avx2(const struct lane_batch *batch, const uint16_t *order,
                               size_t count);
void ciphermark_f9_paired_avx2(const struct lane_batch *batch, const uint16_t *order,
                               size_t count);
void ciphermark_f8_paired_avx512(const struct lane_batch *batch, const uint16_t *order,
                                 size_t count);
void ciphermark_f9_paired_avx512(const struct lane_batch *batch, const uint16_t *order,
                                 size_t count);

#endif
