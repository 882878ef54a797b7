"""Drawings as SVG whose colours follow the page's scheme: of the tables of bench/results.md, and of the house."""

import math
import re
import textwrap

UNITS = {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3}
QUANTITY = re.compile(r"(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?) ?(us|µs|ms|s)?$")
LABEL, PLOT, RIGHT, ROW = 250, 400, 60, 17


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def quantities(cell):
    """The numbers of a cell, times in ms: of "1.5 us, 46 us" [0.0015, 0.046]; "" gives []; None: other text."""
    if not cell:
        return []
    parts = [QUANTITY.match(p.strip()) for p in re.split("; " if ";" in cell else ", ", cell)]
    if not all(parts):
        return None
    last = parts[-1][2]
    return [float(p[1].replace(",", "")) * UNITS.get(p[2] or last, 1) for p in parts]


def labels(text, n):
    """A row's label as n labels: of "psum 4 B, 1 MB" "psum 4 B" and "psum 1 MB"."""
    if n == 1:
        return [text]
    parts = re.split("; " if ";" in text else ", ", text)
    if len(parts) != n:
        return [f"{text} ({k + 1})" for k in range(n)]
    lead = re.match(r"\D*", parts[0])[0]
    return [parts[0]] + [(lead if re.match(r"\d", p) else "") + p for p in parts[1:]]


def series(rows):
    """What can be drawn of a table: names of columns, and rows of a label with a number or None for each."""
    head, body = rows[0], rows[1:]
    read = [[quantities(c) for c in row] for row in body]
    columns = [k for k in range(1, len(head)) if any(r[k] for r in read) and all(r[k] is not None for r in read)]
    most = [max(len(r[k]) for k in columns) if columns else 0 for r in read]
    columns = [k for k in columns if sum(len(r[k]) not in (0, least(r, columns)) for r in read) == 0]
    out = []
    for row, values in zip(body, read):
        n = max([len(values[k]) for k in columns] or [0])
        for at, label in enumerate(labels(row[0], n) if n else []):
            out.append((label, [values[k][at] if values[k] else None for k in columns]))
    timed = any(re.search(r"\d ?(us|ms|s)\b", row[k]) for row in body for k in columns)
    return [head[k] for k in columns], out, "ms" if timed else ""


def least(row, columns):
    return min(len(row[k]) for k in columns if row[k]) if any(row[k] for k in columns) else 0


def ticks(low, high, log):
    """The marks of an axis from `low` to `high`."""
    if log:
        return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(high - low))
    step = next(s for s in (step / 10, step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6)
    return [k * step for k in range(math.floor(low / step), math.ceil(high / step) + 1)]


def number(x):
    return f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"


def chart(names, rows, unit, title):
    """Bars of few series, points of many; a scale of powers of ten where values differ much."""
    values = [v for _, row in rows for v in row if v is not None]
    low, high = min(values), max(values)
    log, points = high > 60 * low, len(names) > 3
    marks = ticks(low if log or points else 0, high, log)        # bars begin at 0, points need not
    left, right = (math.log10(marks[0]), math.log10(marks[-1])) if log else (marks[0], marks[-1])

    def x(value):
        return LABEL + PLOT * ((math.log10(value) if log else value) - left) / (right - left)

    out, y = [], 12
    at = 0
    for k, name in enumerate(names):                         # the legend
        width = 26 + 6.6 * len(name)
        if at and at + width > LABEL + PLOT:
            at, y = 0, y + 20
        out.append(f'<rect class="s{k + 1}" x="{at}" y="{y - 9}" width="11" height="11" rx="2"/>'
                   f'<text x="{at + 16}" y="{y}">{escaped(name)}</text>')
        at += width
    top = y + 16
    y = top
    for label, row in rows:
        lines = textwrap.wrap(label, 38)
        height = max(ROW * len(lines), ROW if points else 13 * len(names)) + 9
        for k, line in enumerate(lines):
            down = y + height / 2 + 4 + ROW * (k - (len(lines) - 1) / 2)
            out.append(f'<text class="label" x="{LABEL - 10}" y="{down:.1f}">{escaped(line)}</text>')
        for k, value in enumerate(row):
            if value is None:
                continue
            tip = f"<title>{escaped(names[k])}, {escaped(label)}: {number(value)} {unit}</title>"
            if points:
                place = f'cx="{x(value):.1f}" cy="{y + height / 2:.1f}"'
                out.append(f'<circle class="s{k + 1}" {place} r="5">{tip}</circle>')
            else:
                at = y + (height - 13 * len(names)) / 2 + 13 * k
                long = max(1, x(value) - LABEL)
                place = f'x="{LABEL}" y="{at:.1f}" width="{long:.1f}" height="11"'
                out.append(f'<rect class="s{k + 1}" {place} rx="2">{tip}</rect>')
                place = f'x="{LABEL + long + 5:.1f}" y="{at + 10:.1f}"'
                out.append(f'<text class="value" {place}>{number(value)}</text>')
        y += height
    grid = ""
    for mark in marks:
        kind, at = "one" if mark == 1 and not unit else "grid", f"{x(mark):.1f}"
        grid += (f'<line class="{kind}" x1="{at}" x2="{at}" y1="{top}" y2="{y}"/>'
                 f'<text class="tick" x="{at}" y="{y + 15}">{number(mark)}</text>')
    width, height = LABEL + PLOT + RIGHT, y + 34
    said = ", ".join(s for s in (unit, "powers of ten" if log else "") if s)
    axis = f'<text class="tick" x="{LABEL + PLOT / 2}" y="{y + 30}">{said}</text>' if said else ""
    return (f'<div class="plot"><svg viewBox="0 0 {width} {height}" role="img" aria-label="{escaped(title)}">'
            f"{grid}{axis}{''.join(out)}</svg></div>")


def drawn(text):
    """The document with a drawing below each table of which at least two columns are numbers."""
    out, table, lead, title = [], [], "", ""

    def close():
        rows = [cells(line) for line in table if not re.match(r"^\|[-| ]+\|$", line.strip())]
        if len(rows) > 2:
            names, values, unit = series(rows)
            if len(names) > 1 and len(values) > 1:
                out.extend(["", chart(names, values, unit, title), ""])
        table.clear()

    for line in text.splitlines():
        if line.startswith("|"):
            table.append(line)
        elif table:
            close()
        if line.startswith("#"):
            title = line.lstrip("# ")
        out.append(line)
    close()
    return "\n".join(out) + "\n"


def house(path="tools/house.txt"):
    """The rooms of the source, floor by floor."""
    floors = []
    for line in open(path).read().splitlines():
        match = re.match(r"(?:(floor|ground) *(\d*)|          )\s*([a-z][a-z ]*?)\s*\|", line)
        if match and match[1]:
            floors.append([f"{match[1]} {match[2]}".strip(), match[3].split()])
        elif match and floors:
            floors[-1][1] += match[3].split()
    floors.insert(0, ["front door", ["include/tutti.h"]])
    out, y = [], 4
    for name, rooms in floors:
        width = 600 / len(rooms)
        out.append(f'<text class="floor" x="0" y="{y + 25}">{name}</text>')
        for k, room in enumerate(rooms):
            left = 100 + k * width
            out.append(f'<rect class="room" x="{left:.1f}" y="{y}" width="{width - 6:.1f}" height="38" rx="6"/>'
                       f'<text class="name" x="{left + width / 2 - 3:.1f}" y="{y + 24}">{room}</text>')
        y += 50
    return (f'<div class="plot"><svg viewBox="0 0 700 {y}" role="img" aria-label="The rooms of the source">'
            f"{''.join(out)}</svg></div>")
