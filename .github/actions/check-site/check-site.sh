#!/usr/bin/env bash
# The steps of action.yml. They run in any shell, in the folder from which `site` and `baseline` count:
#
#     export RUNNER_TEMP=/tmp GITHUB_OUTPUT=/tmp/outputs GITHUB_STEP_SUMMARY=/tmp/summary.md
#     check-site.sh build                  installs packages, and sets up build/ of this repository anew; also CACHE
#     SITE=./public check-site.sh check    also OPTIONS, BASELINE, FAIL: the action's inputs
set -euo pipefail
shopt -s inherit_errexit
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
folder=${RUNNER_TEMP:?}/check-site

# All that stage3 is built from. (The image in .devcontainer copies the same.)
sources=(learn meson.build meson_options.txt common stage1_callbacks stage2_coroutines stage3_queue_crawler
    tests/setup/machine.sh book/site/book.css)

output() { # NAME VALUE
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

refuse() { # WHY
    local why=${1//'%'/%25}
    why=${why//$'\r'/%0D}
    printf '::error title=check-site::%s\n' "${why//$'\n'/%0A}"
    output status 2
    exit 2
}

true_or_false() { # INPUT'S NAME, VALUE
    case $2 in true | false) ;; *) refuse "$1 is '$2': give true or false" ;; esac
}

# Without the blanks and line ends around it: a block in YAML ends with one.
trimmed() { # VALUE
    local value
    IFS=$' \t\n' read -r -d '' value <<<"$1" || true
    printf %s "$value"
}

# Under what name the program is cached. GitHub gives an action its files without a commit, so they name
# themselves: all that it's built from, and this file, which says how. A program is for the libraries of one system.
name_program() {
    local sum system
    sum=$(cd "$top" && find "${sources[@]}" .github/actions/check-site/check-site.sh -type f -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    # shellcheck source=/dev/null
    system=$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")
    echo "stage3-$system-$(uname -m)-${sum:0:20}"
}
key=$(name_program)
program=$folder/$key/bin/stage3 # a job may use two versions of this action

key() {
    output key "$key"
    output folder "$folder/$key/bin"
}

# A program from the cache is taken if it starts here.
build() {
    local -a apt=(apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
    true_or_false cache "${CACHE:=true}"
    if [ "$CACHE" = true ] && "$program" --version >/dev/null 2>&1; then return; fi
    [ "$(id -u)" -eq 0 ] || apt=(sudo "${apt[@]}")
    # What learn doesn't ask for, because a crawl works without: --scope domain, and --state. (The image has both.)
    "${apt[@]}" update || true # if a list can't be fetched, the others may be enough
    "${apt[@]}" --no-install-recommends install libpsl-dev libsqlite3-dev
    # Runners have the libraries, but no fmt: with its headers alone, a cached program needs none.
    (cd "$top" && LEARN_BUILD_OPTIONS='--buildtype=release -Dtests=false -Dpsl=enabled -Dstate=enabled
        -Dcpp_args=-DFMT_HEADER_ONLY' ./learn crawl 3 --version --yes)
    mkdir -p "$folder/$key/bin"
    cp "$top/build/stage3_queue_crawler/stage3" "$program"
}

check() {
    local site baseline fail reports report summary status=0 line config=--no-config
    mkdir -p "$folder"
    reports=$(mktemp -d "$folder/XXXXXX") # a job may use this action twice
    report=$reports/links.html summary=$reports/links.md
    local -a options=(--format github --html "$report" --also "markdown=$summary")
    site=$(trimmed "${SITE:-}") baseline=$(trimmed "${BASELINE:-}") fail=$(trimmed "${FAIL:-true}")
    case $site in
    '') refuse "site is empty: give a URL, or a folder that holds the site, as in ./public" ;;
    *$'\n'*) refuse "site has several lines: give one URL, or one folder" ;;
    *://* | /* | ./* | ../*) ;;
    *) [ ! -e "$site" ] || site=./$site ;;
    esac
    true_or_false fail "$fail"
    [ -z "$baseline" ] || options+=(--baseline "$baseline")
    while read -r line; do # without the blanks around it
        case $line in
        '') continue ;;
        --) refuse "options has the line '--': give options alone, and the site in site" ;;
        --config | --config=*) config='' ;;
        esac
        case ${line%%=*} in
        -*[[:blank:]]*) refuse "options has the line '$line': give one option a line, with its value after '='" ;;
        esac
        options+=("$line")
    done <<<"${OPTIONS:-}"
    # A pull request could bring a file with options, which stage3 would read unasked.
    [ -z "$config" ] || options+=("$config")
    "$program" "${options[@]}" -- "$site" || status=$?
    output status "$status"
    [ ! -s "$report" ] || output report "$report"
    if [ -s "$summary" ]; then
        output summary "$summary"
        cat "$summary" >>"$GITHUB_STEP_SUMMARY"
    fi
    case $fail:$status in false:1 | false:3) status=0 ;; esac
    exit "$status"
}

case ${1:-} in
key | build | check) "$1" ;;
*) sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2 && exit 2 ;;
esac
