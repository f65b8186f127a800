/*
 * The modes of each cipher, under their canonical names, whatever the backend. A cipher is given as
 * what rows need to know of it:
 *
 *     #define AES \
 *         ciphermark_aes_reference, AES_SCHEDULE_BYTES, CIPHERMARK_VARIABLE_TIME, "reference"
 *     static const row cbc[] = {AES_CBC_ROWS(AES)};
 */
#ifndef CIPHERMARK_CATALOGUE_H
#define CIPHERMARK_CATALOGUE_H

#include "cbc.h"
#include "cbc_mac.h"
#include "cmac.h"
#include "ctr.h"
#include "eea2eia2.h"

#define AES_CBC_ROWS(...) \
    CBC_ROWS("aes-128-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS("aes-192-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS("aes-256-cbc", 32, 16, __VA_ARGS__)

#define AES_CTR_ROWS(...) \
    CTR_ROWS("aes-128-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS("aes-192-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS("aes-256-ctr", 32, 16, __VA_ARGS__)

#define AES_CMAC_ROWS(...) \
    CMAC_ROW("cmac-aes-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-aes-192", 24, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-aes-256", 32, 16, __VA_ARGS__)

#define AES_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW("cbc-mac-aes-128", 16, 16, __VA_ARGS__), \
    CBC_MAC_ROW("cbc-mac-aes-256", 32, 16, __VA_ARGS__)

#define CAMELLIA_CBC_ROWS(...) \
    CBC_ROWS("camellia-128-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS("camellia-192-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS("camellia-256-cbc", 32, 16, __VA_ARGS__)

#define CAMELLIA_CTR_ROWS(...) \
    CTR_ROWS("camellia-128-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS("camellia-192-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS("camellia-256-ctr", 32, 16, __VA_ARGS__)

#define CAMELLIA_CMAC_ROWS(...) \
    CMAC_ROW("cmac-camellia-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-camellia-256", 32, 16, __VA_ARGS__)

#define CAMELLIA_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW("cbc-mac-camellia-128", 16, 16, __VA_ARGS__)

#define SERPENT_CBC_ROWS(...) \
    CBC_ROWS("serpent-128-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS("serpent-192-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS("serpent-256-cbc", 32, 16, __VA_ARGS__)

#define SERPENT_CTR_ROWS(...) \
    CTR_ROWS("serpent-128-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS("serpent-192-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS("serpent-256-ctr", 32, 16, __VA_ARGS__)

#define SERPENT_CMAC_ROWS(...) \
    CMAC_ROW("cmac-serpent-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-serpent-256", 32, 16, __VA_ARGS__)

#define SERPENT_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW("cbc-mac-serpent-128", 16, 16, __VA_ARGS__)

#define TWOFISH_CBC_ROWS(...) \
    CBC_ROWS("twofish-128-cbc", 16, 16, __VA_ARGS__), \
    CBC_ROWS("twofish-192-cbc", 24, 16, __VA_ARGS__), \
    CBC_ROWS("twofish-256-cbc", 32, 16, __VA_ARGS__)

#define TWOFISH_CTR_ROWS(...) \
    CTR_ROWS("twofish-128-ctr", 16, 16, __VA_ARGS__), \
    CTR_ROWS("twofish-192-ctr", 24, 16, __VA_ARGS__), \
    CTR_ROWS("twofish-256-ctr", 32, 16, __VA_ARGS__)

#define TWOFISH_CMAC_ROWS(...) \
    CMAC_ROW("cmac-twofish-128", 16, 16, __VA_ARGS__), \
    CMAC_ROW("cmac-twofish-256", 32, 16, __VA_ARGS__)

#define TWOFISH_CBC_MAC_ROWS(...) \
    CBC_MAC_ROW("cbc-mac-twofish-128", 16, 16, __VA_ARGS__)

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

#define RC5_CBC_ROWS(...) \
    CBC_ROWS("rc5-32-12-8-cbc", 8, 8, __VA_ARGS__), \
    CBC_ROWS("rc5-32-12-16-cbc", 16, 8, __VA_ARGS__)

#define IDEA_CBC_ROWS(...) \
    CBC_ROWS("idea-cbc", 16, 8, __VA_ARGS__)

#endif
