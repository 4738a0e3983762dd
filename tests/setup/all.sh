# shellcheck shell=sh
# All that must pass before a change lands. A part of ../../learn: `./learn test --all`.
#
# Each step goes on when another has failed, writes a log of its own, and shows it only if it
# fails. Build directories are in build-all/, one for each compiler and set of options.

# The steps, in order. To add one: a line here, and a function below that fails if something
# is wrong, and says what. A step counts as one test, unless its last line counts them itself,
# as `N passed, N failed`. What it must have goes into the table of needs.
#
# Debug information enough for lines in reports: builds are quicker by a tenth. And by another
# one, without the line of a CHECK that throws: only its test case is told.
lines=-Dcpp_args=-g1
quick="$lines -DDOCTEST_CONFIG_NO_TRY_CATCH_IN_ASSERTS"
# g++ takes half of its time for checks of each pointer that is used. (clang++ has them, too.)
no_pointers=-fno-sanitize=null,alignment,object-size
all_steps() {
    begin_beside "clang-tidy" check_tidy
    # One without libpsl, as on most machines (and in the same words as .ci/run), one with it.
    a_step "g++, warnings are errors" tests_with gcc "$gxx" --werror "$lines" -Dpsl=disabled
    a_step "clang++, warnings are errors" build_sanitized clang clang++-19 -Db_lundef=false --werror -Dpsl=enabled
    a_step "clang++, address and UB sanitizers" test_sanitized clang
    a_step "g++, address and UB sanitizers" sanitized_coroutines_with gcc "$gxx"
    a_step "coroutines, in the other builds" check_coroutine_builds
    a_step "coroutines, under valgrind" check_coroutines_with_valgrind
    a_step "exercises" check_exercises
    a_step "what the book's programs print" check_outputs
    a_step "the book as a site and an EPUB" check_book
    a_step "format" check_format
    a_step "scripts" check_scripts
    end_beside
}

# The kinds of need that only this file knows have their has_… functions below. Only Debian's
# and Ubuntu's packages are numbered like this; elsewhere, install these commands by hand.
needs_for_all() {
    needs_to_build
    needs_for_book
    needs_for_many # without it, the tests of a shared crawl would be skipped
    cat <<'TABLE'
gcc      g++             12  g++                 gcc-c++     gcc         g++         -  compiles everything a second time, with other warnings
command  clang++-19      -   clang-19            -           -           -           -  compiles everything again: a second compiler sees other mistakes
runtime  clang++-19-ASan -   libclang-rt-19-dev  -           -           -           -  lets programs of clang watch over their memory (sanitizers)
command  clang-format-19 -   clang-format-19     -           -           -           -  checks the layout of the code
command  clang-tidy-19   -   clang-tidy-19       -           -           -           -  looks for mistakes that compilers let pass
plugins  clang-tidy-19   -   llvm-19-dev         -           -           -           -  lets clang-tidy leave out the system's headers: it's ten times as quick
plugins  clang-tidy-19   -   libclang-19-dev     -           -           -           -  the same
module   libpsl          -   libpsl-dev          libpsl-devel libpsl     libpsl-dev  libpsl     knows below which names everybody can register one (--scope domain)
header   asio/experimental/channel.hpp - libasio-dev asio-devel      asio        asio-dev    -  is what our runtime is held against
command  valgrind        -   valgrind            valgrind    valgrind    valgrind    -  watches over memory, in its own way
command  dot             -   graphviz            graphviz    graphviz    graphviz    -  reads the link graphs that stage 3 writes
command  shellcheck      -   shellcheck          ShellCheck  shellcheck  shellcheck  -  looks for mistakes in the scripts
command  chromium/chromium-browser/google-chrome - chromium chromium chromium chromium -  opens the book's pages, and the viewer's
command  epubcheck       -   epubcheck           epubcheck   epubcheck   -           epubcheck  reads the EPUB as a strict reader would
command  cmark-gfm       -   cmark-gfm           -           -           cmark       cmark-gfm  reads the pages as GitHub does
TABLE
}

# c++ may be clang; here it must be g++.
has_gcc() {
    default_cxx=$cxx
    # shellcheck disable=SC2086
    find_compiler $gnu_compilers
    found=$?
    gxx=$cxx cxx=$default_cxx
    return "$found"
}

has_plugins() { [ -f "$(llvm-config-19 --includedir 2>/dev/null)/clang/AST/ASTConsumer.h" ]; }

has_runtime() { probe_source | clang++-19 -std=c++20 -fsanitize=address,undefined -x c++ - -o "$logs/probe" >/dev/null 2>&1; }

# Runs one step, and keeps a row for the table at the end.
a_step() { # TITLE FUNCTION ARGUMENTS...
    number=$((number + 1))
    title="$number. $1"
    shift
    printf '%s ... ' "$bold$title$plain"
    run_step "$logs/step-$number" "$@"
    tell_step "$logs/step-$number"
}

