/** Bytes that one request holds of a budget. */
export class Reservation {
  #bytes = 0;
  /** The key that it counts against. */
  readonly holder: string | undefined;
  readonly #onChange: (bytes: number) => void;

  /** `onChange` receives the bytes added or, below zero, given back. */
  constructor(bytes: number, holder: string | undefined, onChange: (bytes: number) => void) {
    this.holder = holder;
    this.#onChange = onChange;
    this.resize(bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  resize(bytes: number): void {
    const change = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#onChange(change);
  }

  /** Gives all of it back; a second call has no effect. */
  release(): void {
    this.resize(0);
  }
}
