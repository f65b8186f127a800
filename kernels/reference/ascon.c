#include "ascon.h"

#include "words.h"

/* Section 3.3. All five words go through the S-box bit by bit, 64 of them at once. */
static void substitute(uint64_t s[ASCON_WORDS])
{
    uint64_t t0, t1, t2, t3, t4;
    s[0] ^= s[4];
    s[4] ^= s[3];
    s[2] ^= s[1];
    t0 = s[0] ^ (~s[1] & s[2]);
    t1 = s[1] ^ (~s[2] & s[3]);
    t2 = s[2] ^ (~s[3] & s[4]);
    t3 = s[3] ^ (~s[4] & s[0]);
    t4 = s[4] ^ (~s[0] & s[1]);
    s[0] = t0 ^ t4;
    s[1] = t1 ^ t0;
    s[2] = ~t2;
    s[3] = t3 ^ t2;
    s[4] = t4;
}

/* Section 3.4. */
static uint64_t diffused(uint64_t word, unsigned one, unsigned other)
{
    return word ^ rotate_right64(word, one) ^ rotate_right64(word, other);
}

void ciphermark_ascon_permute(uint64_t s[ASCON_WORDS], unsigned rounds)
{
    unsigned round;
    for (round = 12 - rounds; round < 12; round++) {
        /* The constants of section 3.2 count down in the upper four bits and up in the lower. */
        s[2] ^= (uint64_t)((15 - round) << 4 | round);
        substitute(s);
        s[0] = diffused(s[0], 19, 28);
        s[1] = diffused(s[1], 61, 39);
        s[2] = diffused(s[2], 1, 6);
        s[3] = diffused(s[3], 10, 17);
        s[4] = diffused(s[4], 7, 41);
    }
}
