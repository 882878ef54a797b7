#!/usr/bin/env python3
"""Makes of the public headers of C what the Python package has of them: cdef.h, the declarations for cffi, and
_api.py, a function of Python for each function of C whose arguments Python has. setup.py calls it whenever the
package is built; neither file is in the tree.

usage: python/generate.py [--skipped] [FOLDER]      from anywhere; writes both files to FOLDER, to read them;
--skipped: lists the functions of C that Python does not have, and why
Needs a C compiler (CC, else cc). The rules: docs/design/python.md."""
import functools
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The headers of the tree; a source distribution has a copy of them beside this file.
INCLUDE = [d for d in (os.path.join(HERE, "include"), os.path.join(os.path.dirname(HERE), "include"))
           if os.path.exists(os.path.join(d, "tutti.h"))][0]

# Functions that a module of Python has by hand, with NumPy's or JAX's signature, or that Python does not need.
BY_HAND = set("""f i b array full full_i full_u const arange arange_of shape num read read_box bytes dtype_of rank dim
count
is_traced call eval_shape jit grad value_and_grad jvp vjp hessian custom_vjp custom_jvp custom_tangent stop_gradient
remat
vmap pmap shard_map scan while fori fori_between cond switch steps assign scope_open scope_close own alive is_live
keep drop
wait formula tuple none dict unpack items kind name item get has set tree tree_leaves leaf_path tree_unflatten match
tree_map
tree_map_with_path tagged tag mesh mesh_of set_mesh restore_mesh current_mesh mesh_size mesh_spec device_id
fail hint hint_choices keep_latest ok error clear done config_value
compare slice reverse concat index_set random_bits threefry set_precision precision set_random_layout random_layout at
at_put
jacfwd jacrev linearize linear custom_root custom_linear_solve associative_scan map linspace tile einsum stack_values
opt_step opt_step_value opt_step_with places options given bind_env show finfo iinfo explain plan draw drawing pprint
timeit
choice permutation categorical bernoulli randint uniform_in truncated_normal key split choice_with multivariate_normal
ravel unravel export export_for import import_args import_donated import_work select max min
to_dlpack to_dlpack_before_1 from_dlpack from_dlpack_before_1 plan_text ir_text threads logistic_draw init_named eye
varies join squeeze batches exchanges clear_caches""".split())
# Words of C that are not words of Python, or that NumPy has another one for.
PARAMETER = {"from": "start", "in": "in_", "to": "stop", "dim": "axis", "dims": "shape", "rows": "values",
             "copies": "copies",
             "perm": "axes", "is": "is_", "lambda": "lambda_", "not": "not_"}
FUNCTION = {"and": "bitwise_and", "or": "bitwise_or", "not": "bitwise_not", "xor": "bitwise_xor", "abs": "abs"}
OPTION = {"dims": "axis", "in": "in_", "dim": "axis", "from": "from_", "with": "params", "lambda": "lambda_"}
# What NumPy leaves out of a call, by (function, parameter).
DEFAULT = {("tril", "k"): "0", ("triu", "k"): "0", ("diag", "k"): "0", ("sort", "axis"): "-1",
           ("argsort", "axis"): "-1",
           ("diff", "axis"): "-1", ("rot90", "k"): "1", ("leaky_relu", "slope"): "0.01", ("elu", "alpha"): "1.0",
           ("celu", "alpha"): "1.0", ("one_hot", "dtype"): "float", ("huber", "delta"): "1.0", ("cosine", "eps"): "0.0",
           ("cosine_distance", "eps"): "0.0", ("flatten", "start"): "0"}
SCALAR = {"tt_val": "v", "tt_dtype": "t", "double": "d", "int64_t": "i", "int": "i", "_Bool": "b", "bool": "b",
          "const char *": "s", "tt_mesh": "m", "tt_fn": "f", "const int64_t *": "D", "const tt_val *": "V",
          "size_t": "i", "uint64_t": "i", "float": "d", "tt_nn": "N", "tt_module *": "M", "tt_cell *": "C"}
