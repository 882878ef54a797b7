"""The program of python/README.md."""
import os
import re


def test_readme(capsys):
    with open(os.path.join(os.path.dirname(__file__), "..", "README.md")) as f:
        program = re.search(r"```python\n(.*?)```", f.read(), re.S).group(1)
    exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    out = capsys.readouterr().out
    assert re.match(r"loss 0\.0000\d\d, weights \[(0\.99|1\.0)", out), out
