/* The words of SHA-256 and SHA-224, for the steps of both kinds of kernel. */
#ifndef CIPHERMARK_SHA256_WORD_H
#define CIPHERMARK_SHA256_WORD_H

#include "sha256.h"
#include "words.h"

typedef uint32_t word;

#define WORD_BYTES 4
#define STEPS 64
#define load_word load_be32
#define store_word store_be32
#define flash_word flash32
#define rotate_word rotate_right32

/* FIPS 180-4, section 4.1.2: by how many bits the functions rotate and, last, the lower-case ones shift. */
#define BITS_Sigma0 2, 13, 22
#define BITS_Sigma1 6, 11, 25
#define BITS_sigma0 7, 18, 3
#define BITS_sigma1 17, 19, 10

#include "sha2_functions.h"

#endif