UNNAMED = {"tt_nn": "m", "tt_module *": "module", "tt_cell *": "cell"}  # names of parameters that the headers leave out
# Handles of what C has opened.
OPENED = ["tt_manager", "tt_ckpt", "tt_tokenizer", "tt_token_stream", "tt_metric_writer"]
SCALAR.update({t: "H" for t in OPENED})
HINT = {"v": "Any", "t": "DtypeLike", "d": "float", "i": "int", "k": "Union[bool, int]", "b": "bool", "s": "str",
        "m": "Mesh", "f": "Callable", "D": "Shape", "V": "Any", "a": "Axes",
        "H": "Opened", "N": "Frame", "M": "Callable", "C": "Callable", "P": "Callable",
        "z": "Optional[str]"}
RESULT = {"tt_val": "call", "tt_fn": None, "_Bool": "plain", "bool": "plain", "int": "plain", "int64_t": "plain",
          "double": "plain", "const char *": "plain", "size_t": "plain"}
RESULT_HINT = {"tt_val": "Any", "_Bool": "bool", "bool": "bool", "int": "int", "int64_t": "int", "double": "float",
               "const char *": "str", "size_t": "int"}
RESULT.update({t: "opened" for t in OPENED})
RESULT_HINT.update({t: "Opened" for t in OPENED})


def preprocessed():
    """[(header, text)] of the public headers, without those of the system."""
    cc = os.environ.get("CC", "cc").split()
    out = subprocess.run(cc + ["-E", "-I" + INCLUDE, os.path.join(INCLUDE, "tutti.h")], check=True, capture_output=True,
                         text=True).stdout
    parts, header = [], None
    for line in out.splitlines():
        m = re.match(r'# \d+ "([^"]*)"', line)
        if m:
            path = m.group(1)
            header = os.path.relpath(path, INCLUDE) if path.startswith(INCLUDE) else None
        elif header and not line.startswith("#"):
            parts.append((header, line))
    return parts


def declarations():
    """[(header, declaration)], each on one line without attributes; bodies of inline functions are left out."""
    out, now, depth, inline = [], "", 0, False
    for header, line in preprocessed():
        for c in line + " ":
            now += c
            depth += (c == "{") - (c == "}")
            if c == "{" and depth == 1 and re.search(r"\bstatic inline\b", now):
                inline = True
            if depth == 0 and (c == ";" or (c == "}" and inline)):
                text = re.sub(r"\s+", " ", now).strip()
                if not inline and text != ";":
                    out.append((header, text.rstrip(";").strip()))
                now, inline = "", False
    return out


