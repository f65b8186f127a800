/*
 * The modes of each cipher, under their canonical names, whatever the backend. A cipher is given as
 * what rows need to know of it:
 *
 *     #define AES \
 *         ciphermark_aes_reference, AES_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"
 *     static const row cbc[] = {CBC_ROWS_BY_BITS("aes", AES)};
 */
#ifndef CIPHERMARK_CATALOGUE_H
#define CIPHERMARK_CATALOGUE_H

#include "cbc.h"
#include "cbc_mac.h"
#include "cmac.h"
#include "ctr.h"
#include "eea2eia2.h"
#include "xts.h"

/* The rows of a cipher with keys of 128, 192 and 256 bits, whose name is a string. */
#define CBC_ROWS_BY_BITS(name, ...) \
    CBC_ROWS(name "-128-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS(name "-192-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS(name "-256-cbc", 32, 16, __VA_ARGS__)

#define CTR_ROWS_BY_BITS(name, ...) \
    CTR_ROWS(name "-128-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS(name "-192-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS(name "-256-ctr", 32, 16, __VA_ARGS__)

#define CMAC_ROWS_BY_BITS(name, ...) \
    CMAC_ROW("cmac-" name "-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-" name "-256", 32, 16, __VA_ARGS__)

#define CBC_MAC_ROW_OF_128_BITS(name, ...) \
    CBC_MAC_ROW("cbc-mac-" name "-128", 16, 16, __VA_ARGS__)

/* AES has rows more, and one mode. */
#define AES_CMAC_ROWS(...) \
    CMAC_ROWS_BY_BITS("aes", __VA_ARGS__), CMAC_ROW("cmac-aes-192", 24, 16, __VA_ARGS__)

#define AES_XTS_ROWS(...) \
    XTS_ROWS("aes-128-xts", 32, __VA_ARGS__), XTS_ROWS("aes-256-xts", 64, __VA_ARGS__)

#define AES_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW_OF_128_BITS("aes", __VA_ARGS__), \
    CBC_MAC_ROW("cbc-mac-aes-256", 32, 16, __VA_ARGS__)

#define RC6_CBC_ROWS(...) \
    CBC_ROWS("rc6-32-20-16-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS("rc6-32-20-24-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS("rc6-32-20-32-cbc", 32, 16, __VA_ARGS__)

#define RC6_CTR_ROWS(...) \
    CTR_ROWS("rc6-32-20-16-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS("rc6-32-20-24-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS("rc6-32-20-32-ctr", 32, 16, __VA_ARGS__)

#define RC6_CMAC_ROWS(...) \
    CMAC_ROW("cmac-rc6-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-rc6-256", 32, 16, __VA_ARGS__)

#define RC6_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW("cbc-mac-rc6-128", 16, 16, __VA_ARGS__), \
    CBC_MAC_ROW("cbc-mac-rc6-256", 32, 16, __VA_ARGS__)

/* With 8 and 12 rounds, and the keys of the test vectors of RFC 2040. */
#define RC5_8_CBC_ROWS(...) \
    CBC_ROWS("rc5-32-8-5-cbc", 5, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-8-8-cbc", 8, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-8-16-cbc", 16, 8, __VA_ARGS__)

#define RC5_12_CBC_ROWS(...) \
    CBC_ROWS("rc5-32-12-1-cbc", 1, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-12-4-cbc", 4, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-12-5-cbc", 5, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-12-8-cbc", 8, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-12-16-cbc", 16, 8, __VA_ARGS__)

#define IDEA_CBC_ROWS(...) \
    CBC_ROWS("idea-cbc", 16, 8, __VA_ARGS__)

#endif
