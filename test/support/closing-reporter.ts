import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with each skipped test and its reason, then one plain line `N passed, N failed, N skipped`. */
export class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    const skipped: string[] = [];
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed += 1;
        else if (result.state === 'failed') failed += 1;
        else if (result.state === 'skipped') {
          skipped.push(`skipped: ${test.fullName}${result.note ? ` (${result.note})` : ''}`);
        }
      }
    }
    for (const line of skipped) console.log(line);
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    console.log(`${passed} passed, ${failed} failed${tail}`);
  }
}
