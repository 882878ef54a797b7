"""Sphinx's configuration of the site; docs/dev/site.md."""

import os

project = "Tutti"
version = release = os.environ.get("TUTTI_VERSION", "")
copyright = "the authors of Tutti, Apache 2.0"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
# Links into pages, to headings and entries, are checked by tools/site/links.py in the pages as they are.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
primary_domain = "c"
highlight_language = "text"
smartquotes = False
maximum_signature_line_length = 76

html_theme = "furo"
html_title = "Tutti"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "default"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1c5fa8", "color-brand-content": "#1c5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7fb4f5", "color-brand-content": "#7fb4f5"},
}
