/* UIA2 of one message at a time: SNOW 3G by tables, and the polynomial by PCLMULQDQ. */
#include "rows.h"

#if defined(__x86_64__)

#include "avx2.h"
#include "multiply64.h"
#include "pclmulqdq.h"
#include "uia2_polynomial.h"

static const struct uia2 uia2 = {&ciphermark_snow3g_table, evaluate, multiply};

static const row rows[] = {UIA2_ROW(uia2, CIPHERMARK_VARIABLE_TIME, "table-pclmulqdq")};

KERNELS_WHERE(ciphermark_snow3g_table_pclmulqdq_rows, rows, RUN_HERE);

#include "instructions_end.h"

#endif
