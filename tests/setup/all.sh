# shellcheck shell=sh
# Everything that must pass before a change lands. A part of ../../learn: `./learn test --all`.
#
# A step runs even if others have failed. It has its own log, which is shown only if the step
# fails. Build directories are in build-all/, one for each compiler and set of options.

# The steps, in order. To add one, add a line here and a function below that fails, and says why,
# if something is wrong. A step counts as one test, unless its last line has the form
# `N passed, N failed`. What it depends on goes into the table of needs.
#
# Debug information only for line numbers in reports makes builds a tenth quicker. So does leaving
# out the line of a CHECK that throws: reports then name only its test case.
lines=-Dcpp_args=-g1
quick="$lines -DDOCTEST_CONFIG_NO_TRY_CATCH_IN_ASSERTS"
all_steps() {
    begin_beside "clang-tidy" check_tidy
    # One without libpsl and SQLite, as on most machines (with the same options as .ci/run), one with them.
    a_step "g++, warnings are errors" tests_with gcc "$gxx" --werror "$lines" -Dpsl=disabled -Dstate=disabled
    a_step "clang++, warnings are errors" build_sanitized clang clang++-19 -Db_lundef=false --werror -Dpsl=enabled -Dstate=enabled
    a_step "the runtime in WebAssembly" check_live
    begin_beside "exercises" check_exercises
    a_step "clang++, address and UB sanitizers" test_sanitized clang
    a_step "coroutines, in the other builds" check_coroutine_builds
    a_step "coroutines, under valgrind" check_coroutines_with_valgrind
    a_step "what a page costs" check_budget
    a_step "what the book's programs print" check_outputs
    a_step "the book as a site and an EPUB" check_book
    a_step "format" check_format
    a_step "scripts" check_scripts
    end_beside
}

# Kinds of need that occur only here have their has_… functions below. Only Debian and Ubuntu
# have packages numbered like this; elsewhere, install these commands by hand.
needs_for_all() {
    needs_to_build
    needs_for_book
    needs_for_many # without it, the tests of a shared crawl would be skipped
    cat <<'TABLE'
gcc      g++             12  g++                 gcc-c++     gcc         g++         -  compiles everything again, with other warnings
command  clang++-19      -   clang-19            -           -           -           -  compiles everything again, because a second compiler finds other mistakes
runtime  clang++-19-ASan -   libclang-rt-19-dev  -           -           -           -  lets programs built with clang check their memory (sanitizers)
command  clang-format-19 -   clang-format-19     -           -           -           -  checks the layout of the code
command  clang-tidy-19   -   clang-tidy-19       -           -           -           -  finds mistakes that compilers let pass
plugins  clang-tidy-19   -   llvm-19-dev         -           -           -           -  lets clang-tidy skip the system's headers, which makes it ten times as fast
plugins  clang-tidy-19   -   libclang-19-dev     -           -           -           -  the same
module   libpsl          -   libpsl-dev          libpsl-devel libpsl     libpsl-dev  libpsl     knows under which names anyone can register a domain (--scope domain)
module   sqlite3         -   libsqlite3-dev      sqlite-devel sqlite     sqlite-dev  sqlite     lets a crawl continue after it was killed (--state)
module   liburing - liburing-dev liburing-devel liburing  liburing-dev -  runs the small crawl on io_uring
header   asio/experimental/channel.hpp - libasio-dev asio-devel      asio        asio-dev    -  is what our runtime is compared with
command  valgrind        -   valgrind            valgrind    valgrind    valgrind    -  checks memory in its own way
command  node            -   nodejs              nodejs      nodejs      nodejs    node       runs the viewer's model without a browser
command  dot             -   graphviz            graphviz    graphviz    graphviz    -  reads the link graphs that stage 3 writes
command  shellcheck      -   shellcheck          ShellCheck  shellcheck  shellcheck  -  finds mistakes in the scripts
command  chromium/chromium-browser/google-chrome - chromium chromium chromium chromium -  opens the pages of the book and of the viewer
command  epubcheck       -   epubcheck           epubcheck   epubcheck   -           epubcheck  checks the EPUB strictly
command  cmark-gfm       -   cmark-gfm           -           -           cmark       cmark-gfm  reads the pages as GitHub does
pymodule h2              -   python3-h2          python3-h2  python-h2   py3-h2      -  is a server for HTTP/2 that can break its rules
TABLE
    ! is_debian_12 || cat <<'TABLE'
wasm     clang++-19-for-WebAssembly - lld-19               - - - -  links what runs in a page
wasm_too clang++-19-for-WebAssembly - libc++-19-dev-wasm32 - - - -  is the C++ library there
wasm_too clang++-19-for-WebAssembly - libc++abi-19-dev-wasm32 - - - - the same
wasm_too clang++-19-for-WebAssembly - libclang-rt-19-dev-wasm32 - - - - the same
wasm_too clang++-19-for-WebAssembly - wasi-libc            - - - -  is the C library there
TABLE
}

