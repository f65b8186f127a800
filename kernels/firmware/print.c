#include "print.h"

#include "hal.h"

#define MOST_DIGITS 20

void print(const char *before, uint64_t number, const char *after)
{
    char text[MOST_DIGITS + 1], *digit = text + MOST_DIGITS;
    *digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    hal_write(before);
    hal_write(digit);
    hal_write(after);
}
