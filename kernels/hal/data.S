/*
 * The data that an image carries: the file that the macro DATA names. It is included whole, since
 * AVR's compiler has no objects beyond 32 KiB, and lies behind the code, since there the kernels'
 * tables must be within the first 64 KiB.
 */
#ifdef __AVR__
    .section .text.ciphermark_data, "ax"
#else
    .section .note.GNU-stack, "", %progbits
    .section .rodata
#endif

    .global ciphermark_data
ciphermark_data:
    .incbin DATA
    .balign 4
