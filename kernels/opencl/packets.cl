/*
 * What all kernels share: how packets lie in memory, and how work is divided among work items.
 *
 * A kernel is given these arguments:
 *
 *     input    descriptions of all packets, then the packets
 *     keys     the schedules of all keys, one after the other
 *     output   the answers
 *     packets  how many there are
 *     items    work items for each packet
 *
 * Each packet starts at a multiple of PACKET_BYTES and is followed by zeros up to the next, also an
 * empty one; answers start at a multiple of ANSWER_BYTES. So whole words can be read and written
 * beyond a packet's end. The device is little-endian.
 */

#define PACKET_BYTES 64
#define ANSWER_BYTES 16

/* As the host writes it, in words of 32 bits. */
struct packet {
    uint input;       /* where it is in the input, in words from its start */
    uint output;      /* where its answer goes, in words of the output */
    uint bytes;
    uint unused_bits; /* low bits of the last byte that are no part of it, and are 0 */
    uint key;         /* number of its schedule */
    uint nonce[4];    /* filled up with zeros */
};

/* The packet of a work item. */
struct packet packet_of(global const uint *input, uint item, uint items)
{
    return ((global const struct packet *)input)[item / items];
}

uint swapped(uint word)
{
    return as_uint(as_uchar4(word).wzyx);
}

/* Two words of the packet as a number, most significant byte first. */
ulong load_be64(global const uint *words)
{
    return (ulong)swapped(words[0]) << 32 | swapped(words[1]);
}

void store_be64(global uint *words, ulong value)
{
    words[0] = swapped((uint)(value >> 32));
    words[1] = swapped((uint)value);
}