# Elsewhere, nobody has tried whether there are such packages, and whether they are good enough.
is_debian_12() { grep -q '^VERSION_CODENAME=bookworm$' /etc/os-release 2>/dev/null; }

has_pymodule() { # MODULE
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c "import $1" 2>/dev/null && return
    done
    return 1
}

# c++ may be clang, but here it must be g++.
has_gcc() {
    default_cxx=$cxx
    # shellcheck disable=SC2086
    find_compiler $gnu_compilers
    found=$?
    gxx=$cxx cxx=$default_cxx
    return "$found"
}

# It's tried once for all rows: the first asks, and the others take its answer.
has_wasm() {
    wasm_found=0
    python3 "$top/tests/live/wasm/make_modules.py" find >/dev/null 2>&1 || wasm_found=1
    return "$wasm_found"
}
has_wasm_too() { return "$wasm_found"; }

has_plugins() { [ -f "$(llvm-config-19 --includedir 2>/dev/null)/clang/AST/ASTConsumer.h" ]; }

has_runtime() { probe_source | clang++-19 -std=c++20 -fsanitize=address,undefined -x c++ - -o "$logs/probe" >/dev/null 2>&1; }

# Runs one step, and adds a row to the table at the end.
a_step() { # TITLE FUNCTION ARGUMENTS...
    number=$((number + 1))
    title="$number. $1"
    shift
    printf '%s ... ' "$bold$title$plain"
    run_step "$logs/step-$number" "$@"
    tell_step "$logs/step-$number"
}

# A step that uses whatever processor time the others leave. It needs nothing from those that follow,
# gives way to them (it uses nice), and is reported at the end. Ctrl-C has to end it explicitly, because a
# shell makes background commands ignore it.
begin_beside() { # TITLE FUNCTION ARGUMENTS...
    number=$((number + 1))
    titles_beside="$titles_beside$number. $1
"
    echo "$bold$number. $1$plain ... runs beside the others"
    shift
    trap 'trap "" TERM; kill -TERM 0; exit 130' INT
    run_step "$logs/step-$number" "$@" &
}

end_beside() {
    wait
    while read -r title; do
        printf '%s ... ' "$bold$title$plain"
        tell_step "$logs/step-${title%%.*}"
    done <<TITLES
${titles_beside%?}
TITLES
}

# Leaves its output in LOG.log, and its exit status, seconds, and processor seconds in LOG.sums.
run_step() { # LOG FUNCTION ARGUMENTS...
    step=$1
    shift
    rm -f "$step.sums"
    step_started=$(date +%s)
    # A separate shell, so that a step that gives up doesn't end the others, and so that its
    # processor time can be measured.
    (
        ("$@") >"$step.log" 2>&1 </dev/null
        step_status=$?
        times >"$step.times" # of this very shell: so not in $(...)
        echo "$step_status $(($(date +%s) - step_started))" \
            "$(tail -n 1 "$step.times" | tr ms '  ' | awk '{ printf "%d", 60 * ($1 + $3) + $2 + $4 }')" >"$step.sums"
    )
}

