/* Matrices for the affine instructions of GFNI, as constant expressions. */
#ifndef CIPHERMARK_GFNI_H
#define CIPHERMARK_GFNI_H

#include <stdint.h>

/* Bit `to` of the image of a byte in which bit `from` alone is set, under a linear map. */
#define GFNI_ENTRY(map, from, to) ((uint64_t)((map(1u << (from)) >> (to)) & 1) << (from))

/* The row for a bit of the image; GFNI has the row of bit 0 in the last byte of a matrix. */
#define GFNI_ROW(map, low, to) \
    (GFNI_ENTRY(map, 0, (low) + (to)) | GFNI_ENTRY(map, 1, (low) + (to)) | \
     GFNI_ENTRY(map, 2, (low) + (to)) | GFNI_ENTRY(map, 3, (low) + (to)) | \
     GFNI_ENTRY(map, 4, (low) + (to)) | GFNI_ENTRY(map, 5, (low) + (to)) | \
     GFNI_ENTRY(map, 6, (low) + (to)) | GFNI_ENTRY(map, 7, (low) + (to))) \
        << (56 - 8 * (to))

/* The matrix of a map from a byte to those eight bits of its image that begin at bit `low`. */
#define GFNI_MATRIX(map, low) \
    (GFNI_ROW(map, low, 0) | GFNI_ROW(map, low, 1) | GFNI_ROW(map, low, 2) | \
     GFNI_ROW(map, low, 3) | GFNI_ROW(map, low, 4) | GFNI_ROW(map, low, 5) | \
     GFNI_ROW(map, low, 6) | GFNI_ROW(map, low, 7))

#endif
