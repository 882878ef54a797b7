"""The reference: one page a header, one entry a function with its text and an example."""

import re
import textwrap
from collections import defaultdict

from headers import closing

TYPE = re.compile(r"\}\s*(tt_\w+);$|^typedef .*?\b(tt_\w+)\(")
CODE = re.compile(r'`[^`]+`|"[^"\n]{1,60}"|TUTTI=[\w:.,/+-]*[\w/]|(?<![\w.])\.[a-z_]+ = (?:"[^"]*"|[\w.-]+)|'
                  r"(?<![\w.)])\.[a-z]\w*|\b(?:tt_\w+|TT_[A-Z][A-Z0-9_]*)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")


def escaped(text):
    """Prose as Markdown in which no character means more than itself."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&])", r"\\\1", text)


def literal(text):
    """Code in prose, as Sphinx writes it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<code class="literal">{text}</code>'


class Reference:
    """Pages of headers (headers.Page) as Markdown for Sphinx."""

    def __init__(self, pages, known, signature):
        self.pages, self.known, self.signature = pages, known, signature
        self.place = {}                                      # name: page
        self.structs = {}                                    # option struct: page, fields
        for page in pages:
            for group in page.groups:
                for name in group.functions:
                    self.place.setdefault(name, page.name)
                for declared in group.declarations:
                    if match := TYPE.search(declared.text):
                        self.structs[match[1] or match[2]] = (page.name, declared.text)

    def link(self, name, here=None):
        """The address of a name's entry, from a page of the reference or, with `here`, from elsewhere."""
        folder = "" if here is None else here
        if name in self.place:
            return f"{folder}{self.place[name]}.html#c.{name}"
        if name in self.structs:
            return f"{folder}{self.structs[name][0]}.html#{name}"
        return None

    def code(self, text):
        """A piece of code in prose, linked to what it names."""
        text = text.strip("`")
        name = re.match(r"\w+", text)
        at = self.link(name[0]) if name else None
        return f'<a href="{at}">{literal(text)}</a>' if at else literal(text)

    def prose(self, text):
        out, last = "", 0
        for match in CODE.finditer(text):
            out += escaped(text[last:match.start()]) + self.code(match[0])
            last = match.end()
        return re.sub(r"^(\d+)\.", r"\1\\.", out + escaped(text[last:]))

    def text(self, lines):
        """Lines of a comment as Markdown: paragraphs, lists, tables, examples."""
        out, blocks = [], []
        for kind, text in lines:
            before = blocks[-1][0] if blocks else None
            if kind == "part":
                blocks.append(("part", []))
            elif kind == "more" or (kind == before and kind in ("text", "code")):
                blocks[-1][1].append(text)
            else:
                blocks.append((kind, [text]))
        for at, (kind, texts) in enumerate(blocks):
            before = blocks[at - 1][0] if at else None
            if kind == "text":
                out += ["", self.prose(" ".join(texts)), ""]
            elif kind == "item":
                out += [] if before == "item" else [""]
                out += ["- " + self.prose(" ".join(texts))]
            elif kind == "row":
                word, _, meaning = texts[0].partition("  ")
                rows = ["", "| | |", "|---|---|"] if before != "row" else []
                cell = lambda s: self.prose(s.strip()).replace("\\|", "&#124;")
                named = literal(word.strip()).replace("|", "&#124;")
                out += rows + [f"| {named} | {cell(' '.join([meaning] + texts[1:]))} |"]
            elif kind == "code":
                out += ["", *fence(texts), ""]
        return "\n".join(out).strip("\n")

    def options(self, struct):
        """The options that a call takes, from its struct."""
        page, declaration = self.structs.get(struct, (None, ""))
        body = re.sub(r"^.*?\{(.*)\}.*$", r"\1", declaration)
        common = "double rate, clip_norm, clip_value; const char *schedule; int every, keras; "
        fields = []
        for part in body.replace("TT_OPT_COMMON", common).split(";"):
            fields += [re.sub(r"\[.*", "", name.split()[-1].lstrip("*")) for name in part.split(",") if name.split()]
        at = self.link(struct)
        named = ", ".join(literal(f".{name}") for name in fields)
        return f'Options: {named} (<a href="{at}">{literal(struct)}</a>)' if named and at else ""

    def entry(self, name, declared, example, shown):
        kind, written, struct = self.signature(name, declared.text, self.known)
        lines, last = list(declared.lines), []
        while lines and lines[-1][0] == "code":                  # an example at the end stays there
            last.insert(0, lines.pop()[1])
        example = last + example
        body = [self.text(lines), self.prose("; ".join(declared.notes))]
        if struct:
            body.append(self.options(struct))
        body.append("\n".join(fence(example)) if example else shown)
        return "\n".join([f"````{{c:{kind}}} {written}", *"\n\n".join(b for b in body if b).splitlines(), "````", ""])

    def group(self, page, group):
        """The entries of a group. Lines of examples go to the functions that they call; the other text stands above
        them, or in the entry, if there is one."""
        lines, mine = distribute(group)
        types = [self.anchored(declared) for declared in group.declarations]
        alone = len(group.functions) == 1
        out = ["" if alone else self.text(lines), ""]
        whole = any(kind == "code" for kind, _ in lines)
        for name, declared in group.functions.items():
            has = mine[name] or whole or any(kind == "code" for kind, _ in declared.lines)
            if alone:
                declared.lines[:0] = lines
            out.append(self.entry(name, declared, mine[name], "" if has else self.elsewhere(page, name)))
        return "\n".join(out + types)

    def elsewhere(self, page, name):
        """Another example of the header that calls the function."""
        for other in page.groups:
            for lines in (other.lines, *(declared.lines for declared in other.functions.values())):
                for block in blocks_of(lines):
                    if any(re.search(rf"\b{name}\b", line) for line in block):
                        return "\n".join(fence(block))
        return ""

    def anchored(self, declared):
        """A type, or functions without a macro, as code that others can link to."""
        match = TYPE.search(declared.text)
        anchor = f'<a id="{match[1] or match[2]}"></a>\n\n' if match else ""
        code = "\n".join(fence(laid_out(declared.text)))
        return f"\n{anchor}{code}\n\n{self.prose('; '.join(declared.notes))}\n"

    def page(self, page):
        """A header's page."""
        title = page.include
        out = [f"# {title}", "", f"`#include <{page.include}>`", ""]
        first = page.groups[0].lines
        at = next(at for at, (kind, _) in enumerate(first) if kind == "text")
        first[at] = ("text", capital(first[at][1]))
        for group in page.groups:
            if group.head:
                title, about = headed(group.head)
                out += ["", "## " + escaped(title), "", self.prose(about), ""]
            out += ["", '<div class="group">', "", self.group(page, group), "", "</div>", ""] if group.functions else \
                ["", self.group(page, group), ""]
        return "\n".join(out)


