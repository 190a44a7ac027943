# SPDX-License-Identifier: Apache-2.0
"""Record tags: every one resolves, none is cited by two functions, and in the end none is left over."""
import json
import re

# Models whose records must all be cited; a model joins when its last stage does.
COMPLETE = ("R1",)
DATA = "reference/registry/data"
TAG = re.compile(r"\[((?:R1|V41)-\d{3})\]")
DISCREPANCY = re.compile(r"\b((?:R1|V41)-D\d{2})\b")


def ids_of(tree, kind):
    """{model: ids} of the registry's `kind`, records or discrepancies, as far as it holds the model."""
    found = {}
    for model in ("R1", "V41"):
        path = tree.root / DATA / f"{model.lower()}_{kind}.json"
        if path.is_file():
            found[model] = [row["id"] for row in json.loads(path.read_text(encoding="utf-8"))]
    return found


def citations(file):
    """(line number, block, tag) of each tag; a block is a run of comment lines, that is one function's."""
    block = 0
    for number, line in enumerate(file.lines, 1):
        if not line.lstrip().startswith("//"):
            block = number
        for tag in TAG.findall(line):
            yield number, block, tag


def cites(path):
    return path.endswith(".h") and path.startswith(("reference/stages/", "reference/models/"))


def check_records(tree, complete=COMPLETE):
    records = ids_of(tree, "records")
    known = {tag for ids in records.values() for tag in ids}
    cited = {}
    for file in tree.sources():
        if not cites(file.path):
            continue
        for number, block, tag in citations(file):
            here = (file.path, block)
            if tag not in known:
                yield f"{file.path}:{number}: [{tag}] is no record of the registry"
            elif cited.setdefault(tag, here) != here:
                yield f"{file.path}:{number}: [{tag}] is cited in {cited[tag][0]} too; one function computes it"
    for model in complete:
        for tag in records.get(model, ()):
            if tag not in cited:
                yield f"{DATA}/{model.lower()}_records.json:1: no reference function cites {tag}"


def stands_for_none(file, tag):
    """Tests say D99 for a discrepancy that does not exist."""
    return file.path.endswith("_test.cpp") and tag.endswith("D99")


def check_discrepancies(tree):
    known = ids_of(tree, "discrepancies")
    for file in tree.sources():
        for number, line in enumerate(file.lines, 1):
            for tag in DISCREPANCY.findall(line):
                model = tag.split("-")[0]
                if model in known and tag not in known[model] and not stands_for_none(file, tag):
                    yield f"{file.path}:{number}: {tag} is no discrepancy of the registry"


def summary(tree):
    """One line a model: how many records are cited, and which are not."""
    cited = {tag for file in tree.sources() if cites(file.path) for _, _, tag in citations(file)}
    for model, ids in ids_of(tree, "records").items():
        left = [tag for tag in ids if tag not in cited]
        names = " ".join(tag.split("-")[1] for tag in left)
        yield f"{model}: {len(ids) - len(left)} of {len(ids)} records cited; left: {names or 'none'}"
