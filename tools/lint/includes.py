# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which, and which file may include a costly library."""
import collections
import re

# The longest prefix that fits a file says what it may include besides its own folder.
ARROWS = {
    "reference": ["reference"],
    "fixtures": ["fixtures", "reference"],
    "oracles/exact": ["reference/base", "reference/tensor"],
    "oracles/diagram": ["reference/base", "reference/tensor"],
    "oracles/laws": ["reference", "fixtures"],
    "oracles/ledger": ["reference", "fixtures", "oracles/laws"],
    "oracles/agreement": ["reference", "fixtures", "oracles"],
    "conformance": ["conformance", "reference", "fixtures", "oracles/laws", "oracles/ledger"],
    "fast": ["fast", "conformance/abi", "reference/tensor", "reference/base"],
    "reports": ["reports", "conformance/verdict", "reference/base"],
    "tools": ["tools", "reference", "fixtures", "oracles/laws", "oracles/ledger", "conformance", "reports"],
}
# Libraries that cost every file that includes them seconds, or that only one side may see.
LIBRARIES = [
    (r"boost/multiprecision/", r"reference/scalar/real\.cpp|.*_bench\.cpp",
     "Boost.Multiprecision belongs to reference/scalar/real.cpp and to benchmarks"),
    (r"CLI/", r"tools/plumb/main\.cpp", "CLI11 belongs to tools/plumb/main.cpp"),
    (r"rapidcheck", r"oracles/laws/.*|.*_test\.cpp", "RapidCheck belongs to the law driver and to few tests"),
    (r"nlohmann/json\.hpp", r".*\.cpp|.*/strict_json\.h", "a header includes nlohmann/json_fwd.hpp at most"),
    (r"(flint/|arb\.h|arf\.h|fmpz|fmpq)", r"oracles/.*", "FLINT belongs to oracles"),
    (r"hwy/", r"fast/.*|tools/plumb/build_info\.cpp", "Highway belongs to fast"),
]
MOST_RAPIDCHECK_FILES = 6
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


def included(file):
    """(line number, "path" or None, <path> or None) of each include."""
    for number, line in enumerate(file.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def folder_of(path):
    return "/".join(path.split("/")[:2]) if path.count("/") > 1 else path.split("/")[0]


def within(path, folder):
    return path.startswith(folder + "/")


def check_arrows(tree):
    graph = collections.defaultdict(set)
    for file in tree.sources():
        rows = [row for row in ARROWS if within(file.path, row)]
        for number, ours, _ in included(file):
            if ours is None:
                continue
            if not (tree.root / ours).is_file():
                yield f'{file.path}:{number}: "{ours}" is no file seen from the root of the repository'
                continue
            if not rows:
                continue
            row = max(rows, key=len)
            if not any(within(ours, folder) for folder in [row, *ARROWS[row]]):
                yield f"{file.path}:{number}: {row} may not include {ours}"
            if folder_of(ours) != folder_of(file.path):
                graph[folder_of(file.path)].add(folder_of(ours))
    yield from check_cycles(graph)


def check_cycles(graph):
    """Names each folder that reaches itself."""
    for start in sorted(graph):
        seen, reached = set(), list(graph[start])
        while reached:
            folder = reached.pop()
            if folder not in seen:
                seen.add(folder)
                reached.extend(graph.get(folder, ()))
        if start in seen:
            yield f"{start}: includes itself by way of {', '.join(sorted(graph[start] & seen))}"


def check_libraries(tree):
    rapidcheck = []
    for file in tree.sources():
        for number, _, system in included(file):
            if system is None:
                continue
            for library, allowed, reason in LIBRARIES:
                if re.match(library, system) and not re.fullmatch(allowed, file.path):
                    yield f"{file.path}:{number}: <{system}>: {reason}"
            if system.startswith("rapidcheck") and file.path not in rapidcheck:
                rapidcheck.append(file.path)
    if len(rapidcheck) > MOST_RAPIDCHECK_FILES:
        yield (f"{rapidcheck[-1]}:1: {len(rapidcheck)} files include RapidCheck, {MOST_RAPIDCHECK_FILES} "
               "at most; each costs seconds to compile")
