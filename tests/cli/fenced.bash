# The commands that documents show.

# fenced FILE [HEADING]: the blocks fenced as sh, of the whole file or below one heading.
fenced() {
    awk -v heading="${2-}" '
        /^#+ / { title = $0; sub(/^#+ /, "", title) }
        inside && /^```/ { inside = 0; next }
        inside && (heading == "" || heading == title) { print }
        /^```sh$/ { inside = 1 }' "$1"
}

# headings FILE: of the recipes, one a line.
headings() { sed -n 's/^### //p' "$1"; }
