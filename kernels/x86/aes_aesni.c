/* AES, its rounds by AES-NI. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "aes_aesni.h"
#include "ecb.h"

AES_CIPHER(ciphermark_aes_aesni)

#define ROWS(name, key_bytes) \
    ECB_ROWS(name, key_bytes, AES_BLOCK_BYTES, ciphermark_aes_aesni, \
             AES_INSTRUCTIONS_SCHEDULE_BYTES, CIPHERMARK_CONSTANT_TIME, "aesni")

static const row rows[] = {
    ROWS("aes-128-ecb", 16), ROWS("aes-192-ecb", 24), ROWS("aes-256-ecb", 32)};

KERNELS_WHERE(ciphermark_aes_aesni_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