def clean(text):
    text = re.sub(r"__attribute__ ?\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    return re.sub(r"\s+", " ", text.replace("__extension__", "").replace("_Bool", "bool")).strip()


def split_at(text, separator):
    """The parts of a text between separators outside of brackets."""
    parts, depth, now = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == separator and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return parts + [now.strip()]


def parameter(p):
    """(type, name) of a parameter."""
    p = re.sub(r"\s*\*\s*", " * ", p).strip()
    m = re.match(r"^(.*?[ *])([A-Za-z_]\w*)(\[\d*\])?$", p)
    if not m or m.group(1).strip() in ("const", "struct"):
        return re.sub(r"\s+", " ", p), ""
    kind = re.sub(r"\s+", " ", m.group(1)).strip() + (" *" if m.group(3) else "")
    return kind, m.group(2)


def functions(decls):
    """[(header, result, name, [(type, name)], declaration)]"""
    found = []
    for header, text in decls:
        if 'visibility("default")' not in text:
            continue
        text = clean(re.sub(r"\((tt_\w+)\) ?\(", r" \1(", clean(text)))
        if text.startswith("tt_cell "):
            inside = "const char *site, tt_nn m, const char *name, tt_val carry, tt_val x"
            for name in text[len("tt_cell "):].split(", "):
                params = [parameter(p) for p in inside.split(", ")]
                found.append((header, "tt_val", name, params, "tt_val %s(%s);" % (name, inside)))
            continue
        if "..." in text or "va_list" in text or "FILE" in text or "[TT_" in text:
            continue
        first = re.match(r"^(.*?)(tt_\w+) ?\(", text)
        result = re.sub(r"\s*\*\s*", " *", first.group(1)).strip()
        for one in split_at(text[len(first.group(1)):], ","):
            m = re.match(r"^\*?(tt_\w+) ?\((.*)\)$", one)
            name, inside = m.group(1), m.group(2).strip()
            params = [] if inside in ("void", "") else [parameter(p) for p in split_at(inside, ",")]
            found.append((header, result, name, params, "%s %s(%s);" % (result, name, inside or "void")))
    return found


def option_structs(decls):
    """{type: [(name, kind)]} of the option structs whose fields Python has."""
    structs = {}
    for _, text in decls:
        m = re.match(r"^typedef struct (tt_\w+_opts) \{(.*)\} \1$", clean(text))
        if not m:
            continue
        fields = []
        for line in split_at(m.group(2), ";"):
            if not line or line.startswith(("size_t size", "const char *given", "struct tt_name_your")):
                continue
            names = split_at(line, ",")
            kind, first = parameter(names[0])
            base = re.sub(r" \*$", "", kind) if "[" not in names[0] else re.sub(r" \*$", "", kind)
            for n in [names[0][len(base):]] + names[1:] if not names[0].startswith("const char") else \
                    [names[0][len("const char"):]] + names[1:]:
                star, name, _, size = re.match(r"^\s*(\*?)\s*(\w+)(\[(\d+)\])?", n).groups()
                t = "const char *" if names[0].startswith("const char") and star else base + (" *" if star else "")
                fields.append((name, option_kind(t, name, size)))
        structs[m.group(1)] = fields
    return structs


def option_names(fields):
    """[(name of Python, name of C, kind)] of the fields that Python has: a name that another field has stays C's."""
    taken = {n for n, _ in fields}
    return [(n if OPTION.get(n) in taken else OPTION.get(n, n), n, k) for n, k in fields if k]


def option_kind(t, name, size):
    """The letter of an option's kind; None: Python has none."""
    if size:
        return {"int64_t": "i", "double": "d"}.get(t) and {"int64_t": "i", "double": "d"}[t] + size
    if t == "const char *":
        return "a" if name in ("dims", "dim", "axes", "wrt", "in", "out", "over") else "s"
    if t == "int":
        return "k"
    if t in ("double", "int64_t", "tt_val", "tt_dtype", "tt_mesh"):
        return SCALAR[t]
    if t in ("tt_activation *", "tt_initializer *"):
        return "P"
    return "D" if t == "const int64_t *" else None


def docs():
    """{name: the comment of a function or macro}"""
    found = {}
    names = sorted(os.listdir(os.path.join(INCLUDE, "tutti")))
    for header in ["tutti.h"] + ["tutti/" + n for n in names if n.endswith(".h")]:
        lines = open(os.path.join(INCLUDE, header)).read().split("\n")
        doc, at, declared, defined = "", 0, False, set()
        while at < len(lines):
            line = lines[at]
            if re.match(r"^/\*", line):
                block = [line]
                while "*/" not in lines[at]:
                    at += 1
                    block.append(lines[at])
                text = "\n".join(re.sub(r"^ \* ?", "", b) for b in block)
                text = re.sub(r"^/\* ?|\s*\*/.*$", "", text)
                doc, declared = "" if re.match(r"^----", text) or at < 12 else text.strip(), False
                defined = set()
            elif not line.strip():
                doc = ""
            else:
                # A comment is about the macros below it and their declarations, and about those it names.
                begins = re.match(r"^#define tt_(\w+)", line)
                if begins and declared and not re.search(r"\b(tt_)?%s\b" % begins.group(1), doc):
                    doc = ""
                declared = (declared and not begins) or bool(re.match(r"^TT_(API|NUM\d|DRAW)", line))
                beside = re.search(r"/\* (.*?) \*/\s*$", line)
                for n in re.findall(r"^#define (tt_\w+)", line) + re.findall(r"\b(tt_\w+)_at\(const char \*site",
                                                                             line) + \
                        re.findall(r"\b(tt_\w+)\((?:void|const char \*site)", line) + \
                        ["tt_" + n for n in re.findall(r"TT_[A-Z]+\d?\((\w+)\)", line)]:
                    if begins:
                        defined.add(n)
                    of_others = not begins and defined and n not in defined
                    said = beside.group(1) if beside else "" if of_others else doc
                    if said and said not in found.get(n, ""):
                        found[n] = (found[n] + "\n" + said).strip() if n in found and beside else found.get(n) or said
            at += 1
    return found


def wrapped(text, name, header):
    """A docstring of a C comment."""
    text = re.sub(r"\\", r"\\\\", text or "%s of C." % name)
    lines = [re.sub(r"\s+$", "", "    " + x if x else "") for x in (text + "\n\n%s in %s" % (name, header)).split("\n")]
    return '    """' + "\n".join(lines).strip().replace('"""', "'''") + '"""'


class Wrapper:
    """One function of Python."""

    def __init__(self, header, result, c_name, params, structs, said):
        self.header, self.result, self.c_name = header, result, c_name
        base = re.sub(r"_at$", "", c_name)
        self.short = base[3:]
        self.name = FUNCTION.get(self.short, self.short)
        self.doc = said.get(base, "")
        self.why = None
        self.options, self.parts = None, []
        for t, n in params[1:]:
            n = n or (t[3:] if t in OPENED else UNNAMED.get(t, n))
            m = re.match(r"^const (tt_\w+_opts) \*$", t)
            if m:
                self.options = m.group(1)
                if m.group(1) not in structs:
                    self.why = "options"
            elif t in SCALAR and n:
                taken = PARAMETER.get(n) in [other for _, other in params]
                of_layer = n == "name" and any(k == "N" for _, k in self.parts)
                self.parts.append((n if taken else PARAMETER.get(n, n), "z" if of_layer else SCALAR[t]))
            else:
                self.why = t or "?"
        if RESULT.get(result) is None:
            self.why = result
        self.fields = [(p, n, k) for p, n, k in option_names(structs.get(self.options, []))]
        self.is_module = any(k in "NM" for _, k in self.parts)
        if len({p for p, _ in self.parts} | {p for p, _, _ in self.fields}) < len(self.parts) + len(self.fields):
            self.fields = [(p if p not in dict(self.parts) else p + "_", n, k) for p, n, k in self.fields]

    def signature(self):
        """[(name, kind, default)] in the order that Python has: a draw's shape and dtype come last, with defaults."""
        parts = [(n, k, DEFAULT.get((self.short, n))) for n, k in self.parts]
        kinds = dict(self.parts)
        if kinds.get("dtype") == "t" and kinds.get("shape") == "D" and "key" in kinds:
            whole = self.short in ("poisson", "geometric")
            dtype = "int" if whole else '"uint32"' if self.short == "bits" else "float"
            parts = [p for p in parts if p[0] not in ("dtype", "shape")]
            parts += [("shape", "D", "()"), ("dtype", "t", dtype)]
        lists = [p for p in parts if p[1] == "V"]
        if lists and parts[0][0] == "axis":
            parts = lists + [p for p in parts if p[1] != "V"]
        while any(d is not None for _, _, d in parts) and any(
                a[2] is not None and b[2] is None for a, b in zip(parts, parts[1:])):
            parts.sort(key=lambda p: p[2] is not None)
        return parts

    def text(self):
        parts = self.signature()
        words = ["%s: %s" % (n, HINT[k]) + (" = " + d if d is not None else "") for n, k, d in parts]
        if self.fields:
            words += ["*"] + ["%s: Optional[%s] = None" % (p, HINT.get(k, "Any")) for p, _, k in self.fields]
        head = "def %s(%s) -> %s:" % (self.name, ", ".join(words), RESULT_HINT[self.result])
        names = [n for n, _ in self.parts]
        kinds = "".join("T" if k == "v" and self.is_module else k for _, k in self.parts)
        call = ["lib.%s" % self.c_name, _tuple('"%s"' % n for n in names), '"%s"' % kinds, _tuple(names)]
        if self.options:
            call += ["_%s" % self.options, _tuple(p for p, _, _ in self.fields)]
        # What a layer makes belongs to the pass that it is in: no scope of its own.
        inside = "inside_" if any(k == "N" for _, k in self.parts) else ""
        body = "    return _core.%s%s(%s)" % (inside, RESULT[self.result], ", ".join(call))
        return "\n".join([fold(head), wrapped(self.doc, re.sub(r"_at$", "", self.c_name), self.header), fold(body, 8)])


def _tuple(items):
    items = list(items)
    return "(%s)" % (", ".join(items) + ("," if len(items) == 1 else ""))


def fold(line, indent=8, width=120):
    """A line of at most 120 columns, folded after commas."""
    out = []
    while len(line) > width:
        at = line.rfind(", ", 0, width)
        if at < 0:
            break
        out.append(line[:at + 1])
        line = " " * indent + line[at + 2:]
    return "\n".join(out + [line])


def by_hand_calls():
    """The functions of C that the modules of Python call by hand."""
    names = set()
    for n in os.listdir(os.path.join(HERE, "src", "tutti")):
        if n.endswith(".py") and n != "_api.py":
            names |= set(re.findall(r"\blib\.(tt_\w+)", open(os.path.join(HERE, "src", "tutti", n)).read()))
    return names


def cdef(decls, fns, used, structs):
    """The declarations for cffi."""
    out = ["/* cdef.h - made by generate.py from include/: the declarations that cffi reads. */"]
    seen = set()
    for _, text in decls:
        text = clean(text)
        if not text.startswith("typedef") or any(w in text for w in ("_Float16", "tt_form", "FILE", "[TT_")):
            continue
        text = re.sub(r"TT_\w+ = TT_\w+", lambda m: m.group(0), text)
        if text not in seen:
            seen.add(text)
            out.append(fold(text + ";", 4))
    out += ["struct DLManagedTensorVersioned;", "struct DLManagedTensor;"]
    out += [fold(d.replace("_Bool", "bool"), 4) for _, _, name, _, d in fns if name in used]
    return "\n".join(out) + "\n"


HEAD = '''"""Made by generate.py from include/tutti/*.h: a function of Python for each one of C whose arguments Python
has.

Values are arrays, numbers or trees; options come by name, and None is "not given"."""
# flake8: noqa
from typing import Any, Callable, Optional, Sequence, Union

from . import _core
from ._core import Opened, Options, lib
from ._mesh import Mesh
from ._modules import Frame

DtypeLike = Any
Shape = Union[int, Sequence[int]]
Axes = Union[int, Sequence[int], str]
'''


def api(wrappers, structs):
    out = [HEAD]
    types = sorted({w.options for w in wrappers if w.options})
    for t in types:
        fields = " ".join("%s=%s:%s" % f for f in option_names(structs[t]))
        line = '_%s = Options("%s", "%s")' % (t, t, fields)
        while len(line) > 120:
            at = line.rfind(" ", 0, 116)
            out.append(line[:at] + ' "')
            line = '    "' + line[at + 1:]
        out.append(line)
    out.append("")
    headers = {}
    for w in wrappers:
        headers.setdefault("modules" if w.is_module else w.header, []).append(w.name)
        out += ["", w.text(), ""]
    out += ["", "HEADERS = {"]
    for h, names in sorted(headers.items()):
        out.append(fold('    "%s": "%s".split(),' % (re.sub(r"^tutti/|\.h$", "", h), " ".join(names)), 8, 10**9))
    out += ["}", ""]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(out))


