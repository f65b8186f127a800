/*
 * AES (FIPS 197): counter mode (SP 800-38A) and CMAC (SP 800-38B).
 *
 * A schedule is the round keys, 4 (ROUNDS + 1) words, whose first byte is the least significant. So
 * are columns here. That of CMAC has the subkeys K1 and K2 after them.
 */

/* Of a packet, for one work item in counter mode. */
#define ITEM_BLOCKS 4

#define ITSELF(value) value
constant uchar SBOX[256] = {AES_SBOX(ITSELF)};

/* Multiplication by x (section 4.2.1). */
uint times_x(uint a)
{
    return (a << 1 ^ (a >> 7) * 0x1b) & 0xff;
}

/* SubBytes and MixColumns of a byte of the first row; those of the other rows are rotations. Made
 * by each group of work items where all of them read it. */
void fill_table(local uint *table)
{
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
        const uint s = SBOX[i], s2 = times_x(s);
        table[i] = s2 | s << 8 | s << 16 | (s2 ^ s) << 24;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A column after SubBytes, ShiftRows and MixColumns; a to d are those its rows come from. */
uint mixed(local const uint *table, uint a, uint b, uint c, uint d)
{
    return table[a & 0xff] ^ rotate(table[b >> 8 & 0xff], 8u) ^
           rotate(table[c >> 16 & 0xff], 16u) ^ rotate(table[d >> 24], 24u);
}

/* The same without MixColumns, for the last round: the table has S(x) in its second byte. */
uint substituted(local const uint *table, uint a, uint b, uint c, uint d)
{
    return (table[a & 0xff] >> 8 & 0xff) | (table[b >> 8 & 0xff] & 0xff00) |
           (table[c >> 16 & 0xff] & 0xff00) << 8 | (table[d >> 24] & 0xff00) << 16;
}

uint4 encrypted(local const uint *table, global const uint4 *keys, uint4 s)
{
    s ^= keys[0];
    for (uint round = 1; round < ROUNDS; round++) {
        const uint4 before = s;
        s = (uint4)(mixed(table, before.x, before.y, before.z, before.w),
                    mixed(table, before.y, before.z, before.w, before.x),
                    mixed(table, before.z, before.w, before.x, before.y),
                    mixed(table, before.w, before.x, before.y, before.z)) ^ keys[round];
    }
    return (uint4)(substituted(table, s.x, s.y, s.z, s.w),
                   substituted(table, s.y, s.z, s.w, s.x),
                   substituted(table, s.z, s.w, s.x, s.y),
                   substituted(table, s.w, s.x, s.y, s.z)) ^ keys[ROUNDS];
}

/* The counter block of a number. */
uint4 counter(const uint *nonce, uint number)
{
    const ulong high = (ulong)swapped(nonce[0]) << 32 | swapped(nonce[1]);
    const ulong low = (ulong)swapped(nonce[2]) << 32 | swapped(nonce[3]);
    const ulong sum = low + number, carried = high + (sum < low ? 1 : 0);
    return (uint4)(swapped((uint)(carried >> 32)), swapped((uint)carried),
                   swapped((uint)(sum >> 32)), swapped((uint)sum));
}

/* The nonce is the first counter block, which counts modulo 2^128. */
kernel void ctr(global const uint *input, global const uint4 *keys, global uint *output,
                uint packets, uint items)
{
    local uint table[256];
    fill_table(table);
    const uint item = get_global_id(0);
    if (item / items >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const uint4 *schedule = keys + (ROUNDS + 1) * packet.key;
    const uint first = item % items * ITEM_BLOCKS;
    for (uint i = first; i < first + ITEM_BLOCKS && 16 * i < packet.bytes; i++) {
        const uint4 keystream = encrypted(table, schedule, counter(packet.nonce, i));
        vstore4(vload4(i, input + packet.input) ^ keystream, i, output + packet.output);
    }
}

/* One work item takes a packet, whose blocks depend on each other. */
kernel void cmac(global const uint *input, global const uint4 *keys, global uint *output,
                 uint packets, uint items)
{
    local uint table[256];
    fill_table(table);
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const uint *from = input + packet.input;
    global const uint4 *schedule = keys + (ROUNDS + 3) * packet.key;
    /* Section 6.2, steps 3 and 4: an empty packet has a block too, and the last is the one that is
     * padded. */
    const uint before = packet.bytes == 0 ? 0 : (packet.bytes - 1) / 16;
    uint4 chain = (uint4)(0);
    for (uint i = 0; i < before; i++)
        chain = encrypted(table, schedule, chain ^ vload4(i, from));
    chain ^= vload4(before, from);
    const uint rest = packet.bytes - 16 * before;
    if (rest == 16) {
        chain ^= schedule[ROUNDS + 1];
    } else {
        /* Zeros follow the packet. */
        const uint one = 0x80u << 8 * (rest % 4), word = rest / 4;
        chain ^= schedule[ROUNDS + 2] ^ (uint4)(word == 0 ? one : 0, word == 1 ? one : 0,
                                                word == 2 ? one : 0, word == 3 ? one : 0);
    }
    vstore4(encrypted(table, schedule, chain), 0, output + packet.output);
}
