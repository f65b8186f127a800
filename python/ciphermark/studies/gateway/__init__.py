"""The gateway study: ten functions of a VPN on one core and on all, beside the boxes of the post.

The post (2015) asks which of two cheap processors makes the better VPN gateway, finds that a
library's optimised code is the slower one on one of them, and turns MB/s into lines that can be
filled. Its figures are of `openssl speed -elapsed -evp` with messages of 1024 bytes; here each
function is shown in its fastest implementation, features of the processor are hidden one by one,
and what it says is asked of its own table and of this machine.
"""

from ciphermark.studies.gateway.drawn import charts
from ciphermark.studies.gateway.judged import STATEMENTS, claims
from ciphermark.studies.gateway.price import ASKED as given
from ciphermark.studies.gateway.tabulated import tables

__all__ = ["STATEMENTS", "charts", "claims", "given", "tables"]
