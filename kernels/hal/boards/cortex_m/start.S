/*
 * Where a Cortex-M begins. Chips with flash read the stack pointer and `reset` from the vectors; boot
 * ROMs and debuggers that have loaded an image into RAM go to its first instruction, board_entry.
 * What they have left enabled is switched off (ARMv6-M and ARMv7-M: VTOR, NVIC_ICER, NVIC_ICPR).
 */
    .syntax unified

#ifdef HAL_IN_RAM
    .section .entry, "ax" /* before the vectors */
#else
    .section .text.entry, "ax"
#endif
    .global board_entry
    .thumb_func
board_entry:
    cpsid i
    ldr r0, =vectors
    ldr r1, =0xe000ed08 /* VTOR */
    str r0, [r1]
    ldr r1, =0xe000e180 /* NVIC_ICER */
    movs r2, #0
    mvns r2, r2
    str r2, [r1]
    adds r1, #0x80
    adds r1, #0x80
    str r2, [r1] /* NVIC_ICPR */
    ldr r1, [r0]
    mov sp, r1
    ldr r1, [r0, #4]
    cpsie i
    bx r1
    .pool

    .section .vectors, "a"
    .balign 256
vectors:
    .word stack_end
    .word reset
    .rept 13
    .word halt
    .endr
    .word systick_wrapped

    .text
    .thumb_func
reset:
    ldr r0, =data_begin
    ldr r1, =data_end
    ldr r2, =data_stored
1:  cmp r0, r1
    bhs 2f
    ldr r3, [r2]
    str r3, [r0]
    adds r0, #4
    adds r2, #4
    b 1b
2:  ldr r0, =bss_begin
    ldr r1, =bss_end
    movs r3, #0
3:  cmp r0, r1
    bhs 4f
    str r3, [r0]
    adds r0, #4
    b 3b
4:  bl board_main
    .thumb_func
halt:
    b halt
    .pool
