"""Lays out the site's sources, Markdown for Sphinx, in a folder: documents of the tree, pages of the headers, plots.
usage: stage.py BUILD COMPILER [FOLDER]
A link of a document to a file or a heading that is not there is an error."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import headers
import plots
import reference

HERE = Path(__file__).parent
PAGES = {                                                    # document of the tree: page of the site
    "docs/tutorial.md": "tutorial",
    "docs/language-model.md": "language-model",
    "docs/from-jax.md": "from-jax",
    "docs/from-jax-names.md": "from-jax-names",
    "docs/glossary.md": "glossary",
    "docs/guides.md": "guides",
    "docs/several-processes.md": "several-processes",
    "docs/platforms.md": "platforms",
    "docs/house.md": "house",
    "bench/results.md": "benchmarks",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "README.md": "index",
    "docs/how-to": "how-to/index",
    "docs/design": "design/index",
    "docs/dev": "dev/index",
    "include": "reference/index",
    "include/tutti": "reference/index",
    "include/tutti.h": "reference/tutti",
    "include/tutti.hpp": "reference/tutti-cpp",
    **{f"include/tutti/{header.name}": f"reference/tutti-{header.stem}"
       for header in sorted(Path("include/tutti").glob("*.h"))},
    **{f"docs/{folder}/{page.name}": f"{folder}/{page.stem}"
       for folder in ("how-to", "design", "dev") for page in sorted(Path("docs", folder).glob("*.md"))},
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
NAMED = re.compile(r"(?<![\[`])`((?:tt_\w+|TT_[A-Z][A-Z0-9_]*)(?:\([^`]*\))?)`(?![\]`])")
LANGUAGES = {".c": "c", ".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "sh", ".awk": "awk"}


class Stage:
    def __init__(self, folder, where):
        self.folder, self.where, self.sources, self.written = folder, where, set(), set()

    def write(self, name, text):
        """Writes a file, unless it is there with this text: Sphinx reads again what is newer."""
        path = self.folder / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def page(self, name, text):
        self.write(f"{name}.md", text)

    def end(self):
        """Takes away what an earlier run has left. True if there was something."""
        left = [p for p in self.folder.rglob("*") if p.is_file() and p not in self.written and ".trees" not in p.parts]
        for path in left:
            path.unlink()
        return bool(left)

    def target(self, link, document):
        """The site's address of a link in a document of the tree. Files that are no pages become pages of source."""
        if re.match(r"[a-z]+:", link):
            return link
        if link.startswith("#"):
            link = Path(document).name + link
        path, _, anchor = link.partition("#")
        path = os.path.normpath(Path(document).parent / path)
        if anchor and path.endswith(".md") and Path(path).is_file() and anchor not in headings(path):
            raise SystemExit(f"{document}: a link to {link}, a heading that is not there")
        if path in PAGES:
            return f"/{PAGES[path]}.md" + (f"#{anchor}" if anchor else "")
        if Path(path).is_dir():
            return f"/{self.folder_of(path)}.md"
        if Path(path).is_file():
            self.sources.add(path)
            return f"/source/{path}.md"
        raise SystemExit(f"{document}: a link to {link}, which is not there")

    def folder_of(self, path):
        """A page with the files of a folder."""
        page = f"source/{path}/files"
        files = sorted(str(p) for p in Path(path).iterdir() if p.is_file() and p.suffix in (".c", ".cpp", ".h", ".md"))
        self.sources.update(files)
        links = "".join(f"- [{Path(f).name}](/source/{f}.md)\n" for f in files)
        self.page(page, f"---\norphan: true\n---\n# {path}/\n\n{links}")
        return page

    def document(self, path, page):
        """A document with links of the site, and with names of functions linked to the reference."""
        up = "../" * page.count("/")

        def linked(match):
            if match[1]:
                return self.picture(match[2], os.path.normpath(Path(path).parent / match[3]))
            return f"[{match[2]}]({self.target(match[3], path)})"

        def named(match):
            at = self.where.link(re.match(r"\w+", match[1])[0], f"{up}reference/")
            return f'<a href="{at}">{reference.literal(match[1])}</a>' if at else match[0]

        out, code = [], False
        for line in Path(path).read_text().splitlines():
            if line.startswith("@program "):
                out += program(line.split()[1])
                continue
            fence = line.lstrip().startswith("```")
            code ^= fence
            if fence and code and line.strip() in ("```", "```console"):
                line = line.replace("```console", "```").replace("```", "```text")
            if not code and not fence:
                line = LINK.sub(linked, line)
                line = line if line.startswith("#") else NAMED.sub(named, line)
            out.append(line)
        return "\n".join(out) + "\n"

    def picture(self, alt, path):
        """A picture of a terminal, for both colour schemes."""
        text = Path(path).read_text()
        name = Path(path).stem
        self.write(f"pictures/{name}-dark.svg", text)
        self.write(f"pictures/{name}-light.svg", text.replace("#10141c", "#f6f8fa").replace("#d6deeb", "#1f2430"))
        return "\n".join(f"```{{image}} /pictures/{name}-{scheme}.svg\n:alt: {alt}\n:class: only-{scheme}\n```"
                         for scheme in ("light", "dark"))

    def source(self, path):
        """A file of the tree as a page."""
        text = Path(path).read_text()
        language = LANGUAGES.get(Path(path).suffix, "text")
        front = f"---\norphan: true\nnosearch: true\n---\n# {path}\n\n"
        self.page(f"source/{path}", f"{front}``````{language}\n{text.rstrip()}\n``````\n")


