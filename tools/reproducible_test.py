#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds targets twice, in two folders of different names and depths, and compares the files byte for byte.

reproducible_test.py CXX TARGET=FILE...   FILE is seen from the build folder.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", "build", "out", "__pycache__")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build(source, binary, compiler, targets):
    shutil.copytree(ROOT, source, ignore=LEFT_OUT)
    run("cmake", "-S", source, "-B", binary, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DPLUMB_BUILD_TESTS=OFF", "-DPLUMB_CUDA=OFF", f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", binary, "-j", os.cpu_count() or 1, "--target", *targets)


def main():
    compiler = sys.argv[1]
    targets = dict(word.split("=") for word in sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        # One build folder inside the sources, one outside.
        places = [(here / "a", here / "a/build/x"), (here / "deeper/under/another-name", here / "out")]
        for source, binary in places:
            build(source, binary, compiler, targets)
        different = 0
        for file in targets.values():
            first, second = ((binary / file).read_bytes() for _, binary in places)
            equal = first == second
            print(f"{file}: {len(first)} bytes, SHA-256 {hashlib.sha256(first).hexdigest()[:16]}",
                  "" if equal else f"and {hashlib.sha256(second).hexdigest()[:16]}: different")
            different += not equal
            # A path that went in by another way than the compiler's would still be told apart here.
            if str(here).encode() in first:
                print(f"{file} contains the path {here}")
                different += 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
