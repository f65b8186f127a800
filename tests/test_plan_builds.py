"""Libraries and kernels that the user names."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import selection


def test_one_library_keeps_its_name() -> None:
    assert selection.read_builds(["OpenSSL=/a.so"], []) == {"openssl": "/a.so"}


def test_several_builds_of_a_library_are_numbered() -> None:
    assert selection.read_builds(["openssl=/a.so", "openssl=/b.so", "botan=/c.so"], []) == {
        "openssl@1": "/a.so",
        "openssl@2": "/b.so",
        "botan": "/c.so",
    }


def test_the_user_may_name_them() -> None:
    assert selection.read_builds(["openssl@old=/a.so", "openssl@new=/b.so"], []) == {
        "openssl@old": "/a.so",
        "openssl@new": "/b.so",
    }


def test_a_kernel_is_called_by_its_file() -> None:
    assert selection.read_builds([], ["./libxtea.so", "/x/aes.so.1", "/y/aes.so"]) == {
        "kernel@xtea": "./libxtea.so",
        "kernel@aes-1": "/x/aes.so.1",
        "kernel@aes-2": "/y/aes.so",
    }


def test_names_that_would_be_one_are_refused() -> None:
    with pytest.raises(UsageError, match="two libraries are called openssl@1"):
        selection.read_builds(["openssl=/a", "openssl=/b", "openssl@1=/c"], [])


@pytest.mark.parametrize("text", ["openssl", "=x.so", "openssl="])
def test_what_is_no_library_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not PROVIDER=PATH"):
        selection.read_builds([text], [])


def test_old_and_new_are_two_builds_of_one() -> None:
    assert selection.old_and_new("./a.so", "./b.so") == {
        "kernel@old": "./a.so",
        "kernel@new": "./b.so",
    }
    assert list(selection.old_and_new("openssl=/a", "openssl=/b")) == ["openssl@old", "openssl@new"]
    with pytest.raises(UsageError, match="openssl is not botan"):
        selection.old_and_new("openssl=/a", "botan=/b")
