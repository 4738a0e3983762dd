#!/usr/bin/env bash
# The steps of action.yml. They run in any shell, in the folder from which `site` and `baseline` count:
#
#     export RUNNER_TEMP=/tmp GITHUB_OUTPUT=/tmp/outputs GITHUB_STEP_SUMMARY=/tmp/summary.md
#     check-site.sh build                  sets up build/ of this repository anew
#     SITE=public check-site.sh check      also OPTIONS, BASELINE, FAIL: the action's inputs
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
folder=${RUNNER_TEMP:?}/check-site
program=$folder/bin/stage3

# All that stage3 is built from. (The image in .devcontainer copies the same.)
sources=(learn meson.build meson_options.txt common stage1_callbacks stage2_coroutines stage3_queue_crawler
    tests/setup/machine.sh book/site/book.css)

output() { # NAME VALUE
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

refuse() { # WHY
    local why=${1//'%'/%25}
    printf '::error title=check-site::%s\n' "${why//$'\n'/%0A}"
    exit 2
}

# Under what name the program is cached. GitHub gives an action its files without a commit, so they name
# themselves. A program is for the libraries of one system.
key() {
    local sum system
    sum=$(cd "$top" && find "${sources[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    # shellcheck source=/dev/null
    system=$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")
    output key "stage3-$system-$(uname -m)-${sum:0:20}"
    output folder "$folder/bin"
}

# A program from the cache is taken if it starts here.
build() {
    if "$program" --version >/dev/null 2>&1; then return; fi
    # Runners have curl and libxml2, but no fmt: with its headers alone, a cached program needs none.
    (cd "$top" && LEARN_BUILD_OPTIONS='--buildtype=release -Dtests=false -Dcpp_args=-DFMT_HEADER_ONLY' \
        ./learn crawl 3 --version --yes)
    mkdir -p "$folder/bin"
    cp "$top/build/stage3_queue_crawler/stage3" "$program"
}

check() {
    local report=$folder/links.html summary=$folder/links.md status=0 line
    local -a options=(--format github --html "$report" --also "markdown=$summary")
    [ -n "${SITE:-}" ] || refuse "site is empty: give a URL, or a folder that holds the site"
    case ${FAIL:=true} in true | false) ;; *) refuse "fail is '$FAIL': give true or false" ;; esac
    [ -z "${BASELINE:-}" ] || options+=(--baseline "$BASELINE")
    while read -r line; do # without the blanks around it
        case $line in
        '') ;;
        -*=*) options+=("$line") ;;
        -*[[:blank:]]*) refuse "options has the line '$line': give one option a line, with its value after '='" ;;
        *) options+=("$line") ;;
        esac
    done <<<"${OPTIONS:-}"
    mkdir -p "$folder"
    rm -f "$report" "$summary"
    "$program" "${options[@]}" -- "$SITE" || status=$?
    output status "$status"
    [ ! -s "$report" ] || output report "$report"
    if [ -s "$summary" ]; then
        output summary "$summary"
        cat "$summary" >>"$GITHUB_STEP_SUMMARY"
    fi
    case $FAIL:$status in false:1 | false:3) status=0 ;; esac
    exit "$status"
}

case ${1:-} in
key | build | check) "$1" ;;
*) sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2 && exit 2 ;;
esac
