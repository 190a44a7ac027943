#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on a build's files: tidy.py BUILD --all | --commits N | FILE... [--seconds S]

--commits N takes what the last N commits and the work tree changed, newest first; a changed header stands
for the source of its name. After S seconds no new file is begun, and those left out are named.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def git(*arguments):
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.split("\n") if done.returncode == 0 else None


def changed(commits):
    """Paths from the root, newest first; None when there is no history."""
    work_tree = git("ls-files", "--modified", "--others", "--exclude-standard")
    history = git("log", f"-n{commits}", "--name-only", "--format=")
    if work_tree is None or history is None:
        return None
    return list(dict.fromkeys(path for path in work_tree + history if path))


def choose(options, compiled):
    if options.files:
        return [path for path in (str(pathlib.Path(f).resolve()) for f in options.files)]
    if options.commits is None:
        return compiled
    paths = changed(options.commits)
    if paths is None:
        print("no git history here: clang-tidy takes all files, as far as the time goes")
        return compiled
    sources = (str(ROOT / pathlib.Path(path).with_suffix(".cpp")) for path in paths)
    known = set(compiled)
    return [path for path in dict.fromkeys(sources) if path in known]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--commits", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if program is None:
        print("error: clang-tidy is missing; the package is clang-tidy-14")
        return 3
    commands = json.loads(pathlib.Path(options.build, "compile_commands.json").read_text(encoding="utf-8"))
    build = str(pathlib.Path(options.build).resolve()) + os.sep
    compiled = sorted({row["file"] for row in commands if row["file"].endswith(".cpp")
                       and row["file"].startswith(str(ROOT)) and not row["file"].startswith(build)})
    files = choose(options, compiled)
    deadline = time.monotonic() + options.seconds
    failed, left = [], []

    def check(path):
        if time.monotonic() > deadline:
            left.append(path)
            return
        # The build may be g++'s: an option that clang does not know is none of our findings.
        command = [program, "--quiet", "-p", options.build, "--extra-arg=-Wno-unknown-warning-option", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed.append(path)
            print(done.stdout + done.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check, files))
    for path in left:
        print(f"no time left for {os.path.relpath(path, ROOT)}")
    print(f"clang-tidy: {len(files) - len(left)} files, {len(failed)} with findings, {len(left)} left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
