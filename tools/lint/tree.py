# SPDX-License-Identifier: Apache-2.0
"""The project's files, read once: what every rule looks at."""
import os
import pathlib

SOURCE = {".cpp", ".h", ".c", ".cu", ".cuh"}
SCRIPT = {".py", ".sh", ".cmake", ".in"}
NAMED = {"CMakeLists.txt", "run", "test", ".clang-format", ".clang-tidy", "packages.txt"}
LEFT_OUT = {".git", "build", "out", "__pycache__"}


class File:
    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.suffix = path.suffix
        self.name = path.name
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.lines = self.text.splitlines()

    def is_source(self):
        return self.suffix in SOURCE

    def is_code(self):
        return self.is_source() or self.suffix in SCRIPT or self.name in NAMED


class Tree:
    """Sources, scripts and prose under `root`; data and folders that the build writes are left out."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            for name in sorted(names):
                path = pathlib.Path(folder) / name
                if path.suffix in SOURCE | SCRIPT | {".md"} or name in NAMED:
                    self.files.append(File(self.root, path))

    def sources(self):
        return [file for file in self.files if file.is_source()]