def headings(path):
    """The anchors of a document's headings, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```$", "", Path(path).read_text(), flags=re.M | re.S)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)]


def program(path):
    """The first program of a document, and what it prints."""
    blocks = re.findall(r"^```(c|)\n(.*?)^```$", Path(path).read_text(), re.M | re.S)
    at = next(k for k, (language, _) in enumerate(blocks) if language == "c")
    return ["```c", *blocks[at][1].splitlines(), "```", "", "```text", *blocks[at + 1][1].splitlines(), "```"]


def listed(folder):
    """The pages of a folder with their titles, in the order of `order` if the folder has one, else of their names."""
    pages = sorted(Path("docs", folder).glob("*.md"))
    if (order := Path("docs", folder, "order")).exists():
        names = order.read_text().split()
        pages = [Path("docs", folder, f"{n}.md") for n in names] + [p for p in pages if p.stem not in names]
    return [(p.stem, p.read_text().splitlines()[0].lstrip("# ")) for p in pages]


def contents(names):
    return "\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def tool(build):
    """The tool's help, command by command."""
    def help_of(*command):
        return subprocess.run([f"{build}/tutti", *command, "--help"], capture_output=True, text=True).stdout

    try:
        text = help_of()
    except OSError:
        return None
    usage = text.split("\n\n")
    commands = re.findall(r"^  ([a-z]+)", usage[2] if len(usage) > 2 else "", re.M)
    out = ["# The tool `tutti`", "", "```text", text.rstrip(), "```", ""]
    for command in commands:
        out += [f"## tutti {command}", "", "```text", help_of(command).rstrip(), "```", ""]
    return "\n".join(out)


def main(build, compiler, folder=None):
    folder = Path(folder or f"{build}/site-source")
    folder.mkdir(parents=True, exist_ok=True)
    files = ["include/tutti.h", *sorted(str(p) for p in Path("include/tutti").glob("*.h")), "include/tutti.hpp"]
    pages = [headers.read(f) for f in files]
    where = reference.Reference(pages, headers.prototypes(compiler), headers.signature)
    stage = Stage(folder, where)
    for page in pages:
        stage.page(f"reference/{page.name}", where.page(page))
    names = [page.name for page in pages]
    table = "".join(f"| [{p.include}]({p.name}.md) | {where.prose(p.brief)} |\n" for p in pages)
    command = tool(build)
    if command:
        stage.page("reference/tool", command)
    lead = (HERE / "reference.md").read_text()
    stage.page("reference/index", f"# Reference\n\n{lead}\n| header | |\n|---|---|\n{table}" +
               contents(names + (["tool"] if command else [])))
    for path, page in PAGES.items():
        if path.endswith(".md") and page not in ("index", "benchmarks"):
            text = stage.document(path, page)
            if page == "house":                              # the drawing stands above the table of rooms
                text = text.replace("\n| floor |", f"\n{plots.house()}\n\n| floor |", 1)
            stage.page(page, text)
    stage.page("benchmarks", plots.drawn(stage.document("bench/results.md", "benchmarks")))
    for name, title, lead in (("how-to", "How-to pages", "Each page is a program that runs, with what it prints."),
                              ("design", "Design", "Why Tutti is as it is, a page a subject."),
                              ("dev", "Development", "A page for each kind of change.")):
        stage.page(f"{name}/index", f"# {title}\n\n{lead}\n" + contents(n for n, _ in listed(name)))
    stage.page("index", stage.document(HERE / "index.md", "index"))
    done = set()
    while left := stage.sources - done:
        for path in left:
            stage.source(path)
        done |= left
    if stage.end():                                          # what was a page must not stay one
        shutil.rmtree(Path(build) / "site", ignore_errors=True)
        shutil.rmtree(folder / ".trees", ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
