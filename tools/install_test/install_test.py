#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build into an empty folder, builds a kernel against it out of tree, and has it judged there.

install_test.py BUILD [judge]   judge: plumb has the verb run
"""
import pathlib
import subprocess
import sys
import tempfile


def run(*command, expect=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}, not {expect}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def expect_files(prefix, *paths):
    missing = [path for path in paths if not (prefix / path).is_file()]
    if missing:
        found = sorted(str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file())
        sys.exit(f"not installed: {missing}; found {found}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    project = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        prefix, theirs = pathlib.Path(folder, "usr"), pathlib.Path(folder, "their build")
        run("cmake", "--install", build, "--prefix", prefix)
        expect_files(prefix, "bin/plumb", "lib/libplumb_kernels.so", "include/plumbline/plumb_kernel.h",
                     "lib/cmake/plumbline/plumblineConfig.cmake", "share/man/man1/plumb.1",
                     "lib/cmake/plumbline/plumblineConfigVersion.cmake", "share/doc/plumbline/LICENSE")
        page = (prefix / "share/man/man1/plumb.1").read_text(encoding="utf-8")
        for heading in (".SH NAME", ".SH STAGES", ".SH RECORDS"):
            if heading not in page:
                sys.exit(f"the man page lacks {heading}")
        run("cmake", "-S", project, "-B", theirs, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", theirs)
        plumb = prefix / "bin/plumb"
        print(run(plumb, "--version"), end="")
        run(plumb, "stages", "rms_norm")
        if sys.argv[2:] != ["judge"]:
            return
        judge = (plumb, "run", "--stage", "rms_norm", "--quick", "--out")
        print(run(*judge, theirs / "mine.out", "--lib", theirs / "libmine.so"), end="")
        run(*judge, theirs / "wrong.out", "--lib", theirs / "libwrong.so", expect=1)
        print(run(*judge, theirs / "ours.out"), end="")


if __name__ == "__main__":
    main()
