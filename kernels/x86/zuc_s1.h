/*
 * S1 of ZUC (3GPP TS 35.222, section 3.4.1) by an inversion in the field of AES.
 *
 * S1(a) = M(1 / a) + 0x55 in the field of x^8 + x^7 + x^3 + x + 1, M being linear. In the field of
 * AES that polynomial has eight roots; the map to that field takes x to the least of them, 0x32.
 * After the inversion there comes the inverse of the map, and then M.
 */
#ifndef CIPHERMARK_ZUC_S1_H
#define CIPHERMARK_ZUC_S1_H

/* Matrices as GFNI takes them. */
#define ZUC_S1_TO_AES 0xdd06c8f01eae7c70
#define ZUC_S1_FROM_AES 0xb903e5360f14f0e3
#define ZUC_S1_OF_0 0x55

/* The map to the field of AES of a byte of ones: what it changes by when a byte is complemented. */
#define ZUC_S1_ALL_ONES 0xe4

/* The bits of each byte in the other order, for EIA3. */
#define REVERSED_BITS 0x8040201008040201

#endif
