"""Checks that every link of the site to itself leads to a page, and to a place in it, that are there.
usage: links.py FOLDER"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Places(HTMLParser):
    """The anchors of a page, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id" or (key == "name" and tag == "a"):
                self.anchors.add(value)
            elif key in ("href", "src") and value:
                self.links.add(value)


def main(folder):
    pages = {path.resolve(): Places(path.read_text()) for path in sorted(Path(folder).rglob("*.html"))}
    wrong = checked = 0
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            checked += 1
            anchor = unquote(parts.fragment)
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].anchors):
                print(f"{path.relative_to(Path(folder).resolve())}: a link to {link}, which is not there")
                wrong += 1
    print(f"links: {checked} lead to {len(pages)} pages, {wrong} are wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
