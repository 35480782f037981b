"""Runs carried on in PyTorch: what `npm run export -- NAME --pytorch FOLDER` and the page write (see resume.mjs).

Each of a case's train.py takes six steps in one process and in two (torchrun, gloo). The losses must be those of
Glassformer, the weights too; two processes must agree with one. The scripts that Train copies train from step 0, some
also from random weights.
"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As tests/golden's runs of training have them, where weights are held to 2e-7 to 3e-6 and losses to 3e-6.
WEIGHTS = 1e-6, 2e-6  # absolute, and relative
LOSS = 1e-6  # relative, beside half of the last printed digit
KEY_BIAS = re.compile(r"in_proj_bias$")
# Without -r and -t the torchrun of 1.13 stops in Python 3.11, whose enumerations leave 0 out.
TORCHRUN = sys.executable, "-m", "torch.distributed.run", "--standalone", "-r", "1", "-t", "1", "--nproc_per_node=2"
failures = []


def load(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    said = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        part = torch.frombuffer(data, dtype=torch.float32, offset=begin, count=(end - begin) // 4)
        tensors[name] = part.reshape(entry["shape"])
    return tensors, said


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return [float(each) for each in re.findall(r"^(?:\[default\d\]:)?step \d+: loss (\S+),", done.stdout, re.M)]


def check(what, share):
    print(f"{what}: {100 * share:.0f} % of the tolerance", flush=True)
    if not share <= 1:
        failures.append(what)


def apart(got, truth, digits=7):
    """The largest share of the tolerance that a loss takes."""
    return max(abs(a - b) / (LOSS * abs(b) + 10**-digits / 2) for a, b in zip(got, truth, strict=True))


def used(got, truth):
    """The largest share of the tolerance that a weight takes; what a key's bias adds to all scores of a row, softmax
    takes away again: its gradient is rounding alone, which Adam makes as large as any other."""
    worst = 0.0
    for name, values in truth.items():
        if name.startswith("moment"):
            continue
        error = (got[name] - values).abs() / (WEIGHTS[0] + WEIGHTS[1] * values.abs())
        if KEY_BIAS.search(name):
            size = len(error) // 3
            error = torch.cat([error[:size], error[2 * size :]])
        worst = max(worst, error.max().item())
    return worst


def resumed(folder, by_torchrun):
    facts = json.loads((folder / "facts.json").read_text())
    ours, _ = load(folder / "ours.safetensors")
    one, two = folder / "one.safetensors", folder / "two.safetensors"
    steps = "--steps", str(facts["steps"])
    losses = run(sys.executable, folder / "train.py", *steps, "--out", one)
    check(f"{folder.name}, losses of PyTorch and Glassformer", apart(losses, facts["losses"]))
    theirs, said = load(one)
    check(f"{folder.name}, weights", used(theirs, ours))
    before, after = (TORCHRUN, ()) if by_torchrun else ((sys.executable,), ("--processes", "2"))
    both = run(*before, folder / "train.py", *steps, "--out", two, *after)
    check(f"{folder.name}, losses of two processes and one", apart(both, losses))
    check(f"{folder.name}, weights of two processes and one", used(load(two)[0], theirs))
    if "copied" in facts:
        copied = folder / "copied"
        losses = run(sys.executable, copied / "train.py")
        check(f"{folder.name}, losses of the copied script", apart(losses, facts["copied"][:10]))
        if folder.name.endswith(("-order", "-square")):
            (copied / "run.safetensors").unlink()
            run(sys.executable, copied / "train.py", "--steps", "2")
            again = run(sys.executable, copied / "train.py", "--run", copied / "continued.safetensors", "--steps", "1")
            check(f"{folder.name}, from random weights, then continued", 0 if len(again) == 1 else math.inf)


def main(folder, pattern=""):
    folder = pathlib.Path(folder)
    out = subprocess.run(["node", str(ROOT / "tests/interop/resume.mjs"), str(folder)], check=True, cwd=ROOT,
                         capture_output=True, text=True).stdout
    for name in json.loads(out):
        if re.search(pattern, name):
            resumed(folder / name, name.startswith(("0-", "1-")))
    if failures:
        sys.exit("differs: " + "; ".join(failures))


if __name__ == "__main__":
    main(*sys.argv[1:])
