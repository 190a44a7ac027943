# SPDX-License-Identifier: Apache-2.0
"""The first line of a file, and words that must not stay in one."""
import re

SPDX = "SPDX-License-Identifier: Apache-2.0"
# Written in halves so that this file does not hold what it looks for.
MARKS = re.compile(r"\b(" + "|".join(["TO" "DO", "FIX" "ME", "XX" "X"]) + r")\b")
PATHS = re.compile(r"(?:^|[^\w.])(/(?:wo" r"rk|home)/)|(\.\./sha" r"red)")


def check_spdx(tree):
    for file in tree.files:
        if not file.is_code():
            continue
        first = next((line for line in file.lines if not line.startswith("#!")), "")
        if SPDX not in first:
            yield f"{file.path}:1: the first line (after #!) must say {SPDX}"


def check_words(tree):
    for file in tree.files:
        for number, line in enumerate(file.lines, 1):
            for pattern, reason in ((MARKS, "is left over; finish it or file it"),
                                    (PATHS, "exists on one machine only")):
                match = pattern.search(line)
                if match:
                    found = next(group for group in match.groups() if group)
                    yield f"{file.path}:{number}: '{found}' {reason}"


def check_globs(tree):
    for file in tree.files:
        if file.name != "CMakeLists.txt":
            continue
        for number, line in enumerate(file.lines, 1):
            if re.search(r"\bfile\s*\(\s*GLOB", line):
                yield f"{file.path}:{number}: names its sources by a pattern; list them"
