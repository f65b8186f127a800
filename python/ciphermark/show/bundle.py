"""The JavaScript that draws the plots of a report, inlined so that the report works offline."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import vl_convert

from ciphermark.record.atomic import replaced_file


def javascript(vegalite: str) -> str:
    """Vega, Vega-Lite and Vega-Embed in one text, for this version of Vega-Lite (`v6_1`).

    Putting it together takes two seconds, and it is the same for each version of vl-convert: it is
    kept in the user's cache folder. Where that cannot be written it is made anew.
    """
    name = f"vega-{vl_convert.__version__}-{vegalite}.js"
    kept = Path(platformdirs.user_cache_dir("ciphermark")) / name
    try:
        return kept.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = vl_convert.javascript_bundle(vl_version=vegalite)
    _keep(kept, text)
    return text


def _keep(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as partial:
            partial.write_text(text, "utf-8")
    except OSError:
        pass  # it was only to be quicker next time
