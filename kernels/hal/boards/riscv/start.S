/* Where a RISC-V board begins: interrupts off, variables, then the board. */
    .option arch, +zicsr
    .section .entry, "ax"
    .global board_entry
board_entry:
    csrci mstatus, 8 /* MIE */
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_end
    la t0, data_begin
    la t1, data_end
    la t2, data_stored
1:  bgeu t0, t1, 2f
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j 1b
2:  la t0, bss_begin
    la t1, bss_end
3:  bgeu t0, t1, 4f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 3b
4:  call board_start
    call firmware
5:  j 5b
