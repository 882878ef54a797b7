"""The program of python/README.md."""
import os
import re


def test_readme(capsys, tmp_path, monkeypatch):
    with open(os.path.join(os.path.dirname(__file__), "..", "README.md")) as f:
        program = re.search(r"```python\n(.*?)```", f.read(), re.S).group(1)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    out = capsys.readouterr().out
    assert float(re.match(r"loss (0\.\d+)", out).group(1)) < 1e-3, out
    assert os.path.getsize(tmp_path / "sin.safetensors") > 300
