#include "aes_sbox.h"

#include "table.h"

#define ITSELF(value) value
const uint8_t ciphermark_aes_sbox[256] IN_FLASH = {AES_SBOX(ITSELF)};
