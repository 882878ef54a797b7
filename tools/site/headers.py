"""The public headers as pages of groups: what tools/headers.awk says of them; prototypes as the compiler sees them."""

import re
import shlex
import subprocess
from dataclasses import dataclass, field


@dataclass
class Declared:
    """A declaration, what stands beside it, and the comment that is its own: kinds and texts of lines."""

    text: str
    notes: list = field(default_factory=list)
    lines: list = field(default_factory=list)


@dataclass
class Group:
    """A comment with the declarations below it."""

    lines: list = field(default_factory=list)
    functions: dict = field(default_factory=dict)            # name: Declared
    declarations: list = field(default_factory=list)         # of no function: types, prototypes without a macro
    head: str = ""


@dataclass
class Page:
    name: str
    include: str
    brief: str = ""
    groups: list = field(default_factory=list)


def read(header):
    """The page of a header."""
    command = ["awk", "-f", "tools/headers.awk", header]
    events = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    page, group, names, declared, head, entries = None, Group(), [], [], "", {}

    def close():
        nonlocal group
        if group.lines or group.functions or group.declarations:
            group.head = head
            page.groups.append(group)
        group = Group()

    for event in events.splitlines():
        kind, _, text = event.partition("\t")
        if kind == "page":
            page = Page(*text.split("\t"))
        elif kind == "name":
            page.brief = text
        elif kind == "head":
            close()
            head = text
        elif kind == "fn":
            names.append(text)
        elif kind == "decl" and (others := other_form(text, entries)):
            declared = others                                # its comment is that of the calls
            if not group.functions:
                for each in others:
                    each.lines += group.lines
                group.lines = []
        elif kind == "decl":
            names = [] if text.startswith("typedef") else names
            declared = [Declared(text) for _ in names or [""]]
            for name, each in zip(names, declared):
                group.functions[name] = entries[name] = each
            if not names:
                group.declarations += declared
            names = []
        elif kind == "note":
            for each in declared:
                each.notes.append(text)
        elif kind == "end" and not page.groups:              # the first comment is the header's own
            close()
        elif kind == "part" and (group.functions or group.declarations):
            close()
            head = ""
        elif kind != "end":
            group.lines.append((kind, text))
    close()
    return page


def other_form(declaration, entries):
    """The entries of the calls of which all that is declared is the other form: tt_mean_at of tt_mean."""
    names = re.findall(r"\b(tt_\w+?)(?:_at|_of)?\)? ?\(", declaration)
    if declaration.startswith(("typedef", "enum", "struct")) or not all(name in entries for name in names):
        return []
    return [entries[name] for name in dict.fromkeys(names)]


def closing(text, start, end):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, end):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return end


def parted(text):
    """The parts of a list between commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def prototypes(compiler):
    """Each exported function's result and parameters, after the macros: {name: (result, [parameter])}."""
    text = subprocess.run(shlex.split(compiler) + ["-E", "-P", "-Iinclude", "include/tutti.h"], check=True,
                          capture_output=True, text=True).stdout
    text = re.sub(r"\s+", " ", text)
    found = {}
    for part in re.split(r"(?<=[;}])", text):
        if 'visibility("default")' not in part:
            continue
        part = part[part.rindex('visibility("default")'):].partition(")))")[2] if part.count("visibility") == 1 else \
            part.partition('visibility("default")))')[2]
        part = re.sub(r"__attribute__ ?\(\([^()]*(\([^()]*\))?[^()]*\)\)", "", part)
        result = None
        while match := re.search(r"([*]*)\(?(tt_\w+)\)?\s*\(", part):
            opens = match.end() - 1
            closes = closing(part, opens, len(part))
            if result is None:
                result = part[:match.start()].strip()
            parameters = parted(part[opens + 1:closes])
            found[match[2]] = ((result + " " + match[1]).strip(), [p for p in parameters if p != "void"])
            part = part[closes + 1:]
    return found


LISTS = re.compile(r"^(const )?int64_t ?(const )?\*(const )?(dims|copies|sizes|places|perm)$|"
                   r"^const tt_(val|fn) \*(args|v|rows|choice|index|branches)?$|^tt_val \*const \*slots$|_opts \*\w*$")


def signature(name, declaration, known):
    """What a program writes, as a declaration of C, and the option struct's name; without a prototype the macro."""
    match = re.match(re.escape(name) + r"\(([^)]*)\)$", declaration)
    if not match:                                            # a function, or a constant
        if name in known:
            result, parameters = known[name]
            return "function", f"{result} {name}({', '.join(parameters)})".replace("* ", "*"), None
        return "macro", name, None
    given = [p.strip() for p in match[1].split(",") if p.strip()]
    result, parameters = known.get(name + "_at", known.get(name, (None, [])))
    parameters = [p for p in parameters if not re.match(r"const char \*\s*(site)?$", p) or p != parameters[0]]
    options = re.search(r"(tt_\w+_opts) \*", parameters[-1]) if parameters else None
    if "..." in given and parameters and LISTS.search(parameters[-1]):
        parameters = parameters[:-1]
        if parameters and LISTS.search(parameters[-1]):
            parameters = parameters[:-1]
        parameters.append("...")
    elif len(given) != len(parameters) or "..." in given:
        return "macro", declaration, options and options[1]
    else:
        parameters = [p if re.search(r"\w \**\w+$|\)$|\]$", p) else f"{p} {g}" for p, g in zip(parameters, given)]
    if result is None:
        return "macro", declaration, options and options[1]
    return "function", f"{result} {name}({', '.join(parameters)})".replace("* ", "*"), options and options[1]
