"""Writes the bill of materials of a wheel in CycloneDX: tools/write_sbom.py TARGET FILE

Lists the crates that are compiled into the engine for a target of Rust, with their licences and the
hashes of Cargo.lock, and the packages whose code lies beside it. Two calls on one commit write the
same bytes.
"""

import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "ciphermark-engine"
PACKED = {
    "vl-convert-python": "Vega and Vega-Lite, which draw plots in pages",
    "ziglang": "libunwind, compiler-rt and, in static engines, the C library musl",
}
"""Packages of Python, and their code that a wheel contains."""


def bill(target):
    """Returns the bill of a wheel whose engine is for a target."""
    line = ("cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={target}")
    told = subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    metadata = json.loads(told)
    packages = {package["id"]: package for package in metadata["packages"]}
    macros = {name for name, package in packages.items() if _is_macro(package)}
    needs = {
        node["id"]: [it["pkg"] for it in node["deps"] if it["pkg"] not in macros and _is_linked(it)]
        for node in metadata["resolve"]["nodes"]
    }
    checksums = _checksums()
    (engine,) = (name for name, package in packages.items() if package["name"] == ENGINE)
    found, waiting = {}, [engine]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _component(packages[name], checksums)
            waiting += needs[name]
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    bom = Bom(version=1)
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.component = _wheel(packages[engine]["version"])
    packed = [_packed(*it) for it in PACKED.items()]
    bom.components = [*found.values(), *packed]
    bom.register_dependency(bom.metadata.component, [found[engine], *packed])
    for name, component in found.items():
        bom.register_dependency(component, [found[it] for it in needs[name]])
    named = sorted(str(component.purl) for component in bom.components)
    digest = hashlib.sha256(f"{target} {epoch} {named}".encode()).hexdigest()
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, digest)
    return bom


def _is_macro(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def _is_linked(dependency):
    """Returns whether a dependency is more than one of tests and build scripts."""
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def _checksums():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    return {
        (package["name"], package["version"]): package.get("checksum")
        for package in lock["package"]
    }


def _component(package, checksums):
    name, version = package["name"], package["version"]
    checksum = checksums[name, version]
    purl = PackageURL("cargo", name=name, version=version)
    # Older crates write a slash for "or".
    licence = re.sub(r"\s*/\s*", " OR ", package["license"] or "")
    return Component(
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        type=ComponentType.LIBRARY,
        licenses=[LicenseExpression(licence)] if licence else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
    )


def _packed(name, description):
    version = importlib.metadata.version(name)
    purl = PackageURL("pypi", name=name, version=version)
    return Component(
        name=name, version=version, purl=purl, bom_ref=str(purl), description=description
    )


def _wheel(version):
    purl = PackageURL("pypi", name="ciphermark", version=version)
    return Component(
        name=purl.name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        type=ComponentType.APPLICATION,
        licenses=[LicenseExpression("MIT OR Apache-2.0")],
    )


def main():
    target, file = sys.argv[1:]
    text = JsonV1Dot6(bill(target)).output_as_string(indent=1)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        sys.exit(f"the bill of materials is not valid: {wrong}")
    Path(file).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
