/* The words of SHA-512 and SHA-384, for the steps of both kinds of kernel. */
#ifndef CIPHERMARK_SHA512_WORD_H
#define CIPHERMARK_SHA512_WORD_H

#include "sha512.h"
#include "words.h"

typedef uint64_t word;

#define WORD_BYTES 8
#define STEPS 80
#define load_word load_be64
#define store_word store_be64
#define flash_word flash64
#define rotate_word rotate_right64

/* FIPS 180-4, section 4.1.3: by how many bits the functions rotate and, last, the lower-case ones shift. */
#define BITS_Sigma0 28, 34, 39
#define BITS_Sigma1 14, 18, 41
#define BITS_sigma0 1, 8, 7
#define BITS_sigma1 19, 61, 6

#include "sha2_functions.h"

#endif
