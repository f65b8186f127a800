"""Importer of a table that has a function, the bytes of a message and nanoseconds in each line."""

from ciphermark.workloads.imported.readers.formats import Format
from ciphermark.workloads.imported.readers.reading import Figure, Reading, lines_of, positive, whole

HEADING = "# function bytes ns"


def read(text: str, elapsed: bool | None) -> list[Reading]:
    """Returns the one reading of a file."""
    reading = Reading(tool="plain table", provider="openssl", divisor="wall")
    for line in lines_of(text)[1:]:
        name, size, ns = line.text.split()
        reading.figures.append(
            Figure(
                line=line.number,
                said=name,
                names=(name,),
                message_bytes=whole(size, line.number),
                ns=positive(ns, line.number),
            )
        )
    return [reading]


FORMAT = Format("plain", lambda text: text.startswith(HEADING), read)
