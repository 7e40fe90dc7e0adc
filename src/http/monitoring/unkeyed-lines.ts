/**
 * The lines that clients without a valid key may cause in a second: with the one of a service that is unavailable, ten
 * (contract, section 6). Warnings have some of their own, since a flood of requests would take all.
 */
const mostLines = { requests: 7, warnings: 2 };
const secondMs = 1000;

type Kind = keyof typeof mostLines;

/** Bounds what anybody can write to the log: some lines a second, and one with the number of those that were left out. */
export class UnkeyedLines {
  readonly #report: (leftOut: Record<Kind, number>) => void;
  #asked = { requests: 0, warnings: 0 };
  #timer: NodeJS.Timeout | undefined;

  /** `report` writes that line. */
  constructor(report: (leftOut: Record<Kind, number>) => void) {
    this.#report = report;
  }

  /** Whether a line may be written; otherwise it is counted. */
  mayWrite(kind: Kind): boolean {
    this.#timer ??= setTimeout(() => this.end(), secondMs).unref();
    return ++this.#asked[kind] <= mostLines[kind];
  }

  /** Ends the present second. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const requests = Math.max(0, this.#asked.requests - mostLines.requests);
    const warnings = Math.max(0, this.#asked.warnings - mostLines.warnings);
    this.#asked = { requests: 0, warnings: 0 };
    if (requests + warnings > 0) this.#report({ requests, warnings });
  }
}
