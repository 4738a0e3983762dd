# shellcheck shell=sh
# What a machine must have, and how to get it. A part of ../../learn, which sources it.
#
# `need TABLE` is the entry point: it looks for everything in a table, says what is missing and
# why it is needed, and installs it or says what to type.

# One line per thing: its kind and name, the oldest version that works, the package that
# contains it for each package manager, and why we need it. "-" stands for none.
needs_to_build() {
    cat <<'TABLE'
compiler C++20-compiler        -      g++                   gcc-c++             gcc      g++          -        compiles the programs (g++ 12 or clang 17, or later)
command  meson                 1.0.1  meson                 meson               meson    meson        meson    configures the build and runs the tests
command  ninja/ninja-build/samu -     ninja-build           ninja-build         ninja    samurai      ninja    builds what has changed
command  pkg-config            -      pkg-config            pkgconf-pkg-config  pkgconf  pkgconf      pkgconf  finds the libraries
module   libcurl               7.85   libcurl4-openssl-dev  libcurl-devel       curl     curl-dev     curl     speaks HTTP for stage 3
module   libxml-2.0            2.9    libxml2-dev           libxml2-devel       libxml2  libxml2-dev  libxml2  reads XML, and text in many encodings
module   zlib                  -      zlib1g-dev            zlib-devel          zlib     zlib-dev     zlib     unpacks what servers compress
module   fmt                   9      libfmt-dev            fmt-devel           fmt      fmt-dev      fmt      formats what the programs print
module   CLI11                 2.1    libcli11-dev          cli11-devel         cli11    cli11-dev    cli11    parses command lines
header   doctest/doctest.h     -      doctest-dev           doctest-devel       doctest  doctest-dev  doctest  runs the unit tests
TABLE
}

# What only the book needs, to become a site.
needs_for_book() {
    cat <<'TABLE'
python   markdown_it -  python3-markdown-it  python3-markdown-it-py  python-markdown-it-py  py3-markdown-it-py  -  reads the pages of the book
python   pygments    -  python3-pygments     python3-pygments        python-pygments        py3-pygments        -  gives code its colours
TABLE
}
book_python='' # the one that has them

# What only a crawl shared by several processes needs. Debian's package redis-server would start a
# server for the whole machine, unasked; its redis-tools doesn't (see has_redis).
needs_for_many() {
    cat <<'TABLE'
redis    redis-server  6.2  redis-tools  valkey  valkey  valkey  valkey  holds the state that the processes of a shared crawl have in common
TABLE
}
other_names=$top/.learn/bin # for programs that do what we need only under another name
PATH=$other_names:$PATH

gnu_compilers='g++ g++-12 g++-13 g++-14 g++-15 g++-16'
clang_compilers='clang++ clang++-17 clang++-18 clang++-19 clang++-20 clang++-21'
cxx=''        # the compiler that was found
chosen_cxx='' # the one that must be used, if any
known_cxx=''  # the one that was used last time, which is tried first

# ---- Looking ---------------------------------------------------------------------------

# Is a version, such as 1.10.2, at least as new as another?
at_least() { # VERSION OLDEST
    awk -v a="$1" -v b="$2" 'BEGIN {
        split(a, x, "."); split(b, y, ".")
        for (i = 1; i <= 3; i++) if (x[i] + 0 != y[i] + 0) exit x[i] + 0 < y[i] + 0
    }'
}

# The first of some commands that is installed, given as a/b/c.
first_command() {
    for candidate in $(printf '%s' "$1" | tr / ' '); do
        command -v "$candidate" >/dev/null 2>&1 && printf '%s\n' "$candidate" && return
    done
    return 1
}

# The smallest program that shows whether compiler, C++20 library and linker work together.
probe_source() { printf '#include <coroutine>\n#include <string>\nint main() {}\n'; }

