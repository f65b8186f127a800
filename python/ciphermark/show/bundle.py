"""The JavaScript that draws the plots of a report, inlined so that the report works offline."""

from __future__ import annotations

import platformdirs
import vl_convert

from ciphermark.files import rebuildable


def javascript(vegalite: str) -> str:
    """Vega, Vega-Lite and Vega-Embed in one text, for this version of Vega-Lite (`v6_1`).

    Putting it together takes two seconds, and it is the same for each version of vl-convert: it is
    kept in the user's cache folder. Where that cannot be written it is made anew.
    """
    version = vl_convert.__version__  # type: ignore[attr-defined]  # not in its stubs
    name = f"vega-{version}-{vegalite}.js"
    kept = platformdirs.user_cache_path("ciphermark") / name
    if (content := rebuildable.read_bytes(kept)) is not None:
        return content.decode("utf-8")
    # Its stubs have no default for the snippet, of which there is none.
    text = vl_convert.javascript_bundle(vl_version=vegalite)  # type: ignore[call-arg]
    rebuildable.write_bytes(kept, text.encode("utf-8"))
    return text
