/* A libcrypto that does as MISDEED says when it is loaded. With a file named in OPENED_BEFORE it
 * makes that file the first time, and does as MISDEED says from the second time on. */

#include "misdeeds.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void load(void)
{
    const char *mark = getenv("OPENED_BEFORE");
    if (mark && access(mark, F_OK) != 0)
        close(creat(mark, 0600));
    else
        MISDEED;
}