# A step that takes what the others leave of the processors: it needs nothing else of theirs, gives
# way to them by itself (with nice), and is told of at the end. Ctrl-C ends it, too: shells have it
# ignored by what runs beside them.
begin_beside() { # TITLE FUNCTION ARGUMENTS...
    number=$((number + 1))
    beside="$number. $1" beside_log=$logs/step-$number
    shift
    echo "$bold$beside$plain ... runs beside the others"
    trap 'trap "" TERM; kill -TERM 0; exit 130' INT
    run_step "$beside_log" "$@" &
}

end_beside() {
    title=$beside
    printf '%s ... ' "$bold$title$plain"
    wait
    tell_step "$beside_log"
}

# Leaves what it says in LOG.log, and its exit status, seconds, and seconds of processors in LOG.sums.
run_step() { # LOG FUNCTION ARGUMENTS...
    step=$1
    shift
    rm -f "$step.sums"
    step_started=$(date +%s)
    # A shell of its own: a step that gives up must not end the others. And it knows what
    # processors have worked for it.
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
    # No sums: it was killed before it could write them.
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
    # Most of these tests compile or compute, and clang-tidy runs beside: with more than two for each
    # core, those that look at the time would find it gone. All get three times as much as elsewhere.
    patience=3
    MESON_TESTTHREADS=${MESON_TESTTHREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
    export MESON_TESTTHREADS
    number=0 rows='' all_passed=0 all_failed=0 all_skipped=0
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
    logs=$logs/$name # not in the way of another ./learn
    mkdir -p "$logs"
    ! is_first_build "$compiler" "$*" || take_first_build "$name"
    open_build "$top/build-all/$name" "$compiler" "$@"
    build
    [ "$name" != gcc ] || build benchmarks
    if [ -L "$dir" ] && [ -n "${LEARN_TESTED:-}" ]; then
        echo "The reader's tests have just passed in this very build. Here are the others."
        # shellcheck disable=SC2046,SC2086
        run_tests $(printf -- '--suite %s ' $not_for_readers)
        return
    fi
    run_tests
}

# Has build/ been made by the same compiler, whatever it's called there, with the same options?
is_first_build() { # COMPILER OPTIONS
    [ -f "$top/build/learn.stamp" ] || return
    first_cxx=$(sed -n 2p "$top/build/learn.stamp")
    [ "$(readlink -f "$(command -v "$first_cxx")")" = "$(readlink -f "$(command -v "$1")")" ] &&
        [ "$(sed -n 4p "$top/build/learn.stamp")" = "$2" ]
}

# Then it isn't made a second time, unless it's there already.
take_first_build() { # NAME
    [ ! -d "$top/build-all/$1" ] || [ -L "$top/build-all/$1" ] || return
    mkdir -p "$top/build-all"
    ln -sfn ../build "$top/build-all/$1" && compiler=$first_cxx
}

# Without optimization: nothing is optimized away that sanitizers could find, and it builds in a
# third of the time.
build_sanitized() { # COMPILER'S NAME, ITS COMMAND, OPTIONS OF MESON...
    name=$1-sanitizers compiler=$2
    shift 2
    logs=$logs/$name # not in the way of another ./learn
    mkdir -p "$logs"
    open_build "$top/build-all/$name" "$compiler" -Dbuildtype=debug -Db_sanitize=address,undefined \
        "$quick -fno-sanitize-recover=all" "$@"
    build
}

# All tests, with the sanitizers watching.
test_sanitized() { # COMPILER'S NAME
    dir=$top/build-all/$1-sanitizers
    watch_sanitizers
    run_tests --no-suite book --no-suite lint # they watch over nothing that we compile
}

# The same with the other compiler, for the tests of coroutines: there the two differ.
sanitized_coroutines_with() { # COMPILER'S NAME, ITS COMMAND
    logs=$logs/$1-sanitizers
    mkdir -p "$logs"
    watch_sanitizers
    open_build "$top/build-all/$1-sanitizers" "$2" -Dbuildtype=debug -Db_sanitize=address,undefined \
        "$quick -fno-sanitize-recover=all $no_pointers"
    build coroutine_tests
    run_tests --suite coroutines
}

watch_sanitizers() {
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    ASAN_SYMBOLIZER_PATH=$(command -v addr2line) # clang's own is in a package of its own
    # What they look for is in the first random schedules, or in none of a thousand. And what is
    # done a million times elsewhere, takes minutes here.
    SCHEDULES=100 FEWER=10
    export UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH SCHEDULES FEWER
}

# Compilers have got coroutines wrong in some builds and right in others: clang++ 19 destroys some
# locals twice only with optimization, g++ 12 lets the stack grow only without. So each compiler
# has its builds with sanitizers and without optimization, above, and here those that are
# optimized (valgrind watches over their memory, see the next step). The tests are coroutines,
# too: so they are optimized where the programs are; the first step has them otherwise. And one
# build is for threads.
check_coroutine_builds() {
    sum_passed=0 sum_failed=0 target=coroutine_tests suites=coroutines
    coroutine_tests gcc-O2 "$gxx" -Doptimize_tests=true "$quick"
    # And the exercises' machinery, for readers who have clang++. (gdwarf-4: for valgrind.)
    target='coroutine_tests tests/exercises/exercise1' suites='coroutines exercises'
    coroutine_tests clang-O2 clang++-19 -Doptimize_tests=true "$quick -gdwarf-4 -g1"
    target=thread_tests suites=threads # only what has several
    watch_sanitizers
    coroutine_tests clang-threads clang++-19 -Dbuildtype=debug -Db_sanitize=thread -Db_lundef=false "$quick"
    verdict "$sum_passed" "$sum_failed" 0
}

coroutine_tests() { # NAME COMPILER OPTIONS OF MESON...
    name=$1 compiler=$2
    shift 2
    # A shell of its own: a build that fails must not end the others.
    # shellcheck disable=SC2046,SC2086
    if (open_build "$top/build-all/$name" "$compiler" "$@" && build $target) &&
        dir=$top/build-all/$name && run_tests $(printf ' --suite %s' $suites); then
        sum_passed=$((sum_passed + passed))
    else
        sum_failed=$((sum_failed + ${failed:-1}))
    fi
}

# Uses what the steps above built, where all that is done a million times has been. (See
# tests/support/in_bulk.h.) Whole programs, and not test by test: valgrind takes seconds to start.
check_coroutines_with_valgrind() {
    SCHEDULES=20 FEWER=20
    export SCHEDULES FEWER
    # The biggest first. The result counts programs.
    # shellcheck disable=SC2016
    for program in tests/stage3/runtime_test tests/stage3/runtime_details_test tests/stage2/stage2_test \
        tests/stage2/stage2_first_test; do
        for name in gcc-O2 clang-O2; do echo "$top/build-all/$name/$program"; done
    done | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
        said=$(timeout 900 valgrind --quiet --error-exitcode=9 --leak-check=full "$1" 2>&1)
        status=$?
        [ $status -eq 0 ] || printf "%s\n" "$said" # in one piece
        echo "$1: exit status $status"' valgrind >"$logs/valgrind"
    cat "$logs/valgrind"
    sum_passed=$(grep -c ': exit status 0$' "$logs/valgrind")
    verdict "$sum_passed" $((8 - sum_passed)) 0
}

# Each exercise can be done, also with the other compiler and under its sanitizers, and helps
# whoever does it wrong. Uses what the steps above built.
check_exercises() {
    cd "$top" && python3 tests/exercises/authors_test.py --build build-all/gcc \
        --sanitized-build build-all/clang-sanitizers
}

# The pages show what the programs print today.
check_outputs() { cd "$top" && python3 book/weave.py --check --build build-all/gcc; }

# The files of the repository whose names end like this. New ones count before git knows them;
# without git (an unpacked archive), all are taken that are not built.
sources() { # PATTERN
    cd "$top" || return
    git ls-files --cached --others --exclude-standard -- "$1" 2>/dev/null | grep . ||
        find . \( -name 'build*' -o -name '.?*' \) -prune -o -type f -name "$1" -print
}

# In the hands of others: a browser, epubcheck, axe-core (if npm can bring it), GitHub's own reader
# of Markdown.
check_book() {
    AXE=$top/build-all/axe
    export AXE
    cd "$top" && "$book_python" tests/book/whole_book_test.py
}

check_format() {
    cd "$top" || return
    { sources '*.h' && sources '*.cpp'; } | existing | xargs clang-format-19 --dry-run -Werror --style=file
}

# Lets pass the files that are there: git still lists one that was just removed.
existing() {
    while IFS= read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

# Here is where each file is compiled by itself: one that doesn't include all that it uses is found.
# Exercises are compiled by a script of their own, which asks for no warnings; tidy doesn't know
# how. And what is in tests/lint is wrong on purpose, as is lifetime_traps/wrong.cpp.
check_tidy() {
    logs=$logs/tidy # not in the way of the others
    rm -rf "$logs"
    mkdir "$logs" || return
    # Nothing is built here.
    open_build "$top/build-all/each-file" clang++-19 -Dbuildtype=debug -Dunity=off -Dfuzzers=true
    cd "$top" || return
    sources '*.cpp' | grep -v '^tests/\(exercises\|lint\)/\|/lifetime_traps/wrong.cpp$' | existing |
        xargs python3 tests/lint/tidy.py "$dir" "$logs"
}

check_scripts() {
    cd "$top" || return
    scripts_failed=0
    shellcheck -x -a learn .ci/run tests/setup/elsewhere.sh || scripts_failed=1 # -a: and the parts of learn
    PYTHONPYCACHEPREFIX=$logs/pycache
    export PYTHONPYCACHEPREFIX # not beside the sources
    # shellcheck disable=SC2046
    python3 -m py_compile $(sources '*.py' | existing) || scripts_failed=1
    return "$scripts_failed"
}