def capital(text):
    return text[:1].upper() + text[1:]


def headed(text):
    """A heading's title, and what it says beyond: "comparison: bool arrays", "layers. Options of all layers: ..."."""
    match = re.match(r"([^:.;(]*[^:.;( ])(?:[:.;] | \()(.*)$", text)
    if not match:
        return capital(text), ""
    about, opens = match[2], match.end(1) + 1
    if text[opens] == "(":                                   # "complex numbers (TT_C64, ...) and Fourier transforms"
        closes = closing(text, opens, len(text))
        return capital(match[1] + text[closes + 1:]), capital(text[opens + 1:closes]) + "."
    return capital(match[1]), capital(about).rstrip(".") + "."


def fence(lines):
    """Code as a block, its common indentation gone."""
    body = textwrap.dedent("\n".join(lines)).splitlines()
    return ["```c", *body, "```"]


def laid_out(declaration):
    """A declaration on several lines, if it does not fit one."""
    lines, s = [], re.sub(r"TT_OPT_COMMON ?|  +", " ", declaration)
    while len(s) > 84 and (at := max(s[:84].rfind(", "), s[:84].rfind("; "), s[:84].rfind("{ "))) > 0:
        lines.append(s[:at + 1])
        s = "    " + s[at + 2:]
    return lines + [s]


def blocks_of(lines):
    """The examples of a comment, each a list of lines."""
    blocks, before = [], None
    for kind, text in lines:
        if kind == "code":
            if before != "code":
                blocks.append([])
            blocks[-1].append(text)
        before = kind
    return blocks


def is_whole(line):
    """True if a line of code stands for itself: brackets closed, a call or a statement."""
    code = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    return not line.startswith(" ") and all(code.count(a) == code.count(b) for a, b in ("()", "{}", "[]"))


def distribute(group):
    """The lines without the examples that go to functions, and these: {name: [line]}."""
    mine = defaultdict(list)
    lines, block = [], []

    def close():
        nonlocal block
        called = [[name for name in group.functions if re.search(rf"\b{name}\b", text)] for text in block]
        if any(called) and len(group.functions) > 1 and all(is_whole(text) for text in block):
            before = []                                      # what declares things goes with the call that follows
            for text, names in zip(block, called):
                before.append(text)
                for name in names:
                    mine[name] += before
                before = [] if names else before
        else:
            lines.extend(("code", text) for text in block)
        block = []

    for kind, text in group.lines:
        if kind == "code":
            block.append(text)
        else:
            close()
            lines.append((kind, text))
    close()
    return lines, mine