# Can this compiler build our programs? If not, $trouble gives the reason. The command is not
# quoted below, because it may be more than one word ("ccache g++").
# shellcheck disable=SC2086
compiler_works() { # COMMAND
    says=$($1 --version 2>/dev/null | head -n 1)
    number=$(printf '%s\n' "$says" | awk '{
        gsub(/\([^)]*\)/, "")
        if (match($0, /[0-9]+\.[0-9]+(\.[0-9]+)?/)) print substr($0, RSTART, RLENGTH) }')
    case $says in
    *Apple*clang*) family="Apple clang" minimum=15 ;;
    *clang*) family=clang minimum=17 ;;
    *) family=g++ minimum=12 ;;
    esac
    if [ -z "$number" ]; then
        trouble="$1 does not run"
    elif ! at_least "$number" "$minimum"; then
        trouble="$1 is too old ($family $number): $minimum or later is needed"
    elif ! probe_source | $1 -std=c++20 -x c++ - -o "$logs/probe" >"$logs/probe.log" 2>&1; then
        trouble="$1 ($family $number) can't build a C++20 program: see $logs/probe.log"
    else
        return 0
    fi
    return 1
}

# Sets $cxx to the first of these compilers that works. If none does, $trouble says what is
# wrong with the first that is installed.
find_compiler() { # COMMAND...
    cxx='' first_trouble=''
    for candidate in "$@"; do
        command -v "${candidate%% *}" >/dev/null 2>&1 || continue
        compiler_works "$candidate" && cxx=$candidate && trouble='' && return
        first_trouble=${first_trouble:-$trouble}
    done
    trouble=$first_trouble
    return 1
}

# The compiler that the reader chose with CXX is used or refused, never replaced by another.
has_compiler() {
    # shellcheck disable=SC2086
    [ -n "$chosen_cxx" ] || {
        find_compiler $known_cxx c++ $gnu_compilers $clang_compilers
        return
    }
    find_compiler "$chosen_cxx" || die "CXX names a compiler that doesn't work here:" \
        "${trouble:-there is no $chosen_cxx}. Unset CXX, or set it to another."
}

# The first Python in PATH need not be the one for which the system has packages.
has_python() { # MODULE
    for book_python in python3 /usr/bin/python3; do
        "$book_python" -c 'import markdown_it, pygments' 2>/dev/null && return
    done
    "$book_python" -c "import $1" 2>/dev/null # not both: this one, at least?
}

# Redis, or Valkey, which began as a copy of it. The check tool in the package of tools is the same
# program as the server: it looks at the name by which it is called, and acts accordingly.
has_redis() { # NAME OLDEST
    for candidate in "$1" valkey-server redis-check-rdb valkey-check-rdb; do
        server=$(command -v "$candidate") || continue
        if [ "$candidate" != "$1" ]; then
            { mkdir -p "$other_names" && ln -sf "$server" "$other_names/$1"; } || return
            server=$other_names/$1
        fi
        version=$("$server" --version 2>/dev/null | sed -n 's/.* v=\([0-9.]*\).*/\1/p')
        at_least "${version:-0}" "$2" && trouble='' && return
        trouble="$candidate ${version:-(which does not run)} is too old: $2 or later is needed"
    done
    return 1
}

# Is a thing there, and new enough? If it is there but doesn't work, $trouble gives the reason.
has() { # KIND NAME OLDEST
    trouble='' version=''
    case $1 in
    command)
        tool=$(first_command "$2") || return
        [ "$3" = - ] || version=$("$tool" --version 2>/dev/null)
        ;;
    module) version=$(pkg-config --modversion "$2" 2>/dev/null) || return ;;
    header) # the compiler knows where; without one, look where packages put headers
        if [ -z "$cxx" ]; then
            [ -f "/usr/include/$2" ]
        else
            # shellcheck disable=SC2086
            printf '#include <%s>\n' "$2" | $cxx -E -x c++ - >/dev/null 2>&1
        fi
        return
        ;;
    *) # a kind with its own function, such as has_compiler
        "has_$1" "$2" "$3"
        return
        ;;
    esac
    [ "$3" = - ] || at_least "$version" "$3" && return
    trouble="$2 $version is too old: $3 or later is needed"
    return 1
}

# Goes through a table. Sets $missing to the packages to install; $reasons to a line for each thing
# that is not there; $outdated to a line for each that is there but too old. The package of such a
# thing is installed already, so this system has no newer one.
look_for() { # TABLE
    missing='' reasons='' outdated=''
    manager=$(first_command apt-get/dnf/pacman/apk/brew) || manager=unknown
    while read -r kind name oldest apt dnf pacman apk brew why; do
        has "$kind" "$name" "$oldest" && continue
        case $manager in
        apt-get) package=$apt ;; dnf) package=$dnf ;; pacman) package=$pacman ;;
        apk) package=$apk ;; brew) package=$brew ;; *) package=- ;;
        esac
        if [ -n "$trouble" ] && [ "$kind" != compiler ]; then
            outdated="$outdated  $trouble
