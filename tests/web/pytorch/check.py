"""python3 check.py TRAIN.PY FOLDER...: what train.py says of each folder's run without training, in lines of JSON."""
import importlib.util
import itertools
import json
import os
import sys

spec = importlib.util.spec_from_file_location("train", sys.argv[1])
train = importlib.util.module_from_spec(spec)
spec.loader.exec_module(train)
STEPS = 6


def near(a, b):
    """As float32 has them."""
    return a.shape == b.shape and all(abs(x - y) < 1e-7 for x, y in zip(a.data, b.data))


for folder in sys.argv[2:]:
    train.FOLDER = folder
    run = train.read_run()
    config, settings, changes = run["config"], run["settings"], dict(run["changes"])
    saved, _ = train.load(train.beside("run.safetensors", None))
    model = train.model_of(config)
    model.load_state_dict({name: each for name, each in saved.items() if not name.startswith("moment")})
    count = min(256, run["rows"])
    rows = list(itertools.islice(train.saved_rows(os.path.join(folder, "data.safetensors"), run), count))
    loss = train.loss_of(model, train.batch_of(rows[: len(rows) if "vectors" in rows[0] else 2]), settings).item()
    drawn = []
    if run["task"] in (*train.DRAW, *train.POINTS):
        drawn = list(itertools.islice(train.drawn_rows(run), run["row"], run["row"] + count))
    same = all(a.keys() == b.keys() and all(near(a[name], b[name]) for name in a) for a, b in zip(drawn, rows))
    rates = []
    for step in range(run["step"], run["step"] + STEPS):
        settings.update(changes.get(step, {}))
        rates.append(train.rate(settings, config["d_model"], step + 1))
    print(json.dumps({"loss": loss, "rates": rates, "drawn": len(drawn) == count, "same": same}))
