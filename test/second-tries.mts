import type { Reporter, TestCase } from 'vitest/node';

/** How a line begins that names a test; `.ci/run` repeats such lines at its end. */
const heading = 'Passed only on the second try:';

/** The first line of a message may be long: the counterexample of a property with its seed. */
const longestMessage = 2000;

/** Names each test that has failed once and passed then, with why it failed, which a repetition would otherwise hide. */
export class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const name = `[${test.project.name}] ${test.module.relativeModuleId} > ${test.fullName}`;
    const why = test.result().errors?.[0]?.message.replace(/\s+/g, ' ').slice(0, longestMessage);
    this.#names.push(`${name}: ${why}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names) process.stdout.write(`${heading} ${name}\n`);
  }
}
