/* AES, its rounds by the instructions of ARMv8. */
#include "rows.h"

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)

#include "aes_armv8.h"
#include "cpu.h"
#include "ecb.h"

AES_CIPHER(ciphermark_aes_armv8)

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, AES_BLOCK_BYTES, ciphermark_aes_armv8, \
             AES_INSTRUCTIONS_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "armv8")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS_WHERE(ciphermark_aes_armv8_rows, rows, ciphermark_has_aes);

#endif
