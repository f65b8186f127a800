/* The shift register of ZUC on x86-64, see zuc_lanes.h: products of words of 64 bits. */
#ifndef CIPHERMARK_ZUC_CELLS_H
#define CIPHERMARK_ZUC_CELLS_H

struct cell {
    vector words;
    vector odd; /* words 1, 3, …, each at the place of the one before it */
};

static inline struct cell cell_of(vector words)
{
    const struct cell it = {words, odd_words(words)};
    return it;
}

#define TERM(member, i, factor) multiply_low32(cells[i].member, all32(2 * (uint32_t)(factor)))

/* Section 3.2 for half of the packets; the newest cell comes last. */
#define WEIGHED(member) \
    add64(add64(add64(TERM(member, 0, 1 + (1 << 8)), TERM(member, 4, 1 << 20)), \
                add64(TERM(member, 10, 1 << 21), TERM(member, 13, 1 << 17))), \
          TERM(member, 15, 1 << 15))

static inline void weigh(vector *low, vector *high, const struct cell *cells)
{
    const vector even = WEIGHED(words), odd = WEIGHED(odd);
    *low = lower_halves64(even, odd);
    *high = upper_halves64(even, odd);
}

#endif
