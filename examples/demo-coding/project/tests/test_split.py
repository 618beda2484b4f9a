import unittest

from ledger import split_by_weight, split_evenly


class SplitEvenlyTest(unittest.TestCase):
    def test_even_total(self):
        self.assertEqual(split_evenly(900, 3), [300, 300, 300])

    def test_odd_cents_go_to_the_first_people(self):
        self.assertEqual(split_evenly(100, 3), [34, 33, 33])

    def test_nothing_is_lost_or_made(self):
        for total in (0, 1, 99, 100, 101, 12345):
            for people in (1, 2, 3, 7, 11):
                with self.subTest(total=total, people=people):
                    self.assertEqual(sum(split_evenly(total, people)), total)

    def test_a_refund_is_split_too(self):
        self.assertEqual(sum(split_evenly(-100, 3)), -100)

    def test_somebody_must_pay(self):
        with self.assertRaises(ValueError):
            split_evenly(100, 0)


class SplitByWeightTest(unittest.TestCase):
    def test_the_rest_goes_to_the_last(self):
        self.assertEqual(split_by_weight(100, [1, 1, 1]), [33, 33, 34])


if __name__ == "__main__":
    unittest.main()
