"""Lays out what the site is made of: the documents, a page for each script, and what `ripdsl` draws and writes of the five games.

Usage: pages.py RIPDSL OUT. OUT is laid out as the repository is, so links between the documents stay as they are written; those that
lead to a folder or to a script lead to its page.
"""
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
ripdsl, out = sys.argv[1], pathlib.Path(sys.argv[2])


def write(path, text):
    path = out / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def tool(*arguments):
    return subprocess.run([ripdsl, *arguments], cwd=root, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def title(page):
    """The first heading of a Markdown page, or the name of a script's game."""
    return re.search(r'^(?:# |game ")([^"\n]+)', page.read_text(encoding="utf-8"), re.MULTILINE)[1]


def link(match):
    """Whose text is the name of a page: it becomes that page's title."""
    text, target = match.groups()
    text = "" if text.endswith((".md", "/")) else text
    target = re.sub(r"(README\.md|(?<=/))$", "index.md", target)
    return f"[{text}]({target}.md)" if target.endswith(".rip") else f"[{text}]({target})"


def document(page):
    """Without the frames, which readers do not see, and what stands behind the language of a block, which the tests read."""
    text = re.sub(r"<!-- frame.*?-->\n", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    parts = re.split(r"^(```.*?^```)$", text, flags=re.MULTILINE | re.DOTALL)
    for i, part in enumerate(parts):
        parts[i] = re.sub(r"\A(```\w+).*", r"\1", part) if i % 2 else re.sub(r"\[([^\]]*)\]\(([^)#:]+)\)", link, part)
    write(page.relative_to(root).with_name(page.name.replace("README", "index")), "".join(parts))


def script(path, heading):
    name = path.relative_to(root)
    text = path.read_text(encoding="utf-8")
    write(f"{name}.md", f"# {heading}\n\n`{name}`\n\n```rip\n{text}```\n")


def toctree(*entries, caption="", hidden=False):
    options = [":hidden:"] * hidden + [f":caption: {caption}"] * bool(caption) + [":maxdepth: 1"]
    return "\n".join(["", "```{toctree}", *options, "", *map(str, entries), "```", ""])


def game(path):
    """The rulebook and the graph of a game."""
    name = path.relative_to(root)
    rules = re.sub(r"\\\[([A-Z][^\]]*)\\\]", r'<span class="clause">\1</span>', tool("rules", str(name)).split("\n", 1)[1])
    alone = {"graph.svg": tool("graph", str(name), "--svg"), "rulebook.html": tool("rules", str(name), "--html")}
    for kind, text in alone.items():
        write(f"alone/games/{path.stem}-{kind}", text)
    graph = f"{path.stem}-graph.svg"
    write(name.with_suffix(".md"), f"""# {title(path)}

[The script]({path.name}.md) · <a href="{path.stem}-rulebook.html">this rulebook alone</a> · <a href="{graph}">the drawing alone</a>
{rules}
## Phases and zones

The phases from top to bottom, and what moves between the zones.

<div class="drawing"><a href="{graph}"><img src="{graph}" alt="Phases, and zones with what moves between them"></a></div>
""" + toctree(path.name, hidden=True))


shutil.rmtree(out, ignore_errors=True)
for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    document(page)
for drawing in sorted((root / "docs").glob("*.svg")):
    shutil.copy(drawing, out / "docs")
published = sorted((root / "games").glob("*.rip"))
classics = sorted((root / "games" / "classics").glob("*.rip"))
cookbook = sorted((root / "docs" / "cookbook").glob("*.rip"))
for path in [*classics, *cookbook]:
    script(path, title(path))
for path in published:
    script(path, f"{title(path)}: the script")
    game(path)

decisions = sorted((root / "docs" / "decisions").glob("*.md"))
write("docs/decisions/index.md", "# Decisions\n\nWhat was chosen where there was a choice, and why.\n" + toctree(*(page.stem for page in decisions)))
write("games/index.md", "# Games\n\nPublished games: the rulebook that each script amounts to, with the script and its drawing.\n"
      + toctree(*(path.stem for path in published)) + "\nBesides, [classics](classics/index.md) whose numbers are known.\n"
      + toctree("classics/index", hidden=True))
write("games/classics/index.md", "# Classics\n" + toctree(*(path.name for path in classics)))
for folder, pages in [("cookbook", [path.name for path in cookbook]), ("sessions", [page.stem for page in sorted((root / "docs" / "sessions").glob("*.md")) if page.stem != "README"])]:
    index = out / "docs" / folder / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + toctree(*pages, hidden=True), encoding="utf-8")
start = out / "index.md"
start.write_text(start.read_text(encoding="utf-8")
                 + toctree("docs/tutorial", "docs/cookbook/index", "docs/sessions/index", "games/index", caption="To begin with", hidden=True)
                 + toctree("docs/language", "docs/cli", "docs/editors", "docs/glossary", caption="To look up", hidden=True)
                 + toctree("docs/performance", "docs/extending", "docs/warts", "docs/decisions/index", caption="How it is made", hidden=True), encoding="utf-8")
