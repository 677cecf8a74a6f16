"""Sphinx, MyST and furo: each is maintained; MkDocs and its Material theme have ended, Zensical is not 1.0 yet."""
# ruff: noqa: INP001 - Sphinx executes this file, nothing imports it

from tokenspec import __version__

project = "tokenspec"
author = "the tokenspec authors"
release = version = __version__
copyright = "the tokenspec authors, Apache-2.0"  # noqa: A001 - Sphinx's name

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
suppress_warnings = ["myst.header"]  # one page is one requirement: its sections start at level 2

autodoc_mock_imports = ["torch", "transformers", "tokenizers", "numpy", "ijson"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "fully-qualified"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = False

smartquotes = False

html_theme = "furo"
html_title = f"tokenspec {__version__}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
    "dark_css_variables": {"color-brand-primary": "#7cb8f2", "color-brand-content": "#7cb8f2"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