@functools.lru_cache(maxsize=None)
def made():
    """({file: text}, the wrappers, those that are left out)."""
    decls = declarations()
    fns, structs, said = functions(decls), option_structs(decls), docs()
    wrappers, skipped = [], []
    for header, result, name, params, _ in fns:
        if not name.endswith("_at") or re.sub(r"^tt_|_at$", "", name) in BY_HAND:
            continue
        if header in ("tutti/form.h", "tutti/memory.h"):
            continue
        w = Wrapper(header, result, name, params, structs, said)
        (skipped if w.why else wrappers).append(w)
    used = {w.c_name for w in wrappers} | by_hand_calls()
    missing = used - {f[2] for f in fns}
    if missing:
        sys.exit("generate.py: no such function in the headers: " + ", ".join(sorted(missing)))
    return {"cdef.h": cdef(decls, fns, used, structs), "_api.py": api(wrappers, structs)}, wrappers, skipped


def write(name, folder):
    """Writes one of the files to a folder."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w") as f:
        f.write(made()[0][name])


def main():
    folders = [a for a in sys.argv[1:] if a != "--skipped"]
    if len(folders) > 1 or any(f.startswith("-") for f in folders):
        sys.exit("usage: python/generate.py [--skipped] [FOLDER]")
    files, wrappers, skipped = made()
    for folder in folders:
        for name in files:
            write(name, folder)
    if "--skipped" in sys.argv[1:]:
        for w in skipped:
            print(w.c_name, w.why)
    print("%d functions made, %d are not for Python" % (len(wrappers), len(skipped)))


if __name__ == "__main__":
    main()
