/*
 * Layer 1 of UMAC (RFC 4418, section 5.2): NH of blocks of 1024 bytes, for STREAMS streams. A work
 * item takes a block; the host does the rest.
 *
 * A schedule is the key of layer 1 in words, of which stream i has those from 4 i on.
 */

#define BLOCK_BYTES 1024
#define GROUP_WORDS 8
#define KEY_WORDS (BLOCK_BYTES / 4 + 4 * (STREAMS - 1))

/* Of a group of 32 bytes, with 16 bytes of each half against the other. */
ulong nh_group(const uint8 message, global const uint *key)
{
    const uint8 sums = message + vload8(0, key);
    const ulong4 products = convert_ulong4(sums.lo) * convert_ulong4(sums.hi);
    return products.x + products.y + products.z + products.w;
}

kernel void nh(global const uint *input, global const uint *keys, global ulong *output,
               uint packets, uint items)
{
    const uint item = get_global_id(0);
    if (item / items >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    const uint block = item % items, start = BLOCK_BYTES * block;
    /* An empty packet has one block, of a group of zeros. */
    if (start >= max(packet.bytes, 1u))
        return;
    const uint bytes = min(packet.bytes - start, (uint)BLOCK_BYTES);
    const uint groups = max((bytes + 31) / 32, 1u);
    global const uint *from = input + packet.input + start / 4;
    global const uint *key = keys + KEY_WORDS * packet.key;
    ulong sums[STREAMS];
    for (uint stream = 0; stream < STREAMS; stream++)
        sums[stream] = 8 * (ulong)bytes;
    for (uint at = 0; at < GROUP_WORDS * groups; at += GROUP_WORDS) {
        const uint8 message = vload8(0, from + at);
        for (uint stream = 0; stream < STREAMS; stream++)
            sums[stream] += nh_group(message, key + 4 * stream + at);
    }
    for (uint stream = 0; stream < STREAMS; stream++)
        output[packet.output / 2 + STREAMS * block + stream] = sums[stream];
}
