#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format would change no source file; format.py --fix [FILE...] lets it."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import Tree  # noqa: E402


def main(arguments):
    root = pathlib.Path(__file__).resolve().parents[2]
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if program is None:
        print("error: clang-format is missing; the package is clang-format-14")
        return 3
    fix = "--fix" in arguments
    files = [name for name in arguments[1:] if name != "--fix"]
    files = files or [str(root / file.path) for file in Tree(root).sources()]
    options = ["-i"] if fix else ["--dry-run", "-Werror"]
    status = subprocess.run([program, "-style=file", *options, *files], check=False).returncode
    if status == 0:
        print(f"{len(files)} files formatted")
    else:
        print("error: not formatted; run  python3 tools/lint/format.py --fix FILE...")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
