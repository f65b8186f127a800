/*
 * An AVR whose UART is this program's standard input and output: simavr_serial IMAGE PROCESSOR HZ
 *
 * It runs until its input ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#define CYCLES_BETWEEN_LOOKS 2000
#define WAIT_MS 20 /* while the program has nothing to do but wait for a byte */
#define IDLE_LOOKS 2000

static int has_room = 1;
static int idle;

static void send(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    const unsigned char byte = (unsigned char)value;
    (void)irq;
    (void)unused;
    idle = 0;
    while (write(STDOUT_FILENO, &byte, 1) != 1) {
        if (errno != EAGAIN)
            exit(0);
        poll(&(struct pollfd){STDOUT_FILENO, POLLOUT, 0}, 1, WAIT_MS);
    }
}

static void set_room(struct avr_irq_t *irq, uint32_t value, void *is_room)
{
    (void)irq;
    (void)value;
    has_room = is_room != NULL;
}

static void log_nothing(avr_t *avr, const int level, const char *format, va_list values)
{
    (void)avr;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, values);
}

int main(int count, char **arguments)
{
    static elf_firmware_t image;
    uint32_t flags = 0;
    avr_cycle_count_t next = 0;
    avr_irq_t *input;
    avr_t *avr;
    if (count != 4 || (avr = avr_make_mcu_by_name(arguments[2])) == NULL)
        return 2;
    avr_global_logger_set(log_nothing);
    if (elf_read_firmware(arguments[1], &image) != 0)
        return 2;
    avr_init(avr);
    avr_load_firmware(avr, &image);
    avr->frequency = (uint32_t)strtoul(arguments[3], NULL, 10);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(input + UART_IRQ_OUTPUT, send, NULL);
    avr_irq_register_notify(input + UART_IRQ_OUT_XON, set_room, &has_room);
    avr_irq_register_notify(input + UART_IRQ_OUT_XOFF, set_room, NULL);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    for (;;) {
        const int state = avr_run(avr);
        unsigned char byte;
        ssize_t got;
        if (state == cpu_Done || state == cpu_Crashed)
            return 1;
        if (avr->cycle < next || !has_room)
            continue;
        next = avr->cycle + CYCLES_BETWEEN_LOOKS;
        got = read(STDIN_FILENO, &byte, 1);
        if (got == 1) {
            idle = 0;
            avr_raise_irq(input, byte);
        } else if (got == 0 || errno != EAGAIN) {
            return 0;
        } else if (++idle > IDLE_LOOKS) {
            poll(&(struct pollfd){STDIN_FILENO, POLLIN, 0}, 1, WAIT_MS);
        }
    }
}
