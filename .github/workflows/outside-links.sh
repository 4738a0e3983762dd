#!/usr/bin/env bash
# Keeps at most one open issue, for what is dead among the links that lead out of the book. A step of
# outside-links.yml; needs gh. STATUS: stage3's exit status. SUMMARY: its report in Markdown. RUN: where that was.
set -euo pipefail
shopt -s inherit_errexit
: "${STATUS:?}" "${RUN:?}"
label=outside-links # finds the issue again, whatever its title has become

give_up() { # WHY
    echo "::error::$1 The issue stays as it was."
    exit 1
}

# The first column of a summary's tables: what is dead, or what is unclear.
urls() { # dead | unclear
    awk -F ' [|] ' -v wanted="$1" '
        { sub(/\r$/, "") }
        /^### / { table = $0 == "### Unclear" ? "unclear" : "dead" }
        table == wanted && /^[|] / && !/^[|] (URL|---) / { print $1 }' | sort
}

# What wasn't asked may be dead or alive. With status 1, only the summary says that something is missing.
case $STATUS in 0 | 1) ;; *) give_up "The check was not complete (stage3's exit status: $STATUS)." ;; esac
[ -s "${SUMMARY:-}" ] || give_up "The check has left no summary."
missing=$(sed -nE '/^- \*\*(Nothing checked|Cut short|Left out)\*\*/p' "$SUMMARY")
[ -z "$missing" ] || give_up "The check was not complete, says its summary."

# Its number, and in the lines after that, what it says. Other people's issues may have the label, too.
issue=$(gh issue list --state open --app github-actions --label "$label" --limit 1 \
    --json number,body --jq '.[] | .number, .body')
number=${issue%%$'\n'*}
listed=$(urls dead <<<"$issue")
dead=$(urls dead <"$SUMMARY")
unclear=$(urls unclear <"$SUMMARY")
sums=$(sed -nE 's/^\*\*(.*)\*\*;.*/\1/p' "$SUMMARY") # 1 dead, 2 unclear

case $STATUS:$number in
0:) echo "All is well." ;;
0:*)
    if [ -z "$(comm -12 <(echo "$listed") <(echo "$unclear"))" ]; then
        gh issue close "$number" --comment "No link is dead any more, says [this check]($RUN): $sums."
    else
        echo "No link is known to be dead, but some of issue $number are unclear: it stays open."
    fi
    ;;
1:*)
    body=$(mktemp)
    trap 'rm -f "$body"' EXIT
    cat "$SUMMARY" >"$body"
    printf '\nThis is from [one of the weekly checks](%s).\n' "$RUN" >>"$body"
    if [ -z "$number" ]; then
        # If it's there already, it stays as it is. If it can't be made, the next line fails.
        gh label create "$label" --description "Dead links that lead out of the book" || true
        gh issue create --title "Outside links of the book are dead" --label "$label" --body-file "$body"
        exit
    fi
    gh issue edit "$number" --body-file "$body"
    # Who watches the issue hears of a comment, but not of an edit.
    [ "$listed" = "$dead" ] || gh issue comment "$number" --body "The list has changed: $sums, says [this check]($RUN)."
    ;;
esac
