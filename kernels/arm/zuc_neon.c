/* EEA3 and EIA3 over four packets to a vector, by NEON. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "neon.h"
#include "nibbles.h"
#include "zuc_tables.h"

#define CHUNK 192

#define ITSELF(value) value
static const uint8_t S1[256] = {ZUC_S1(ITSELF)};

/* S1 of complements. */
static inline vector s1(vector x)
{
    return look_up256(S1, vmvnq_u8(x));
}

static inline vector rotate8(vector x)
{
    return rotate_left_words(x, 8);
}

static inline vector rotate24(vector x)
{
    return rotate_left_words(x, 24);
}

#include "zuc_l.h"
#include "zuc_s0.h"

/* Each S-box takes its bytes of both words at once; they are of complements. */
static inline void next_registers(vector r[2], vector u, vector v)
{
    const vector of_u = l1(u), of_v = l2(v);
    const vector even = s1(vuzp1q_u8(of_u, of_v)), odd = s0(vuzp2q_u8(of_u, of_v));
    r[0] = interleave_low8(even, odd);
    r[1] = interleave_high8(even, odd);
}

#define crossed upper_lower16

struct cell {
    vector words;
};

static inline struct cell cell_of(vector words)
{
    const struct cell it = {words};
    return it;
}

static inline uint64x2_t add_low(uint64x2_t sum, vector words, uint32_t factor)
{
    return vmlal_u32(sum, vget_low_u32(vreinterpretq_u32_u8(words)), vdup_n_u32(2 * factor));
}

static inline uint64x2_t add_high(uint64x2_t sum, vector words, uint32_t factor)
{
    return vmlal_high_u32(sum, vreinterpretq_u32_u8(words), vdupq_n_u32(2 * factor));
}

/* The newest cell comes last. */
#define WEIGHED(add) \
    add(add(add(add(add(vdupq_n_u64(0), cells[0].words, 1 + (1 << 8)), \
                    cells[4].words, 1 << 20), \
                cells[10].words, 1 << 21), \
            cells[13].words, 1 << 17), \
        cells[15].words, 1 << 15)

static inline void weigh(vector *low, vector *high, const struct cell *cells)
{
    const uint32x4_t first = vreinterpretq_u32_u64(WEIGHED(add_low));
    const uint32x4_t second = vreinterpretq_u32_u64(WEIGHED(add_high));
    *low = vreinterpretq_u8_u32(vuzp1q_u32(first, second));
    *high = vreinterpretq_u8_u32(vuzp2q_u32(first, second));
}

#include "zuc_lanes.h"

#include "eia3_neon.h"
#include "eea3eia3_lanes.h"

static const row rows[] = {EEA3EIA3_LANES_ROWS("wordsliced-neon")};

KERNELS(ciphermark_zuc_wordsliced_neon_rows, rows);

#endif