tell_step() { # LOG
    step_log=$1.log
    # No sums: the step was killed before it could write them.
    step_status=137 seconds=0 cpu=0
    if [ -s "$1.sums" ]; then read -r step_status seconds cpu <"$1.sums"; fi
    # shellcheck disable=SC2046
    set -- $(tail -n 1 "$step_log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p')
    passed=${1:-$((step_status == 0))} failed=${2:-0} skipped=${3:-0}
    if [ "$step_status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
    rows="$rows$(printf '%-38s %7d %7d %7d %7d %7d' "$title" "$passed" "$failed" "$skipped" "$seconds" "$cpu")
"
    if [ "$failed" -eq 0 ]; then
        echo "$seconds s"
    else
        echo "$seconds s, ${red}failed${plain}"
        tail -n 100 "$step_log" | sed 's/^/    /'
        echo "The whole log: $step_log"
    fi
}

test_all() {
    need needs_for_all
    # Most of these tests compile or compute, and clang-tidy runs beside them. With more than two per
    # core, tests with deadlines would miss them. All get three times as long as elsewhere.
    patience=3
    MESON_TESTTHREADS=${MESON_TESTTHREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
    export MESON_TESTTHREADS
    number=0 titles_beside='' rows='' all_passed=0 all_failed=0 all_skipped=0
    all_steps
    echo
    printf '%-38s %7s %7s %7s %7s %7s\n' step passed failed skipped seconds "of CPU"
    printf '%s\n' "$rows"
    verdict $all_passed $all_failed $all_skipped
    [ $all_failed -eq 0 ]
}

# ---- The steps --------------------------------------------------------------------------

# Builds with one compiler and one set of options, and runs all tests.
tests_with() { # NAME COMPILER OPTIONS OF MESON...
    name=$1 compiler=$2
    shift 2
    logs=$logs/$name # apart from those of another ./learn
    mkdir -p "$logs"
    ! is_first_build "$compiler" "$*" || take_first_build "$name"
    open_build "$top/build-all/$name" "$compiler" "$@"
    build
    [ "$name" != gcc ] || build benchmarks
    if [ -L "$dir" ] && [ -n "${LEARN_TESTED:-}" ]; then
        echo "The reader's tests have just passed in this build. These are the others."
        LIMIT_WAITS=1 # see tests/support/waits.h
        export LIMIT_WAITS
        # shellcheck disable=SC2046,SC2086
        run_tests $(printf -- '--suite %s ' $not_for_readers) --no-suite wasm
        return
    fi
    run_tests --no-suite wasm # a step of its own, see check_live
}

# Was build/ made by the same compiler, whatever its name there, with the same options?
is_first_build() { # COMPILER OPTIONS
    [ -f "$top/build/learn.stamp" ] || return
    first_cxx=$(sed -n 2p "$top/build/learn.stamp")
    [ "$(readlink -f "$(command -v "$first_cxx")")" = "$(readlink -f "$(command -v "$1")")" ] &&
        [ "$(sed -n 4p "$top/build/learn.stamp")" = "$2" ]
}

# If so, it isn't built a second time, unless that directory is there already.
take_first_build() { # NAME
    [ ! -d "$top/build-all/$1" ] || [ -L "$top/build-all/$1" ] || return
    mkdir -p "$top/build-all"
    ln -sfn ../build "$top/build-all/$1" && compiler=$first_cxx
}

# Without optimization, nothing that sanitizers could find is optimized away, and the build takes a
# third of the time.
build_sanitized() { # COMPILER'S NAME, ITS COMMAND, OPTIONS OF MESON...
    name=$1-sanitizers compiler=$2
    shift 2
    logs=$logs/$name # apart from those of another ./learn
    mkdir -p "$logs"
    open_build "$top/build-all/$name" "$compiler" -Dbuildtype=debug -Db_sanitize=address,undefined \
        "$quick -fno-sanitize-recover=all" "$@"
    build
}

# All tests, with the sanitizers watching.
test_sanitized() { # COMPILER'S NAME
    dir=$top/build-all/$1-sanitizers
    watch_sanitizers
    run_tests --no-suite book --no-suite lint # there is nothing compiled in these
}

watch_sanitizers() {
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    ASAN_SYMBOLIZER_PATH=$(command -v addr2line) # clang's symbolizer is in a separate package
    # What they look for shows in the first random schedules or in none of a thousand. And what is
    # done a million times elsewhere would take minutes here.
    SCHEDULES=100 FEWER=10
    export UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH SCHEDULES FEWER
}

# Compilers get coroutines wrong in some builds and right in others: clang++ 19 destroys some
# locals twice, but only with optimization; g++ 12 lets the stack grow, but only without. So each
# compiler builds without optimization above, and with optimization here. The tests are coroutines as
# well, so here they are optimized like the programs. In the next step, valgrind checks the memory in
# all builds but the one that has sanitizers: that of clang, which has to do for g++'s undefined
# behaviour, too. One more build is for threads.
check_coroutine_builds() {
    sum_passed=0 sum_failed=0 target=coroutine_tests suites=coroutines
    coroutine_tests gcc-O2 "$gxx" -Doptimize_tests=true "$quick"
    # And what reads a compiler's reports for exercises, for readers who have clang++. (gdwarf-4 is for valgrind.)
    target='coroutine_tests tests/exercises/exercise1' suites='coroutines diagnostics'
    coroutine_tests clang-O2 clang++-19 -Doptimize_tests=true "$quick -gdwarf-4 -g1"
    target=thread_tests suites=threads # only tests with several threads
    watch_sanitizers
    coroutine_tests clang-threads clang++-19 -Dbuildtype=debug -Db_sanitize=thread -Db_lundef=false "$quick"
    verdict "$sum_passed" "$sum_failed" 0
}

coroutine_tests() { # NAME COMPILER OPTIONS OF MESON...
    name=$1 compiler=$2
    shift 2
    failed='' # of the build before
    # A separate shell, so that a failing build doesn't end the others.
    # shellcheck disable=SC2046,SC2086
    if (open_build "$top/build-all/$name" "$compiler" "$@" && build $target) &&
        dir=$top/build-all/$name && run_tests $(printf ' --suite %s' $suites); then
        sum_passed=$((sum_passed + passed))
    else
        sum_failed=$((sum_failed + ${failed:-1}))
    fi
}

# The runtime in a module for a page does what it does here (tests/live), and what a page's reader wants. Before the exercises, which use
# the same build, begin.
check_live() {
    dir=$top/build-all/gcc ninja=$(first_command ninja/ninja-build/samu)
    if ! why=$(python3 "$top/tests/live/wasm/make_modules.py" find); then
        printf 'Skipped: %s\n' "$why"
        verdict 0 0 1
        return
    fi
    # This directory may be build/, and older than the compiler for WebAssembly. So meson looks again; the option
    # stays `auto`, since no build of a reader's may fail because that compiler is gone.
    meson configure "$dir" -Dlive=auto || return
    grep -q '^build tests/live/live\.wasm ' "$dir/build.ninja" || meson setup --reconfigure "$dir" || return
    build tests/live/live.wasm tests/live/crawl tests/live/exception_cases stage3_queue_crawler/tours/runtime_tour || return
    run_tests 'a live crawl in WebAssembly' 'a live crawl in a page'
}

# Uses what the steps above built, where everything has been done a million times already (see
# tests/support/in_bulk.h). It runs whole programs, not test by test, because valgrind takes seconds
# to start.
check_coroutines_with_valgrind() {
    SCHEDULES=20 FEWER=20
    export SCHEDULES FEWER
    # The biggest first. The result counts programs.
    # shellcheck disable=SC2016
    for program in tests/stage3/runtime_test tests/stage3/runtime_details_test tests/stage2/stage2_test \
        tests/stage2/stage2_small_test; do
        for name in gcc gcc-O2 clang-O2; do echo "$top/build-all/$name/$program"; done
    done | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
        said=$(timeout 900 valgrind --quiet --error-exitcode=9 --leak-check=full "$1" 2>&1)
        status=$?
        [ $status -eq 0 ] || printf "%s\n" "$said" # in one piece
        echo "$1: exit status $status"' valgrind >"$logs/valgrind"
    cat "$logs/valgrind"
    sum_passed=$(grep -c ': exit status 0$' "$logs/valgrind")
    verdict "$sum_passed" $((12 - sum_passed)) 0
}

# Each exercise can be solved, even with the other compiler and under its sanitizers, and helps
# readers who get it wrong. Uses what the steps above built.
check_exercises() {
    cd "$top" && nice -n 10 python3 tests/exercises/authors_test.py --build build-all/gcc \
        --sanitized-build build-all/clang-sanitizers
}

# Instructions, which hardly depend on what else the machine does.
check_budget() {
    logs=$logs/release # apart from those of another ./learn
    mkdir -p "$logs"
    open_build "$top/build-all/release" "$gxx" -Dbuildtype=release -Dpsl=disabled -Dstate=disabled
    build stage3_queue_crawler/stage3
    cd "$top" && python3 tests/bench/budget.py build-all/release --check --site build-all/gcc
}

# The pages show what the programs print now.
check_outputs() {
    cd "$top" && python3 book/weave.py --check --build build-all/gcc && python3 tests/book/try_it_test.py "$gxx" clang++-19
}

# The files of the repository that match. New ones count before git knows them; without git (in an
# unpacked archive), all files count that are not built.
sources() { # PATTERN
    cd "$top" || return
    git ls-files --cached --others --exclude-standard -- "$1" 2>/dev/null | grep . ||
        find . \( -name 'build*' -o -name '.?*' \) -prune -o -type f -name "$1" -print | sed 's|^\./||'
}

# Tests the book with other programs: a browser, epubcheck, axe-core and vnu (if npm can get them),
# and GitHub's Markdown parser.
check_book() {
    AXE=$top/build-all/axe
    export AXE
    cd "$top" && "$book_python" tests/book/whole_book_test.py
}

check_format() {
    cd "$top" || return
    { sources '*.h' && sources '*.cpp'; } | existing | xargs clang-format-19 --dry-run -Werror --style=file
}

# Passes on the files that exist: git still lists one that was just removed.
existing() {
    while IFS= read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

# Here each file is compiled separately, which finds those that don't include all they use. Exercises
# are left out: their own script compiles them, without warnings. So is tests/lint, which is wrong on
# purpose, as is lifetime_traps/wrong.cpp; and tests/live/wasm, which is for another machine.
check_tidy() {
    logs=$logs/tidy # apart from those of other steps
    rm -rf "$logs"
    mkdir "$logs" || return
    # Nothing is built here but a header.
    open_build "$top/build-all/each-file" clang++-19 -Dbuildtype=debug -Dunity=off -Dfuzzers=true
    build tests/live/losing_queue.h
    cd "$top" || return
    sources '*.cpp' | grep -v '^tests/\(exercises\|lint\|live/wasm\)/\|/lifetime_traps/wrong.cpp$' | existing |
        xargs python3 tests/lint/tidy.py "$dir" "$logs"
}

check_scripts() {
    cd "$top" || return
    scripts_failed=0
    # -a: also the parts of learn
    shellcheck -x -a learn .ci/run tests/setup/elsewhere.sh .github/actions/check-site/check-site.sh \
        .github/workflows/outside-links.sh || scripts_failed=1
    PYTHONPYCACHEPREFIX=$logs/pycache
    export PYTHONPYCACHEPREFIX # not beside the sources
    # shellcheck disable=SC2046
    python3 -m py_compile $(sources '*.py' | existing) || scripts_failed=1
    return "$scripts_failed"
}
