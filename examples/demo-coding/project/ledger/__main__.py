"""python3 -m ledger TITLE CENTS NAME... prints a statement."""

import sys

from ledger.report import statement

if len(sys.argv) < 4:
    sys.exit("usage: python3 -m ledger TITLE CENTS NAME...")
print(statement(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