"
            continue
        fi
        # The system's default g++ may be the one that is too old; a numbered package is not.
        case $package:$trouble in g++:*"too old"*) package=g++-12 ;; esac
        if [ "$package" = - ]; then
            package=$name
            [ "$oldest" = - ] || why="$oldest or later; $why"
        else
            missing="$missing $package"
        fi
        reasons="$reasons$(printf '  %-22s %s' "$package" "$why${trouble:+; $trouble}")
"
    done <<TABLE
$("$1")
TABLE
}

# ---- Getting ---------------------------------------------------------------------------

# Makes sure that everything in a table is there.
need() { # TABLE
    look_for "$1"
    if [ -n "$reasons" ]; then
        say "These are needed, but were not found on this machine:"
        printf '%s' "$reasons$outdated" >&2
        install_missing
        look_for "$1"
    fi
    [ -n "$reasons$outdated" ] || return 0
    say "This machine's packages are not good enough:"
    printf '%s' "$reasons$outdated" >&2
    case $outdated in
    *" meson "*) say "For a newer meson, type: pipx install meson (or: pip install --user meson)," \
        "and make sure that ~/.local/bin is in PATH." ;;
    esac
    die "Debian 12, Ubuntu 24.04, Fedora 40, and later releases have packages for all of this."
}

# Installs $missing if we know how and are allowed to. Otherwise says what to type, and stops.
install_missing() {
    sudo=''
    [ "$(id -u)" -eq 0 ] || sudo='sudo '
    case $manager in
    apt-get) to_type="${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends$missing" ;;
    dnf) to_type="${sudo}dnf install$missing" ;;
    pacman) to_type="${sudo}pacman -S --needed$missing" ;;
    apk) to_type="${sudo}apk add$missing" ;;
    brew) to_type="brew install$missing" ;;
    *)
        say "No known package manager was found. Install these in your system's own way, then type: $again"
        exit 1
        ;;
    esac
    case $manager:$reasons in
    brew:*"  C++20-compiler"*) say "The compiler comes with Apple's tools; type: xcode-select --install" ;;
    esac
    if [ -z "$missing" ]; then
        say "No package is known for this. Install it in your system's own way, then type: $again"
    elif [ "$manager" != apt-get ]; then
        say "Type this, then $again:"
        say "  $to_type"
    elif [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; then
        say "You are not root, and there is no sudo. Type this as root, then $again as yourself:"
        say "  apt-get update && apt-get install --no-install-recommends$missing"
    elif may_install; then
        install_with_apt
        return
    else
        say "Nothing was installed. Type this, then $again:"
        say "  $to_type"
        say "Or let learn do it: $again --yes"
    fi
    exit 1
}

# Asks, if there is a terminal.
may_install() {
    [ -z "$assume_yes" ] || return 0
    [ -t 0 ] || return 1
    printf 'Install them now, with %sapt-get? [Y/n] ' "$sudo" >&2
    read -r answer || return 1
    case $answer in '' | [yY]*) ;; *) return 1 ;; esac
}

# A bare machine has no package lists, and old lists name packages that are gone, so the lists are
# fetched first. If one can't be, the others may be enough: the installation decides.
# shellcheck disable=SC2086
install_with_apt() {
    if [ -n "$sudo" ]; then
        # Ask for the password now; later, the output of sudo goes to a log.
        if [ -t 0 ]; then sudo -v; else sudo -n true; fi || die "sudo refused. Type: $to_type"
    fi
    options='-q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300'
    quietly "$logs/apt-update.log" "Fetching the package lists" $sudo apt-get $options update
    quietly "$logs/apt-install.log" "Installing packages and their dependencies (this may take minutes)" \
        $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get $options -y --no-install-recommends install $missing && return
    tail -n 5 "$logs/apt-update.log" | sed 's/^/    /' >&2
    show_end "$logs/apt-install.log"
    die "The packages could not be installed. Is this machine online? To try it yourself, type: $to_type"
}
