#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the golden numbers of fixtures/golden/records/r1.json: 1678.

A number is a JSON number, or a string that as a whole is a decimal ("0.5", "-2", "1e-6") or a fraction ("15/2").
Not counted: keys, booleans, null, hexadecimal codes ("0x3C"), "nan", digests, formulas, names.
Each occurrence counts, repeated values and values repeated in another record too.
"""
import json
import pathlib
import re
import sys

NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?|[-+]?\d+/\d+")
GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures/golden/records/r1.json"


def count(value):
    if isinstance(value, dict):
        return sum(map(count, value.values()))
    if isinstance(value, list):
        return sum(map(count, value))
    if isinstance(value, str):
        return bool(NUMBER.fullmatch(value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def main():
    golden = json.loads(GOLDEN.read_text(encoding="ascii"))
    if "--each" in sys.argv[1:]:
        for record, value in golden.items():
            print(record, int(count(value)))
    without = [record for record, value in golden.items() if not count(value)]
    print(f"{int(count(golden))} numbers in {len(golden)} records; none in {', '.join(without)}")


if __name__ == "__main__":
    main()
