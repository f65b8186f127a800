/*
 * Where a program of an M16C begins, and ends: the simulator takes a byte written to 0x400 for a
 * system call, of which number 1 is exit with the status in r1. Variables have their first values
 * already, as it loads images.
 */
    .text
    .global _start
_start:
    ldc #stack_end, isp
    jsr.a firmware
    mov.w r0, r1
    mov.b #1, 0x400
