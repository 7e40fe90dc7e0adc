import type { Reporter, TestCase } from 'vitest/node';

/** How a line begins that names a test; `.ci/run` repeats such lines at its end. */
const heading = 'Passed only on the second try:';

/** Names each test that has failed once and passed then, which a repetition would otherwise hide. */
export class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky)
      this.#names.push(`[${test.project.name}] ${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names) process.stdout.write(`${heading} ${name}\n`);
  }
}
