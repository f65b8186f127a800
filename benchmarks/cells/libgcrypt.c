/* SHA-256. */
#include "loop.h"

#include <gcrypt.h>

static gcry_md_hd_t handle;

static void digest(void)
{
    gcry_md_reset(handle);
    gcry_md_write(handle, message, bytes);
    memcpy(tag, gcry_md_read(handle, GCRY_MD_SHA256), 32);
}

static void prepare(void)
{
    require(gcry_check_version(NULL) != NULL);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    require(gcry_md_open(&handle, GCRY_MD_SHA256, 0) == 0);
}

PROGRAM({"sha256", prepare, digest})
