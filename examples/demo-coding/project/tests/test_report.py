import unittest

from ledger import format_cents, statement


class ReportTest(unittest.TestCase):
    def test_cents(self):
        self.assertEqual(format_cents(1234), "12.34")
        self.assertEqual(format_cents(-5), "-0.05")

    def test_statement_adds_up(self):
        text = statement("Dinner", 1000, ["Ana", "Bo", "Cem"])
        self.assertEqual(
            text, "Dinner\nAna: 3.34\nBo: 3.33\nCem: 3.33\ntotal: 10.00"
        )


if __name__ == "__main__":
    unittest.main()
