"""A serial port of Linux: eight bits, no parity, nothing translated.

By the standard library: pyserial would add other systems, which ciphermark does not run on, and its
last release is of 2020.
"""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
import tty
from collections.abc import Callable

from ciphermark.errors import UsageError, WorkError

_MOST_BYTES = 4096
_LONGEST_LINE = 4096
_LOOK_SECONDS = 0.2
_CONTROL_FLAGS, _INPUT_SPEED, _OUTPUT_SPEED = 2, 4, 5
"""Places in what `termios.tcgetattr` gives."""


class SerialPort:
    """An open port, which no other program that asks can open meanwhile."""

    def __init__(
        self, device: str, baud: int, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """While it waits it asks whether the user `is_stopped`, which is then a `WorkError`.

        Raises `UsageError` where the device cannot be opened, or is none.
        """
        self.device = device
        self._is_stopped = is_stopped
        self._waiting = b""
        try:
            self._file = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as error:
            raise UsageError(
                f"--serial {device} cannot be opened: {error.strerror}; ls /dev/ttyACM* "
                "/dev/ttyUSB* shows ports, and users of the group dialout may open them"
            ) from None
        try:
            self._begin(baud)
        except (OSError, termios.error) as error:
            os.close(self._file)
            reason = str(error.args[-1]) if error.args else str(error)
            raise UsageError(f"--serial {device} is no port that is free: {reason}") from None

    def _begin(self, baud: int) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        tty.setraw(self._file)
        attributes = termios.tcgetattr(self._file)
        speed = getattr(termios, f"B{baud}")
        attributes[_CONTROL_FLAGS] |= termios.CLOCAL | termios.CREAD
        attributes[_INPUT_SPEED] = attributes[_OUTPUT_SPEED] = speed
        termios.tcsetattr(self._file, termios.TCSANOW, attributes)

    def close(self) -> None:
        """Gives the port back."""
        os.close(self._file)

    def discard(self) -> None:
        """Forgets what has come so far."""
        self._waiting = b""
        termios.tcflush(self._file, termios.TCIFLUSH)

    def write(self, data: bytes) -> None:
        """Sends bytes. Raises `WorkError` where the port is gone."""
        while data:
            select.select([], [self._file], [], 1)
            try:
                data = data[os.write(self._file, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._gone(error) from None

    def read_line(self, seconds: float) -> bytes | None:
        """The next line without its end; None where none has come in time.

        Raises `WorkError` where the port is gone.
        """
        deadline = time.monotonic() + seconds
        while b"\n" not in self._waiting:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            if self._is_stopped():
                raise WorkError("stopped")
            self._wait(min(left, _LOOK_SECONDS))
            self._waiting = self._waiting[-_LONGEST_LINE:]
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line

    def _wait(self, seconds: float) -> None:
        if not select.select([self._file], [], [], seconds)[0]:
            return
        try:
            read = os.read(self._file, _MOST_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone(error) from None
        if not read:
            raise WorkError(f"the serial port {self.device} was closed: is the board unplugged?")
        self._waiting += read

    def _gone(self, error: OSError) -> WorkError:
        return WorkError(
            f"the serial port {self.device} is gone ({error.strerror}): is the board unplugged?"
        )
