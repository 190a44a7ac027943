# SPDX-License-Identifier: Apache-2.0
"""How long a file and a function may be."""
import re

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
PLAIN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)
BLOCK = re.compile(r"(\)|\b(else|do|try|const|noexcept|mutable|override|final)|->\s*[\w:<>,*& ]+)\s*$")


def without_text(text):
    """The code with comments, strings and preprocessor lines blanked, line by line in its place."""
    def blank(match):
        # A line break inside a raw string is data: \v.
        return '""' + ("\v" if match[0].startswith("R") else "\n") * match[0].count("\n")

    text = PLAIN.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: "\n" * match[0].count("\n"), text, flags=re.M)


def opens_function(head):
    """Whether a brace after `head`, the text since the last ; or brace, opens a function's body."""
    head = re.sub(r"operator\s*[^\s(]+", "operator_", head)
    head = re.sub(r"template\s*<[^{]*?>\s*(?=[\w:\[~])", "", head, count=1).replace('""', "")
    if re.match(r"\s*(namespace|class|struct|union|enum|extern)\b(?!.*\))", head, re.S):
        return False
    return "(" in head and "=" not in head.split("(", 1)[0]


def functions(text):
    """(first line, lines) of each function. Lines of raw strings and inside a braced initialiser are data."""
    code = without_text(text)
    line, head, stack = 1, "", []  # stack: what each open brace is
    start = data = data_from = 0
    for character in code:
        if character in "\n\v":
            line += 1
            data += character == "\v" and "data" not in stack
        if character == "{":
            inside = "function" in stack
            if not inside:
                kind = "function" if opens_function(head) else "scope"
            else:
                kind = "block" if BLOCK.search(head) or not head.strip() and "data" not in stack else "data"
            if kind == "function":
                start, data = line, 0
            if kind == "data" and "data" not in stack:
                data_from = line
            stack.append(kind)
        elif character == "}" and stack:
            kind = stack.pop()
            if kind == "data" and "data" not in stack:
                data += max(0, line - data_from - 1)
            if kind == "function":
                yield start, line - start + 1 - data
        if character in ";{}":
            head = ""
        else:
            head += character


def check_sizes(tree):
    for file in tree.files:
        if file.is_code() and len(file.lines) > MOST_FILE_LINES:
            yield f"{file.path}:1: {len(file.lines)} lines; {MOST_FILE_LINES} at most"
        if not file.is_source():
            continue
        for start, lines in functions(file.text):
            if lines > MOST_FUNCTION_LINES:
                yield f"{file.path}:{start}: a function of {lines} lines; {MOST_FUNCTION_LINES} at most"
