/* UEA2: SNOW 3G of one message. */
#include "loop.h"

#include <intel-ipsec-mb.h>

static IMB_MGR *manager;
static snow3g_key_schedule_t schedule;

static void encrypt(void)
{
    next_nonce();
    IMB_SNOW3G_F8_1_BUFFER(manager, &schedule, nonce, message, output, bytes);
}

static void prepare(void)
{
    manager = alloc_mb_mgr(0);
    require(manager != NULL);
    init_mb_mgr_auto(manager, NULL);
    require(IMB_SNOW3G_INIT_KEY_SCHED(manager, key, &schedule) == 0);
}

PROGRAM({"uea2", prepare, encrypt})
