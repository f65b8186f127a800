/*
 * Tags of UIA2 (3GPP TS 35.215, sections 4.4 and 4.5), one after the other. To be included after
 * uea2uia2_lanes.h by a file that has evaluate and multiply, as uia2_polynomial.h does.
 */
#ifndef CIPHERMARK_UIA2_SINGLE_TAGS_H
#define CIPHERMARK_UIA2_SINGLE_TAGS_H

static void write_tags(struct keystream_group *it)
{
    uint32_t z[TAG_WORDS][WIDTH];
    unsigned lane;
    take_words(z, it, TAG_WORDS);
    for (lane = 0; lane < it->group.count; lane++) {
        const message *m = lane_message(&it->group, lane);
        const uint64_t e = evaluate(m, joined(z[0][lane], z[1][lane])) ^ message_bits(m);
        const uint64_t product = multiply(e, joined(z[2][lane], z[3][lane]));
        store_be32(m->output, (uint32_t)(product >> 32) ^ z[4][lane]);
    }
}

#endif
