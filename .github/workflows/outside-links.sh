#!/usr/bin/env bash
# Keeps at most one open issue, for what is dead among the links that lead out of the book. A step of
# outside-links.yml; needs gh. STATUS: stage3's exit status. SUMMARY: its report in Markdown. RUN: where that was.
set -euo pipefail
label=outside-links # finds the issue again, whatever its title has become

number=$(gh issue list --state open --label "$label" --limit 1 --json number --jq '.[].number')
case ${STATUS:?}:$number in
0:) echo "All is well." ;;
0:*) gh issue close "$number" --comment "All of these links are alive again, says [this check]($RUN)." ;;
1:*)
    body=$(mktemp)
    trap 'rm -f "$body"' EXIT
    { cat "$SUMMARY" && printf '\nThis is from [the latest check](%s), which runs once a week.\n' "$RUN"; } >"$body"
    if [ -n "$number" ]; then
        gh issue edit "$number" --body-file "$body"
    else
        gh label create "$label" --force --description "Dead links that lead out of the book"
        gh issue create --title "Outside links of the book are dead" --label "$label" --body-file "$body"
    fi
    ;;
*) # what wasn't asked may be dead or alive
    echo "::error::The check was not complete (stage3's exit status: $STATUS). The issue stays as it was."
    exit 1
    ;;
esac
