/** After each request that came with others, its client's next connection waits for so long: twenty times what reading it took. */
const restMs = 0.2;
/** After a TLS handshake has begun, its client's next one waits for so long: how many requests will follow is not known yet. */
const handshakeRestMs = 10;
/** After every thousand small pieces of a body, the next connection of its client waits for so long: four times what they took. */
const piecesRestMs = 8;
/** A client counts as busy for so long after it sent many requests at once. */
const busyMs = 10_000;

/**
 * Clients, keys and network addresses, that send many requests at once. What they bring is charged to them: the more it was, the
 * longer their next connection and TLS handshake wait, and the event loop is for others meanwhile.
 */
export class BusyClients {
  readonly #busyUntil = new Map<string, number>();
  /** The times at which the next connection or handshake may have its turn, by what waits: see {@link newOf}. */
  readonly #restUntil = new Map<string, number>();
  readonly #clock: () => number;
  #forgetAt = 0;

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  /** The number of times that are remembered. */
  get size(): number {
    return this.#busyUntil.size + this.#restUntil.size;
  }

  /** Notes that a client has just sent many requests at once, by each of its names. */
  note(...names: readonly string[]): void {
    this.#forgetPast();
    const until = this.#clock() + busyMs;
    for (const name of names) this.#busyUntil.set(name, until);
  }

  /** Whether a client has sent many requests at once in the last seconds. */
  isBusy(client: string): boolean {
    return this.#clock() < (this.#busyUntil.get(client) ?? 0);
  }

  /** Whether a TLS handshake of a client may begin: what follows it in the same packet is read at once. */
  mayBegin(client: string): boolean {
    return !this.isBusy(client) || (this.hasRested(newOf(client)) && this.hasRested(handshakeOf(client)));
  }

  /** Charges a TLS handshake that begins to its client. */
  noteHandshake(client: string): void {
    if (this.isBusy(client)) this.#charge(handshakeOf(client), handshakeRestMs);
  }

  /** Charges a request that came with others. */
  noteRequest(owner: string): void {
    this.#charge(owner, restMs);
  }

  /** Charges a thousand small pieces of a body to every name of its client. */
  notePieces(...names: readonly string[]): void {
    for (const name of names) this.#charge(name, piecesRestMs);
  }

  /** Whether the time of what was charged is over. */
  hasRested(owner: string): boolean {
    return this.#clock() >= (this.#restUntil.get(owner) ?? 0);
  }

  #charge(owner: string, ms: number): void {
    this.#restUntil.set(owner, Math.max(this.#restUntil.get(owner) ?? 0, this.#clock()) + ms);
  }

  /** Also while an attack goes on, which may come from ever new addresses. */
  #forgetPast(): void {
    const now = this.#clock();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + busyMs;
    for (const times of [this.#busyUntil, this.#restUntil]) {
      for (const [name, until] of times) if (until <= now) times.delete(name);
    }
  }
}

/** The new connections of an address wait apart from those that were open when it began to send many requests at once. */
export function newOf(client: string): string {
  return `new ${client}`;
}

function handshakeOf(client: string): string {
  return `handshake ${client}`;
}
