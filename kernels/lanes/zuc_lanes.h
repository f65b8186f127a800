/*
 * ZUC, version 1.6 (3GPP TS 35.222), for as many packets as a vector has words of 32 bits. To be
 * included by a file that has, besides a vector header,
 *
 *     CHUNK                     bytes of keystream that are made for each packet before the shift
 *                               register is moved back: a multiple of the vector's, and 140 or more
 *     struct cell, cell_of(x)   a cell of the shift register in the form that feedback wants
 *     weigh(low, high, cells)   twice the sum of section 3.2 in 64 bits, its lower and upper halves
 *     crossed(a, b)             the upper halves of the words of a and the lower ones of b; or the
 *                               complement, as next_registers wants it
 *     rotate8(x), rotate24(x)   words rotated to the left by whole bytes
 *     next_registers(r, u, v)   R1 = S(L1(u)) and R2 = S(L2(v)) of section 3.4, u and v being given
 *                               complemented or not, and with their halves exchanged
 *
 * Cells are kept as their complements, P - s, which are 0 to P - 1: the feedback is linear, so
 * theirs is the same, and modulo P it is reduced by a subtraction and the lesser of two, while that
 * of s would have to become P in place of 0. Words of section 3.3 then are complemented too. In
 * section 3.4, with ~a for the complement,
 *
 *     ~W  = (~X0 xor R1) - R2      since ~(a + b) = ~a - b
 *     ~W1 = ~X1 - R1
 *     ~W2 = R2 xor ~X2
 *
 * so that nothing has to be complemented back before the S-boxes, into which it is worked.
 *
 * The words X1, X2 and X3 of one time are those of others: with h(t) for the lower half of s(t + 2)
 * and then the upper half of s(t), they are h(t + 9), h(t + 5) and h(t). Each is made once.
 */
#ifndef CIPHERMARK_ZUC_LANES_H
#define CIPHERMARK_ZUC_LANES_H

#include "keystream.h"
#include "schedule.h"
#include "zuc_tables.h"

#define WIDTH (VECTOR_BYTES / 4)
#define WORDS (CHUNK / 4)
#define CELLS 16
/* h(t) is known as soon as s(t + 2) is. */
#define HALVES (CELLS - 2)

/* Section 3.6.1. They fit where those of a chunk do, with some more. */
#define INITIAL_STEPS 32

#define P 0x7fffffffu

/* What stays in the processor's registers between steps: R1 and R2, and the complements of the two newest
 * cells, the newest last. */
struct registers {
    vector r[2];
    vector newest[2];
};

struct zuc {
    struct cell cells[CELLS + WORDS]; /* complements of s(t), s(t + 1), … */
    /* Those of h(t), h(t + 1), …; the word of keystream takes the place of h(t), which no later one
     * needs. */
    vector halves[HALVES + WORDS];
    struct registers registers;
    unsigned steps; /* since cells and halves were moved to their beginning */
};

/* Section 3.5, complemented, without key and IV. */
#define COMPLEMENTED_D(value) (uint32_t)(value) << 8 ^ P
static const uint32_t D[CELLS] = {ZUC_D(COMPLEMENTED_D)};

/* Less than 2 P to less than P. */
static inline vector reduced(vector x)
{
    return lesser32(x, subtract32(x, all32(P)));
}

/* Section 3.2. The sum is less than 2^54: folded, it is less than 2^31 + 2^23. */
static inline vector fed_back(const struct cell *cells)
{
    vector low, high;
    weigh(&low, &high, cells);
    return reduced(add32(shift_right32(low, 1), high));
}

/* h(t), complemented, of complements. */
static inline vector half_words(vector s_later, vector s)
{
    return exchange16(upper_lower16(add32(s, s), s_later));
}

/* The newest cell, s(t + 16), and the h that it completes. */
static inline void append(struct zuc *it, unsigned i, struct registers *registers, vector s)
{
    it->cells[i + CELLS] = cell_of(s);
    it->halves[i + HALVES] = half_words(s, registers->newest[0]);
    registers->newest[0] = registers->newest[1];
    registers->newest[1] = s;
}

/* Section 3.4: the complement of W. */
static inline vector f(const struct zuc *it, unsigned i, struct registers *registers)
{
    const vector s15 = registers->newest[1];
    vector *r = registers->r;
    const vector x0 = upper_lower16(add32(s15, s15), registers->newest[0]);
    const vector w = subtract32(xor2(x0, r[0]), r[1]);
    const vector w1 = subtract32(it->halves[i + 9], r[0]);
    const vector w2 = xor2(r[1], it->halves[i + 5]);
    next_registers(r, crossed(w2, w1), crossed(w1, w2));
    return w;
}

/* Section 3.6.1: with W >> 1, of which P - (W >> 1) is the upper 31 bits of the complement. */
static inline void initial(struct zuc *it, unsigned i, struct registers *registers)
{
    const vector u = shift_right32(f(it, i, registers), 1);
    append(it, i, registers, reduced(add32(fed_back(it->cells + i), u)));
}

/* Section 3.6.2: a word of keystream. */
static inline vector next(struct zuc *it, unsigned i, struct registers *registers)
{
    const vector w = f(it, i, registers);
    append(it, i, registers, fed_back(it->cells + i));
    return xor2(w, it->halves[i]);
}

/* Moves what later steps need to the beginning. */
static inline void move_back(struct zuc *it)
{
    unsigned i;
    for (i = 0; i < CELLS; i++)
        it->cells[i] = it->cells[i + it->steps];
    for (i = 0; i < HALVES; i++)
        it->halves[i] = it->halves[i + it->steps];
    it->steps = 0;
}

/* Section 3.5. */
static inline void load(struct zuc *it, const uint8_t *const keys[WIDTH],
                        uint8_t ivs[WIDTH][STREAM_IV_BYTES])
{
    vector *s = it->halves; /* where h(t) takes the place of s(t) */
    vector x[WIDTH];
    unsigned at, i;
    for (at = 0; at < CELLS; at += WIDTH) {
        for (i = 0; i < WIDTH; i++)
            x[i] = xor3(shift_left32(widen_bytes(keys[i] + at), 23), load_vector(D + at),
                        widen_bytes(ivs[i] + at));
        transpose_words(x);
        for (i = 0; i < WIDTH; i++)
            s[at + i] = x[i];
    }
    for (i = 0; i < CELLS; i++)
        it->cells[i] = cell_of(s[i]);
    for (i = 0; i < 2; i++) {
        it->registers.r[i] = all32(0);
        it->registers.newest[i] = s[HALVES + i];
    }
    for (i = 0; i < HALVES; i++)
        it->halves[i] = half_words(s[i + 2], s[i]);
    it->steps = 0;
}

#endif
