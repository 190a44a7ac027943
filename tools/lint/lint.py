#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler does: lint.py [ROOT]. Prints one line a finding; exit 1 when there is one."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import includes  # noqa: E402
import records  # noqa: E402
import sizes  # noqa: E402
import words  # noqa: E402
from tree import Tree  # noqa: E402

RULES = (includes.check_arrows, includes.check_libraries, sizes.check_sizes, records.check_records,
         records.check_discrepancies, words.check_spdx, words.check_words, words.check_globs)


def main(arguments):
    tree = Tree(arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).parents[2])
    if not tree.sources():
        print(f"error: no source file under {tree.root}")
        return 1
    findings = [finding for rule in RULES for finding in rule(tree)]
    for finding in findings:
        print(finding)
    for line in records.summary(tree):
        print(line)
    print(f"{len(tree.files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
