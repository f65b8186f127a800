"""What S3 and whatever speaks like it need, beyond what fsspec says of every filesystem.

It has no folders, only buckets, which someone makes on purpose; and it takes a file whole or not at
all.
"""

from __future__ import annotations

from ciphermark.errors import UsageError

SCHEMES = ("s3", "s3a")

RETRIES = 2
"""Of a request, around those that botocore has by itself (`AWS_MAX_ATTEMPTS`): s3fs's own five make
a server that never answers one of over six minutes."""

_ADVICE = {
    "NoSuchBucket": "is the name right? aws s3 mb s3://{bucket} makes it",
    "NoCredentialsError": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store them with "
    "aws configure",
    "PartialCredentialsError": "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "ProfileNotFound": "set AWS_PROFILE to one that is in ~/.aws/config",
    "PermissionError": "see that the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or of "
    "AWS_PROFILE, may use this bucket",
    "ConnectionError": "set AWS_ENDPOINT_URL to the address of the server that has the bucket",
    "HTTPClientError": "set AWS_ENDPOINT_URL to the address of the server that has the bucket",
}
"""What to type, by the name of an exception of botocore or one that it stands for."""


def is_one(url: str) -> bool:
    """Whether an address is of such a store, with nothing before it."""
    return url.partition("://")[0] in SCHEMES


def check(url: str) -> None:
    """Raises `UsageError` where no bucket is named."""
    if is_one(url) and not _bucket(url):
        raise UsageError(f"--runs {url} names no bucket; type s3://bucket/prefix")


def lacks_bucket(error: Exception) -> bool:
    """Whether a file is not found because its bucket is not."""
    return "NoSuchBucket" in _kinds(error)


def advice(error: Exception, url: str) -> str | None:
    """What to type where something has failed, where that is known."""
    if not is_one(url):
        return None
    found = (_ADVICE[kind] for kind in _kinds(error) if kind in _ADVICE)
    text = next(found, None)
    return text and text.format(bucket=_bucket(url))


def _kinds(error: BaseException | None) -> list[str]:
    """The names of an exception's classes, and of those that caused it: s3fs makes exceptions of
    Python's own of botocore's."""
    found: list[str] = []
    while error is not None:
        found = [it.__name__ for it in type(error).__mro__] + found
        error = error.__cause__
    return found


def _bucket(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
