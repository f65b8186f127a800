/*
 * The S-boxes of Serpent, and their inverses, as boolean expressions: each bit of the words stands
 * for an S-box of its own. Found by a search (beam search from the four inputs, scored by how few
 * further operations may suffice for the outputs) for few operations in a short chain of
 * dependences, since a block waits for the longest chain of each round.
 */
#ifndef CIPHERMARK_SERPENT_SBOXES_H
#define CIPHERMARK_SERPENT_SBOXES_H

#include <stdint.h>

/* A block, or one of the 32 inputs of S-boxes in each bit: the words X0 to X3 of the paper. */
struct words {
    uint32_t w0, w1, w2, w3;
};

/* S_0: 15 operations, 6 deep. */
static inline struct words substitute0(struct words x)
{
    const uint32_t t0 = x.w3 ^ x.w0;
    const uint32_t t1 = t0 ^ x.w2;
    const uint32_t t2 = t1 ^ x.w1;
    const uint32_t t3 = (t0 & x.w1) ^ x.w0;
    const uint32_t y3 = (x.w3 & x.w0) ^ t2;
    const uint32_t t4 = (t3 ^ t1) & y3;
    const uint32_t y2 = (t3 | x.w2) ^ t2;
    const uint32_t y0 = t4 ^ ~t3;
    const uint32_t y1 = t4 ^ ~t1;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_1: 18 operations, 4 deep. */
static inline struct words substitute1(struct words x)
{
    const uint32_t t0 = ~x.w0;
    const uint32_t t1 = x.w3 ^ x.w2;
    const uint32_t t2 = t1 ^ t0;
    const uint32_t t3 = x.w2 ^ x.w1;
    const uint32_t t4 = t3 & x.w3;
    const uint32_t t5 = x.w3 | x.w1;
    const uint32_t t6 = x.w1 | x.w0;
    const uint32_t t7 = t4 | t2;
    const uint32_t t8 = (t1 | x.w0) ^ t5;
    const uint32_t y3 = t8 ^ t7;
    const uint32_t t9 = (t6 ^ x.w2) & t5;
    const uint32_t y1 = (t3 & x.w0) ^ t7;
    const uint32_t y2 = t6 ^ t2;
    const uint32_t y0 = t9 ^ (t4 | t0);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_2: 15 operations, 4 deep. */
static inline struct words substitute2(struct words x)
{
    const uint32_t t0 = x.w2 ^ x.w1;
    const uint32_t t1 = (x.w2 & x.w0) ^ x.w3;
    const uint32_t t2 = t0 ^ x.w0;
    const uint32_t t3 = (x.w3 | x.w0) ^ x.w1;
    const uint32_t y2 = (t3 & t2) ^ t1;
    const uint32_t y1 = (t3 | t2) ^ (t3 & t1);
    const uint32_t y0 = t1 ^ t0;
    const uint32_t y3 = ~t2 ^ (t1 & x.w1);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_3: 19 operations, 4 deep. */
static inline struct words substitute3(struct words x)
{
    const uint32_t t0 = x.w3 ^ x.w1;
    const uint32_t t1 = x.w3 | x.w0;
    const uint32_t t2 = x.w1 & x.w0;
    const uint32_t t3 = x.w2 ^ x.w0;
    const uint32_t t4 = t3 & t1;
    const uint32_t t5 = t3 | t2;
    const uint32_t t6 = t0 ^ x.w0;
    const uint32_t t7 = t6 ^ t4;
    const uint32_t t8 = t1 & t0;
    const uint32_t t9 = (t2 ^ t1) | t8;
    const uint32_t y3 = (t5 ^ t2) ^ t7;
    const uint32_t y1 = t9 ^ t7;
    const uint32_t y2 = t8 ^ t5;
    const uint32_t t10 = (t0 & x.w2) | t2;
    const uint32_t y0 = t10 ^ (t6 | t4);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_4: 17 operations, 4 deep. */
static inline struct words substitute4(struct words x)
{
    const uint32_t t0 = x.w3 | x.w0;
    const uint32_t t1 = t0 ^ (x.w2 ^ x.w0);
    const uint32_t t2 = x.w3 ^ x.w0;
    const uint32_t t3 = ~x.w1;
    const uint32_t t4 = (t3 ^ t2) & (x.w3 | x.w2);
    const uint32_t y3 = (t1 | x.w1) ^ t2;
    const uint32_t t5 = (t3 ^ x.w2) & x.w0;
    const uint32_t y1 = (t0 ^ x.w2) ^ t4;
    const uint32_t y2 = t5 | t4;
    const uint32_t y0 = (t3 | t2) ^ t1;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_5: 17 operations, 5 deep. */
static inline struct words substitute5(struct words x)
{
    const uint32_t t0 = x.w1 ^ x.w0;
    const uint32_t t1 = ~x.w0;
    const uint32_t t2 = t1 | x.w1;
    const uint32_t t3 = t2 ^ x.w2;
    const uint32_t t4 = t0 | x.w3;
    const uint32_t t5 = t4 ^ t0;
    const uint32_t t6 = (x.w2 ^ x.w1) ^ x.w3;
    const uint32_t t7 = (t1 | x.w2) & t6;
    const uint32_t y2 = (t3 | x.w0) ^ (t6 | t5);
    const uint32_t y0 = t4 ^ t3;
    const uint32_t y3 = t7 ^ t2;
    const uint32_t y1 = (t3 | x.w3) ^ t5;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_6: 18 operations, 4 deep. */
static inline struct words substitute6(struct words x)
{
    const uint32_t t0 = x.w3 ^ x.w0;
    const uint32_t t1 = (x.w2 | x.w1) & t0;
    const uint32_t t2 = ~x.w2 ^ (x.w3 & x.w0);
    const uint32_t t3 = (x.w1 ^ x.w0) | t2;
    const uint32_t t4 = (t0 & x.w2) | (t0 ^ x.w1);
    const uint32_t y1 = t2 ^ x.w1;
    const uint32_t y3 = (t1 ^ x.w2) ^ (x.w3 | x.w1);
    const uint32_t y0 = t4 ^ t3;
    const uint32_t y2 = (t1 ^ x.w0) ^ t3;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* S_7: 20 operations, 4 deep. */
static inline struct words substitute7(struct words x)
{
    const uint32_t t0 = x.w3 ^ x.w2;
    const uint32_t t1 = t0 ^ x.w1;
    const uint32_t t2 = x.w3 ^ x.w0;
    const uint32_t t3 = t2 & x.w0;
    const uint32_t t4 = x.w2 & x.w1;
    const uint32_t t5 = t4 ^ x.w0;
    const uint32_t t6 = (t4 ^ t2) & t1;
    const uint32_t t7 = (t2 & t0) | t1;
    const uint32_t y1 = (t3 | t1) ^ t5;
    const uint32_t y2 = t7 ^ t3;
    const uint32_t y0 = (~t0 | t3) ^ t6;
    const uint32_t t8 = (t4 | t2) ^ t1;
    const uint32_t y3 = t8 ^ (t5 & t0);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_0: 17 operations, 5 deep. */
static inline struct words unsubstitute0(struct words x)
{
    const uint32_t t0 = x.w1 ^ x.w0;
    const uint32_t t1 = t0 & x.w3;
    const uint32_t t2 = x.w3 ^ x.w2;
    const uint32_t t3 = t1 ^ x.w0;
    const uint32_t t4 = (x.w3 ^ x.w1) ^ t1;
    const uint32_t t5 = (x.w1 | x.w0) ^ t2;
    const uint32_t t6 = (~x.w0 ^ x.w2) | t4;
    const uint32_t y2 = ~t5;
    const uint32_t y1 = t4 ^ (t3 | t2);
    const uint32_t y0 = t6 ^ t3;
    const uint32_t y3 = (t5 ^ t0) ^ t6;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_1: 19 operations, 4 deep. */
static inline struct words unsubstitute1(struct words x)
{
    const uint32_t t0 = x.w3 & x.w2;
    const uint32_t t1 = x.w3 ^ x.w1;
    const uint32_t t2 = x.w2 ^ x.w0;
    const uint32_t t3 = t2 | t0;
    const uint32_t t4 = t1 | x.w0;
    const uint32_t t5 = x.w3 ^ x.w0;
    const uint32_t t6 = t5 & x.w1;
    const uint32_t t7 = ~x.w1;
    const uint32_t t8 = (t7 ^ x.w2) | t6;
    const uint32_t t9 = (t7 ^ t0) ^ t5;
    const uint32_t y0 = t8 ^ t3;
    const uint32_t y3 = (t1 & x.w3) ^ t2;
    const uint32_t y2 = t9 ^ (t4 & x.w2);
    const uint32_t y1 = (t4 ^ t3) | t6;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_2: 18 operations, 4 deep. */
static inline struct words unsubstitute2(struct words x)
{
    const uint32_t t0 = x.w2 | x.w0;
    const uint32_t t1 = ~x.w3;
    const uint32_t t2 = t1 | (x.w2 & x.w0);
    const uint32_t t3 = x.w2 ^ x.w1;
    const uint32_t t4 = (x.w1 | x.w0) & t2;
    const uint32_t t5 = t3 ^ t1;
    const uint32_t y3 = t2 ^ (t0 & x.w1);
    const uint32_t y0 = (t3 ^ x.w0) ^ (t5 & x.w1);
    const uint32_t y2 = t5 ^ t4;
    const uint32_t t6 = (x.w1 & x.w0) | x.w3;
    const uint32_t y1 = (t6 & t0) ^ t3;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_3: 18 operations, 4 deep. */
static inline struct words unsubstitute3(struct words x)
{
    const uint32_t t0 = x.w3 | x.w0;
    const uint32_t t1 = x.w3 ^ x.w0;
    const uint32_t t2 = x.w1 ^ x.w0;
    const uint32_t t3 = x.w2 ^ x.w1;
    const uint32_t t4 = t2 & t1;
    const uint32_t t5 = t3 ^ t1;
    const uint32_t t6 = t2 | x.w2;
    const uint32_t t7 = (x.w3 | x.w2) & t3;
    const uint32_t y3 = (t5 | t4) & t6;
    const uint32_t t8 = t3 | (t0 ^ x.w2);
    const uint32_t y0 = t7 ^ t0;
    const uint32_t y1 = (t6 ^ t0) ^ (t4 & x.w2);
    const uint32_t y2 = t8 ^ t5;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_4: 19 operations, 4 deep. */
static inline struct words unsubstitute4(struct words x)
{
    const uint32_t t0 = x.w3 | x.w2;
    const uint32_t t1 = ~x.w0;
    const uint32_t t2 = t1 | x.w3;
    const uint32_t t3 = t0 ^ x.w1;
    const uint32_t t4 = x.w3 ^ x.w2;
    const uint32_t t5 = (x.w2 & x.w1) ^ t2;
    const uint32_t t6 = t3 & t2;
    const uint32_t t7 = (t4 | x.w1) & t1;
    const uint32_t t8 = (t4 ^ x.w1) | t1;
    const uint32_t y1 = (t3 & x.w0) ^ t4;
    const uint32_t t9 = (x.w3 ^ x.w0) & t0;
    const uint32_t y2 = t7 ^ t5;
    const uint32_t y3 = t9 ^ t6;
    const uint32_t y0 = t8 ^ t6;
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_5: 18 operations, 4 deep. */
static inline struct words unsubstitute5(struct words x)
{
    const uint32_t t0 = x.w1 ^ x.w0;
    const uint32_t t1 = t0 | (x.w2 & x.w1);
    const uint32_t t2 = (x.w3 & x.w0) ^ x.w2;
    const uint32_t t3 = x.w3 | x.w0;
    const uint32_t t4 = t2 & t0;
    const uint32_t t5 = (x.w2 & x.w0) ^ t3;
    const uint32_t y3 = ~t2 ^ (t1 & x.w1);
    const uint32_t y0 = t5 ^ t4;
    const uint32_t y1 = (t1 ^ x.w3) ^ t4;
    const uint32_t y2 = (t2 & x.w2) ^ (t3 & t0);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_6: 18 operations, 5 deep. */
static inline struct words unsubstitute6(struct words x)
{
    const uint32_t t0 = (x.w2 ^ x.w0) & x.w3;
    const uint32_t t1 = x.w3 ^ x.w1;
    const uint32_t t2 = ~t1;
    const uint32_t t3 = t1 | t0;
    const uint32_t t4 = x.w2 ^ x.w1;
    const uint32_t t5 = x.w2 | x.w0;
    const uint32_t t6 = t5 ^ t2;
    const uint32_t t7 = t5 & t4;
    const uint32_t t8 = (t4 | t2) ^ t3;
    const uint32_t y2 = t8 ^ x.w0;
    const uint32_t y1 = t6 ^ x.w0;
    const uint32_t y3 = (t2 | t0) ^ t7;
    const uint32_t y0 = (t7 ^ t6) ^ (t3 ^ x.w3);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

/* Inverse of S_7: 19 operations, 6 deep. */
static inline struct words unsubstitute7(struct words x)
{
    const uint32_t t0 = x.w3 | x.w2;
    const uint32_t t1 = x.w1 & x.w0;
    const uint32_t t2 = t1 | x.w3;
    const uint32_t t3 = t2 ^ (x.w1 | x.w0);
    const uint32_t t4 = ~t0 | x.w1;
    const uint32_t t5 = t3 ^ x.w2;
    const uint32_t t6 = (t2 ^ t0) | x.w0;
    const uint32_t y3 = (t3 | x.w3) ^ (t5 | t1);
    const uint32_t y2 = t6 ^ t5;
    const uint32_t y0 = t5 ^ t4;
    const uint32_t t7 = (t0 ^ x.w2) | x.w0;
    const uint32_t y1 = t7 ^ (t4 ^ x.w3);
    const struct words y = {y0, y1, y2, y3};
    return y;
}

#endif
