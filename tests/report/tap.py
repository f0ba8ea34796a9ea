"""Test Anything Protocol: one line for each thing that holds or does not."""
count = failed = 0


def ok(holds, what, *why):
    global count, failed
    count += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {count} - {what}", flush=True)
    if not holds:
        for w in why:
            print(f"# {w}")


def finish():
    print(f"1..{count}")
    return failed > 0
