/*
 * KASUMI (3GPP TS 35.202) and what is built of it: f8 (UEA1) and f9 (UIA1) of TS 35.201. One work
 * item takes a packet, whose blocks depend on each other.
 *
 * A schedule is that of the key and that of the modified key: for each round KL, KO and KI.
 */

#define ROUNDS 8
#define ROUND_KEYS 8 /* kl[2], ko[3], ki[3] */
#define SCHEDULE (ROUNDS * ROUND_KEYS)

#define VALUE(index, value) value
#define ITSELF(value) value
constant ushort S7[128] = {KASUMI_S7(VALUE)};
constant ushort S9[512] = {KASUMI_S9(ITSELF)};

/* The S-boxes where the work items of a group read them: from constant memory, items that read
 * different places wait for each other. */
struct sboxes {
    ushort s7[128];
    ushort s9[512];
};

void fill_sboxes(local struct sboxes *sboxes)
{
    for (uint i = get_local_id(0); i < 512; i += get_local_size(0)) {
        sboxes->s9[i] = S9[i];
        if (i < 128)
            sboxes->s7[i] = S7[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

uint rotated16(uint word, uint bits)
{
    return (word << bits | word >> (16 - bits)) & 0xffff;
}

/* TS 35.202, section 4.2. */
uint fl(uint input, global const ushort *keys)
{
    uint left = input >> 16, right = input & 0xffff;
    right ^= rotated16(left & keys[0], 1);
    left ^= rotated16(right | keys[1], 1);
    return left << 16 | right;
}

/* Section 4.4. */
uint fi(local const struct sboxes *sboxes, uint input, uint key)
{
    uint nine = input >> 7, seven = input & 0x7f;
    nine = sboxes->s9[nine] ^ seven;
    seven = sboxes->s7[seven] ^ (nine & 0x7f) ^ key >> 9;
    nine ^= key & 0x1ff;
    nine = sboxes->s9[nine] ^ seven;
    seven = sboxes->s7[seven] ^ (nine & 0x7f);
    return seven << 9 | nine;
}

/* Section 4.3. */
uint fo(local const struct sboxes *sboxes, uint input, global const ushort *keys)
{
    uint left = input >> 16, right = input & 0xffff;
    for (uint i = 0; i < 3; i++) {
        const uint next = fi(sboxes, left ^ keys[2 + i], keys[5 + i]) ^ right;
        left = right;
        right = next;
    }
    return left << 16 | right;
}

/* Section 3.2, two rounds at a time. */
ulong encrypted(local const struct sboxes *sboxes, global const ushort *keys, ulong block)
{
    uint left = (uint)(block >> 32), right = (uint)block;
    for (uint round = 0; round < ROUNDS; round += 2) {
        right ^= fo(sboxes, fl(left, keys), keys);
        keys += ROUND_KEYS;
        left ^= fl(fo(sboxes, right, keys), keys);
        keys += ROUND_KEYS;
    }
    return (ulong)left << 32 | right;
}

/* TS 35.201, sections 3.4 to 3.6. The nonce is COUNT, BEARER (1 byte) and DIRECTION (1 byte). */
kernel void f8(global const uint *input, global const ushort *keys, global uint *output,
               uint packets, uint items)
{
    local struct sboxes sboxes;
    fill_sboxes(&sboxes);
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const ushort *schedule = keys + 2 * SCHEDULE * packet.key;
    global const uint *from = input + packet.input;
    global uint *to = output + packet.output;
    const uint bearer = packet.nonce[1] & 0xff, direction = packet.nonce[1] >> 8;
    const ulong start = (ulong)swapped(packet.nonce[0]) << 32 | bearer << 27 | direction << 26;
    const ulong a = encrypted(&sboxes, schedule + SCHEDULE, start);
    ulong keystream = 0;
    for (uint i = 0; 8 * i < packet.bytes; i++) {
        keystream = encrypted(&sboxes, schedule, a ^ i ^ keystream);
        store_be64(to + 2 * i, load_be64(from + 2 * i) ^ keystream);
    }
}

/* A bit of the padded string of f9 as far as it is in the block of this number; bits are counted
 * from the most significant of the first byte. */
ulong bit_in_block(uint at, uint block, ulong bit)
{
    return at / 64 == block ? bit << (63 - at % 64) : 0;
}

/* Sections 4.4 and 4.5. The nonce is COUNT, FRESH (4 bytes) and DIRECTION (1 byte). */
kernel void f9(global const uint *input, global const ushort *keys, global uint *output,
               uint packets, uint items)
{
    local struct sboxes sboxes;
    fill_sboxes(&sboxes);
    const uint item = get_global_id(0);
    if (item >= packets)
        return;
    const struct packet packet = packet_of(input, item, items);
    global const ushort *schedule = keys + 2 * SCHEDULE * packet.key;
    global const uint *from = input + packet.input;
    const uint bits = 8 * packet.bytes - packet.unused_bits, blocks = (bits + 2 + 63) / 64;
    ulong a = (ulong)swapped(packet.nonce[0]) << 32 | swapped(packet.nonce[1]);
    a = encrypted(&sboxes, schedule, a);
    ulong b = a;
    for (uint i = 0; i < blocks; i++) {
        ulong block = 8 * i < packet.bytes ? load_be64(from + 2 * i) : 0;
        block |= bit_in_block(bits, i, packet.nonce[2]) | bit_in_block(bits + 1, i, 1);
        a = encrypted(&sboxes, schedule, a ^ block);
        b ^= a;
    }
    b = encrypted(&sboxes, schedule + SCHEDULE, b);
    output[packet.output] = swapped((uint)(b >> 32));
}
