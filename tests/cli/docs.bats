# The tree that documents describe.
# shellcheck disable=SC2154
setup() {
    load common
    common_setup
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
}

@test "the files that docs/architecture.md, docs/release.md and CONTRIBUTING.md name are there" {
    local missing=0 page path
    for page in docs/architecture.md docs/release.md CONTRIBUTING.md; do
        while read -r path; do
            case $path in *NAME* | *PART* | *_x.* | */x.* | */x/ | *'*'* | build/*) continue ;; esac
            [ -e "$root/$path" ] || [ -e "$root/include/$path" ] || { echo "$page: $path"; missing=1; }
        done < <(grep -oE '`[a-zA-Z0-9_.-]+(/[a-zA-Z0-9_.*-]+)+/?[^` ]*`' "$root/$page" | tr -d '`' | sort -u)
    done
    [ $missing -eq 0 ]
}

@test "pages of measurements are what their scripts print" {
    command -v python3 > /dev/null || skip "there is no python3"
    local page script
    while read -r page script; do
        PYTHONDONTWRITEBYTECODE=1 python3 "$root/bench/$script.py" > "$page.md"
        diff "$root/docs/$page.md" "$page.md" ||
            { echo "bench/$script.py > docs/$page.md makes it anew"; return 1; }
    done <<< 'performance performance
fidelity fidelity_page
benchmarks public_page'
}
