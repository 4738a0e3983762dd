#!/bin/sh
# Runs a command where a program is installed: where_installed.sh PROGRAM COMMAND...
# Elsewhere it says so and exits with 77, which meson takes for a skipped test.
if ! command -v "$1" > /dev/null; then
  echo "skipped: $1 is not installed"
  exit 77
fi
shift
exec "$@"
