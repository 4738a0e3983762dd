#!/usr/bin/env bash
# Runs README's two commands, the reader's own runtime, and the tests of HTTP/2 and of a shared crawl,
# on a bare Debian of another release.
#
#     tests/setup/elsewhere.sh SUITE [COMMAND]    SUITE: bookworm, trixie, sid; COMMAND: runs instead
#     tests/setup/elsewhere.sh SUITE --ready      only installs here what that needs (debootstrap)
#
# It makes a minimal tree of that release with debootstrap, clones this repository's HEAD into it,
# and lets ./learn install what it needs there. Warnings are errors. The tree is removed at the end;
# with KEEP=1 it stays, and the next run reuses it. This needs root and Debian's packages; without
# them it is skipped, with the reason. The last line is `N passed, N failed`.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
suite=${1:-} command=${2:-}
tree=${TMPDIR:-/tmp}/await-the-web-$suite
case $suite in
bookworm | trixie | sid) ;;
*) sed -n 's/^# \{0,1\}//; 2,11p' "$0" >&2 && exit 2 ;;
esac

skip() { # WHY
    printf 'Skipped: %s.\n0 passed, 0 failed, 1 skipped\n' "$*"
    exit 0
}

unmount() {
    local folder
    for folder in proc dev; do # lazily where a process of the tree hasn't quite ended
        while umount "$tree/$folder" 2>/dev/null || umount -l "$tree/$folder" 2>/dev/null; do :; done
    done
}

leave() {
    unmount
    # One file system: anything that is still mounted there is left alone.
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$tree"
}

make_tree() {
    unmount # what an earlier run has left
    rm -rf --one-file-system "$tree"
    debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$tree" "$source" \
        >"$tree.log" 2>&1 || KEEP='' skip "debootstrap can't make a tree of $suite: $(tail -n 1 "$tree.log")"
    echo "deb $source $suite main" >"$tree/etc/apt/sources.list"
    # Packages are fetched in the same way as on this machine.
    cp -a /etc/apt/apt.conf.d/. "$tree/etc/apt/apt.conf.d/"
    cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
    # A package that brings a server must not start it: nothing would end it.
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
    chmod +x "$tree/usr/sbin/policy-rc.d"
}

inside() { # COMMAND
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv TERM=dumb LEARN_BUILD_OPTIONS=--werror \
        chroot "$tree" sh -c "cd /srv/await-the-web && $1" </dev/null
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a tree of $suite"
command -v apt-get >/dev/null || skip "there is no apt-get to fetch $suite with"
command -v debootstrap >/dev/null ||
    { apt-get -q update && apt-get -q -y --no-install-recommends install debootstrap; } >/dev/null 2>&1 ||
    skip "debootstrap can't be installed"
[ "$command" != --ready ] || exit 0
source=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)*\([^ ]*\).*/\2/p' | head -n 1)
[ -n "$source" ] || skip "/etc/apt names no package source"

trap leave EXIT
[ -x "$tree/bin/sh" ] || make_tree
for folder in proc dev; do
    mount --bind "/$folder" "$tree/$folder" || skip "/$folder can't be mounted in $tree"
done
if [ -d "$tree/srv/await-the-web" ]; then
    git -C "$tree/srv/await-the-web" fetch -q "$top" HEAD &&
        git -C "$tree/srv/await-the-web" reset -q --hard FETCH_HEAD
else
    git clone -q "$top" "$tree/srv/await-the-web"
fi || exit 1

if [ -n "$command" ]; then
    inside "$command"
    exit
fi
passed=0 failed=0
one() { # COMMAND
    printf '\n%s: %s\n' "$suite" "$1"
    SECONDS=0
    if inside "$1"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    echo "$SECONDS s"
}
one './learn demo --yes'
one './learn test --yes'
one 'seq -f Y%02.0f 10 | xargs -I{} ./learn solution {} --take >/dev/null && ./learn yours demo'
install='apt-get -q -y --no-install-recommends install'
# Debian 12's libcurl isn't trusted with HTTP/2, so there most of this would be skipped.
one "$install python3-h2 >/dev/null &&
     STAGE3=build/stage3_queue_crawler/stage3 python3 tests/stage3/http2/http2_test.py"
# CI's own builds with g++ have no SQLite, as on most machines.
one "$install libsqlite3-dev >/dev/null && meson configure build -Dstate=enabled &&
     ninja -C build stage3_queue_crawler/stage3 &&
     STAGE3=\$PWD/build/stage3_queue_crawler/stage3 python3 tests/stage3/state/state_test.py"
for server in redis-server valkey-server; do # Debian 12 has no Valkey
    inside "$install $server" >/dev/null 2>&1 || continue
    one "mkdir -p /tmp/$server && ln -sf /usr/bin/$server /tmp/$server/redis-server &&
     export PATH=/tmp/$server:\$PATH STAGE3=\$PWD/build/stage3_queue_crawler/stage3 &&
     redis-server --version && cd tests/stage3/shared_frontier &&
     python3 script_test.py && python3 schedules_test.py && python3 faults_test.py RedisGoes"
done
trap - EXIT
leave # first, since the count must be the last line
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
