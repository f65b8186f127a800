/* Halves of words of 64 bits in vectors of x86, for VMAC; after the operations of a vector header. */
#ifndef CIPHERMARK_HALVES64_H
#define CIPHERMARK_HALVES64_H

/* Stops compilers from adding up other things first, for which there are not enough registers. */
#define SUMS_IN_ORDER(a, b, c) __asm__("" : "+x"(a), "+x"(b), "+x"(c))

/* Halves of words of 64 bits, and their products. */
typedef vector halves64;

static inline halves64 low_halves64(vector x)
{
    return x;
}

static inline halves64 high_halves64(vector x)
{
    return odd_words(x);
}

static inline vector multiply_halves64(halves64 a, halves64 b)
{
    return multiply_even32(a, b);
}

/* Of places that are so far apart, the two words of 64 bits of each. */
struct pairs64 {
    vector even, odd;
};

#endif
