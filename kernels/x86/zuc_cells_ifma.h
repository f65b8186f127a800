/*
 * The shift register of ZUC by AVX-512 with IFMA, see zuc_lanes.h: products of words of 52 bits, which
 * it adds up by itself. What they may be added to is not limited to 52 bits.
 */
#ifndef CIPHERMARK_ZUC_CELLS_IFMA_H
#define CIPHERMARK_ZUC_CELLS_IFMA_H

struct cell {
    vector even, odd; /* words 0, 2, … and 1, 3, …, each with nothing beside it */
};

static inline struct cell cell_of(vector words)
{
    const struct cell it = {and2(words, same64(UINT32_MAX)), odd_words(words)};
    return it;
}

/* A product of 31 bits and twice a weight is below 2^52, but of that of cell 10. */
#define ADD_TERM(sum, member, i, factor) \
    add_lower52(sum, cells[i].member, same64(2 * (uint64_t)(factor)))

/* Section 3.2 for half of the packets; the newest cell comes last. */
#define WEIGHED(member) \
    ADD_TERM( \
        ADD_TERM(ADD_TERM(ADD_TERM(multiply_low32(cells[10].member, all32(2 * (1u << 21))), \
                                   member, 0, 1 + (1 << 8)), \
                          member, 4, 1 << 20), \
                 member, 13, 1 << 17), \
        member, 15, 1 << 15)

static inline void weigh(vector *low, vector *high, const struct cell *cells)
{
    const vector even = WEIGHED(even), odd = WEIGHED(odd);
    *low = lower_halves64(even, odd);
    *high = upper_halves64(even, odd);
}

#endif
