"""How Sphinx builds the site from what pages.py has laid out. Scripts are coloured by the grammar that the editors read."""
import json
import pathlib

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

project = "ripdsl"
html_title = "ripdsl"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = False
html_use_index = False
html_show_copyright = False
smartquotes = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
pygments_style = "friendly"
pygments_dark_style = "native"

# scopes of the TextMate grammar, as Pygments names the same things
tokens = {
    "comment.line": Comment.Single,
    "string.quoted": String.Double,
    "entity.other.attribute-name.clause": Name.Decorator,
    "keyword.control": Keyword,
    "keyword.other": Keyword.Type,
    "keyword.operator": Operator,
    "constant.language": Name.Builtin,
    "constant.numeric": Number.Integer,
    "entity.name.type": Name.Class,
    "entity.name": Name.Function,
}


def token(scope):
    return next(found for prefix, found in tokens.items() if scope.startswith(prefix))


def rule(pattern):
    """A pattern of that grammar: its scopes are of the whole, or of groups with whatever stands between."""
    if "captures" not in pattern:
        return pattern["match"], token(pattern["name"])
    keyword, name = (token(pattern["captures"][group]["name"]) for group in ("1", "2"))
    return pattern["match"].replace(r"\s+([A-Za-z_]", r"(\s+)([A-Za-z_]", 1), bygroups(keyword, Text, name)


grammar = json.loads((pathlib.Path(__file__).resolve().parents[2] / "editors/vscode/syntaxes/ripdsl.tmLanguage.json").read_text(encoding="utf-8"))


class Rip(RegexLexer):
    name = "ripdsl"
    tokens = {"root": [*map(rule, grammar["patterns"]), (r"\s+|\w+|.", Text)]}


def setup(app):
    app.add_lexer("rip", Rip)
    app.config.html_extra_path.append(f"{app.srcdir}/alone")  # pages and drawings that are no part of another page
