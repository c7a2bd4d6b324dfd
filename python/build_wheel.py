# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the wheel: a few Python files in an archive (PEP 517, PEP 427). It needs nothing that Python lacks, so that
"pip install ./python" works without a network. It also notes in the wheel where the checkout lies, for its program."""
import base64
import hashlib
import io
import os
import pathlib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME, VERSION = "gpusim", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Run gpusim, a kernel-DAG scheduling simulator for GPUs, from Python
License: GPL-3.0-or-later
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: pandas; extra == "frames"
Provides-Extra: plots
Requires-Dist: matplotlib; extra == "plots"
Provides-Extra: native
Requires-Dist: cffi; extra == "native"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: gpusim\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _files(editable):
    checkout = HERE.parent
    yield f"{INFO}/METADATA", METADATA.encode()
    yield f"{INFO}/WHEEL", WHEEL.encode()
    if editable:
        yield "gpusim.pth", (str(HERE) + "\n").encode()
        return
    for path in sorted((HERE / "gpusim").glob("*")):
        if path.suffix in (".py", ".typed") and path.name != "_checkout.py":
            yield f"gpusim/{path.name}", path.read_bytes()
    where = str(checkout) if (checkout / "gpusim").is_file() else ""
    yield "gpusim/_checkout.py", f'"""Where the wheel was built."""\nPATH = {where!r}\n'.encode()


def _write(folder, editable):
    record = io.StringIO()
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in _files(editable):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.write(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(zipfile.ZipInfo(path), data)
        record.write(f"{INFO}/RECORD,,\n")
        wheel.writestr(zipfile.ZipInfo(f"{INFO}/RECORD"), record.getvalue())
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, False)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, True)


if __name__ == "__main__":  # python3 build_wheel.py FOLDER
    import sys
    print(_write(sys.argv[1], False))
