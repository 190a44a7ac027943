#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts recorded R1 traces to the size that the repository holds: by layers, never by kinds.

    tools/python/cut_traces.py RECORDED_DIR [OUTPUT_DIR]

A kind is a tensor's name with its digits replaced; every kind of every case stays. Cases named in CUTS lose whole
layers (in one step or in all, in one case the attention half), the others are copied byte for byte. Where a kept
stage reads what a cut one wrote, the bytes stay under the name of the input ("norm.in"), and the old name becomes
an alias. Equal inputs give equal bytes.
"""

import hashlib
import json
import pathlib
import re
import struct
import sys

MOST_BYTES = 24_000_000

CASES = ("r1-gate-fill", "r1-rope-tables", "r1-tiny-bf16", "r1-tiny-decode", "r1-tiny-f32",
         "r1-tiny-f32-yarn64", "r1-tiny-fp8", "r1-tiny-padded")

# Patterns of the names that go, with the layers of which something stays.
LATE_LAYERS = r"(step\d+\.)?(model\.)?layers\.[23]\."
CUTS = {
    "r1-tiny-bf16": [LATE_LAYERS],
    "r1-tiny-fp8": [LATE_LAYERS],
    "r1-tiny-decode": [LATE_LAYERS, r"step[3-6]\.layers\.0\."],
    "r1-tiny-padded": [LATE_LAYERS, r"layers\.0\.(in|input_layernorm\.\w+|self_attn\..*)$"],
}
# Outputs that go too when nothing that stays computes them: the halves' seam in r1-tiny-padded.
SEAMS = {"r1-tiny-padded": {"layers.0.hidden_states.post_attn"}}
LAYERS_LEFT = [0, 1]

WIDTHS = {"I64": 8, "F64": 8, "I32": 4, "F32": 4, "BF16": 2, "F16": 2, "F8_E4M3": 1, "F8_E8M0": 1,
          "U8": 1, "BOOL": 1}


def kinds(names):
    return {re.sub(r"\d+", "#", name) for name in names}


def is_cut(case, name):
    return any(re.match(pattern, name) for pattern in CUTS.get(case, []))


def read_safetensors(path):
    """The tensors as {name: (dtype, shape, bytes)}, and the metadata."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    order = sorted(tensors, key=lambda name: (-WIDTHS[tensors[name][0]], tensors[name][0], name))
    header = {} if metadata is None else {"__metadata__": metadata}
    end = 0
    for name in order:
        dtype, shape, data = tensors[name]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text
                     + b"".join(tensors[name][2] for name in order))


def cut_aliases(case, kept, tensors, aliases):
    """Aliases among what stays; inputs whose source went are stored under their own name."""
    seams = {}
    left = {}
    for alias in sorted(aliases, key=lambda name: (len(name), name)):
        target = aliases[alias]
        if is_cut(case, alias):
            continue
        if target in kept:
            left[alias] = target
        elif target in seams:
            left[alias] = seams[target]
        else:
            kept[alias] = tensors[target]
            seams[target] = alias
            left[target] = alias
    return left, seams


def cut_meta(case, meta, kept, aliases):
    out = {key: value for key, value in meta.items() if key != "same_as"}
    out["layers"] = LAYERS_LEFT
    starred = {re.sub(r"(?<=\.)\d+(?=\.)", "*", name) for name in list(kept) + list(aliases)}
    out["noise_vs_f64"] = {key: value for key, value in meta["noise_vs_f64"].items() if key in starred}
    margins = "router_margins_expert_group"
    out[margins] = {key: value for key, value in meta[margins].items() if not is_cut(case, key + ".")}
    out["same_as"] = dict(sorted(aliases.items()))
    return out


def cut_trace(case, source, target, report):
    tensors, metadata = read_safetensors(source / "trace.safetensors")
    meta = json.loads((source / "meta.json").read_text())
    kept = {name: tensor for name, tensor in tensors.items()
            if not is_cut(case, name) and name not in SEAMS.get(case, ())}
    aliases, seams = cut_aliases(case, kept, tensors, meta["same_as"])
    lost = kinds(tensors) - kinds(kept)
    if lost:
        sys.exit(f"{case}: these kinds would be lost: {sorted(lost)}")
    if any(target_name not in kept for target_name in aliases.values()):
        sys.exit(f"{case}: an alias leads to nowhere")
    write_safetensors(target / "trace.safetensors", kept, metadata)
    (target / "meta.json").write_text(json.dumps(cut_meta(case, meta, kept, aliases), indent=1) + "\n")
    report["seams"] = {target_name: alias for target_name, alias in sorted(seams.items())}
    report["stored"]["trace.safetensors"] = {"before": len(tensors), "after": len(kept)}


def cut_model(case, source, target, report):
    tensors, metadata = read_safetensors(source / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not is_cut(case, name)}
    lost = kinds(tensors) - kinds(kept)
    if lost:
        sys.exit(f"{case}: these kinds of weights would be lost: {sorted(lost)}")
    write_safetensors(target / "model.safetensors", kept, metadata)
    report["stored"]["model.safetensors"] = {"before": len(tensors), "after": len(kept)}


def digest(path):
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def cut_case(case, source, target):
    target.mkdir(parents=True, exist_ok=True)
    meta = json.loads((source / "meta.json").read_text())
    report = {"case": case, "source": meta["source"], "tool": "tools/python/cut_traces.py",
              "cut": CUTS.get(case, []), "seams": {}, "stored": {}, "files": {}}
    names = sorted(path.name for path in source.iterdir() if path.suffix in (".json", ".safetensors"))
    for name in names:
        if case in CUTS and name == "trace.safetensors":
            cut_trace(case, source, target, report)
        elif case in CUTS and name == "model.safetensors":
            cut_model(case, source, target, report)
        elif case not in CUTS or name != "meta.json":
            (target / name).write_bytes((source / name).read_bytes())
            if name.endswith(".safetensors"):
                count = len(read_safetensors(source / name)[0])
                report["stored"][name] = {"before": count, "after": count}
    for name in names:
        report["files"][name] = {"original": digest(source / name), "here": digest(target / name)}
    (target / "provenance.json").write_text(json.dumps(report, indent=1) + "\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    root = pathlib.Path(__file__).resolve().parents[2]
    target = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else root / "fixtures" / "traces"
    total = 0
    for case in CASES:
        cut_case(case, source / case, target / case)
        size = sum(path.stat().st_size for path in (target / case).iterdir())
        print(f"{case:20} {size:>10}")
        total += size
    print(f"{'all':20} {total:>10} of {MOST_BYTES}")
    if total > MOST_BYTES:
        sys.exit("too large: cut more layers in CUTS")


if __name__ == "__main__":
    main()
