"""A case that stage 3 crawls: its outcome, and what is wrong with it."""
import collections
import os
import re

import cases
import checks
import crawls

MEMORY = os.environ.get("HOSTILE_MEMORY") != "no"
WORKERS, MAX_BODY = 4, 2 * checks.MEGA  # as in crawls.COMMON
PATIENCE = 1 if MEMORY else 5  # a program with sanitizers is that much slower, as are a million links

# outcome, error: those of the case's own URLs, in words. status: the exit status.
Trial = collections.namedtuple("Trial", "outcome error status seconds peak wrong")


def try_case(case):
    with cases.Served(case) as served:
        result = crawls.crawl([served.root], case.options, within=case.within * PATIENCE, descriptors=case.descriptors)
        try:
            records = checks.read_records(result.output)
        except ValueError:
            records = []  # `wrong_jsonl` says more
        wrong = [*checks.wrong_end(result, served.exit), *checks.wrong_jsonl(result.output),
                 *checks.wrong_bytes(result.said), *checks.wrong_records(records, served.expected, case.more)]
        if case.check and records:
            wrong += case.check(served, result, records)
        if MEMORY:
            wrong += checks.wrong_memory(result, _number_after(case.options, "--workers", WORKERS),
                                         _number_after(case.options, "--max-body", MAX_BODY))
        return Trial(*_in_words(served, result, records), result.status, result.seconds, result.peak, wrong)


def _number_after(options, name, usual):
    """An option's value."""
    if name not in options:
        return usual
    text = str(options[options.index(name) + 1])
    return int(text.rstrip("M")) * (checks.MEGA if text.endswith("M") else 1)


def _in_words(served, result, records):
    """Outcome and error, such as ("page", "") or ("1 failed, 10 redirect", "redirect limit reached"), of /case if there
    is one, else of all URLs that the case is about. They are always the same, although the messages of TLS libraries
    differ, and although it depends on the machine how far a crawl gets in a second."""
    urls = [served.url(text) for text in served.case.expected]
    if served.url("/case") in urls:
        urls = [served.url("/case")]
    own = [record for record in records if record["url"] in urls or served.case.more]
    counts = collections.Counter(record["outcome"] for record in own)
    outcome = ", ".join(f"{count} {name}" if len(own) > 1 and not served.case.more else name
                        for name, count in sorted(counts.items()))
    errors = {re.sub(r".*(SSL|TLS).*", "what the TLS library says of it", record["error"])[:80]
              for record in own if record["error"]}
    if result.status == 3:
        errors.update(re.findall(r"stage3: ([^:]*\(--[a-z-]+\)):", result.said.decode("latin-1")))
    told = sorted(errors)
    if len(told) > 4:
        told[2:] = [f"and {len(told) - 2} other reasons"]
    return outcome or "no record", "; ".join(told)
