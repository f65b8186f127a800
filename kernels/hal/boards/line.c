/*
 * What is spoken over a serial port (docs/boards.md). Every line of the board has its number in the
 * answer and a checksum over number and text,
 *
 *     0003 interval 0 instructions - cycles 1234 loads - stores - stack -*5be1
 *
 * so that a line that was lost or garbled is noticed. A command is `!` and a letter. Data is not in
 * the image: the board asks for a block of it by a line `read AT`, and the answer is
 *
 *     =00112233…1f0b
 *
 * BLOCK bytes from there on and a checksum over the place and the bytes. Where that is wrong, the
 * board says `garbled` and is silent to the end of the answer, as it is where a new command comes in
 * the place of a block: whoever asks has then given up.
 */
#include "boards/board.h"
#include "hal.h"

#include <string.h>

#include "print.h"

#define BLOCK 32
#define NOT_A_DIGIT 16

/* CRC-16/XMODEM (polynomial 0x1021), begun with ones. */
#define CRC_BEGIN 0xffff
#define CRC_POLYNOMIAL 0x1021

static struct {
    uint16_t number; /* of the line, in the answer */
    uint16_t crc;
    uint8_t is_begun;
    uint8_t is_silent;
} line;

static struct {
    uint32_t at;
    uint8_t count; /* 0 before there is one */
    uint8_t bytes[BLOCK];
} block;

static int has_command; /* its `!` has come in the place of data */

static uint16_t summed(uint16_t crc, uint8_t byte)
{
    uint8_t bit;
    crc ^= (uint16_t)((uint16_t)byte << 8);
    for (bit = 0; bit < 8; bit++)
        crc = (crc & 0x8000) != 0 ? (uint16_t)((uint16_t)(crc << 1) ^ CRC_POLYNOMIAL)
                                  : (uint16_t)(crc << 1);
    return crc;
}

static void send(char letter)
{
    line.crc = summed(line.crc, (uint8_t)letter);
    board_send((uint8_t)letter);
}

static void send_hex(uint16_t number)
{
    uint8_t place;
    for (place = 0; place < 4; place++) {
        const uint8_t digit = (uint8_t)(number >> 12);
        send((char)(digit < 10 ? '0' + digit : 'a' - 10 + digit));
        number = (uint16_t)(number << 4);
    }
}

static void put(char letter)
{
    if (line.is_silent)
        return;
    if (!line.is_begun) {
        line.is_begun = 1;
        line.crc = CRC_BEGIN;
        send_hex(line.number++);
        send(' ');
    }
    if (letter != '\n') {
        send(letter);
        return;
    }
    board_send('*');
    send_hex(line.crc);
    board_send('\n');
    line.is_begun = 0;
}

/* What was counted comes before whatever is said of it. */
static void write_intervals(void)
{
    uint64_t cycles[MOST_INTERVALS];
    const uint8_t count = board_intervals(cycles);
    uint8_t i;
    for (i = 0; i < count; i++) {
        print("interval ", i, " instructions - ");
        print("cycles ", cycles[i], " loads - stores - stack -\n");
    }
}

void hal_write(const char *text)
{
    write_intervals();
    for (; *text != '\0'; text++)
        put(*text);
}

static uint8_t receive_digit(void)
{
    const uint8_t letter = board_receive();
    if (letter >= '0' && letter <= '9')
        return (uint8_t)(letter - '0');
    if (letter >= 'a' && letter <= 'f')
        return (uint8_t)(letter - 'a' + 10);
    has_command |= letter == '!';
    return NOT_A_DIGIT;
}

/* Two digits; 0 where something else has come. */
static int receive_byte(uint8_t *byte)
{
    const uint8_t high = receive_digit();
    const uint8_t low = high == NOT_A_DIGIT ? NOT_A_DIGIT : receive_digit();
    *byte = (uint8_t)((uint8_t)(high << 4) | low);
    return low != NOT_A_DIGIT;
}

/* Whether a block has come whole. */
static int receive_block(void)
{
    uint16_t crc = CRC_BEGIN, told = 0;
    uint8_t i, byte;
    do {
        byte = board_receive();
        has_command |= byte == '!';
    } while (byte != '=' && !has_command);
    for (i = 0; i < 4; i++)
        crc = summed(crc, (uint8_t)(block.at >> (24 - 8 * i)));
    for (i = 0; i < BLOCK + 2 && !has_command; i++) {
        if (!receive_byte(&byte))
            return 0;
        if (i < BLOCK)
            crc = summed(crc, block.bytes[i] = byte);
        else
            told = (uint16_t)((uint16_t)(told << 8) | byte);
    }
    return !has_command && crc == told;
}

static void fetch(uint32_t at)
{
    block.at = at;
    block.count = BLOCK;
    if (!line.is_silent) {
        print("read ", at, "\n");
        if (receive_block())
            return;
        if (!has_command)
            hal_write("garbled\n");
        line.is_silent = 1;
    }
    memset(block.bytes, 0, BLOCK);
}

void hal_read(uint32_t at, uint8_t *bytes, size_t count)
{
    for (; count > 0; count--, at++) {
        if (at - block.at >= block.count)
            fetch(at);
        *bytes++ = block.bytes[at - block.at];
    }
}

char line_command(void)
{
    char text[] = "begin ?\n";
    while (!has_command)
        has_command = board_receive() == '!';
    has_command = 0;
    text[6] = (char)board_receive();
    memset(&line, 0, sizeof line);
    block.count = 0;
    hal_write(text);
    return text[6];
}

void line_end(int status)
{
    print("end ", (uint64_t)status, "\n");
}
