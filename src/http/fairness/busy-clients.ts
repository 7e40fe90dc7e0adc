/** A client counts as busy for so long after it sent many requests at once. */
const busyMs = 10_000;
/** After a TLS handshake has begun, its client's next one waits for so long: how many requests will follow is not known yet. */
const handshakeRestMs = 10;

/**
 * Clients, keys and network addresses, that send many requests at once. What they bring is charged to them: the more it was, the
 * longer their next connection and TLS handshake wait, and the event loop is for others meanwhile.
 */
export class BusyClients {
  readonly #busyUntil = new Map<string, number>();
  /** The times from which on connections or handshakes may be continued with, by what waits. */
  readonly #restUntil = new Map<string, number>();
  readonly #clock: () => number;
  #forgetAt = 0;

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#busyUntil.size + this.#restUntil.size;
  }

  /** Notes that a client has just sent many requests at once, by each of its names. */
  note(...names: readonly string[]): void {
    this.#forgetPast();
    const until = this.#clock() + busyMs;
    for (const name of names) this.#busyUntil.set(name, until);
  }

  isBusy(client: string): boolean {
    return this.#clock() < (this.#busyUntil.get(client) ?? 0);
  }

  /** Lets what waits under these names wait for longer. */
  charge(ms: number, ...names: readonly string[]): void {
    for (const name of names) {
      this.#restUntil.set(name, Math.max(this.#restUntil.get(name) ?? 0, this.#clock()) + ms);
    }
  }

  /** Whether the time of what was charged is over. */
  hasRested(name: string): boolean {
    return this.#clock() >= (this.#restUntil.get(name) ?? 0);
  }

  /** Whether a TLS handshake of a client may begin: what follows it in the same packet is read at once. */
  mayBegin(client: string): boolean {
    return (
      !this.isBusy(client) || (this.hasRested(newOf(client)) && this.hasRested(handshakeOf(client)))
    );
  }

  noteHandshake(client: string): void {
    if (this.isBusy(client)) this.charge(handshakeRestMs, handshakeOf(client));
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

/** Those that never brought several requests at once wait apart, too. */
export function singleOf(client: string): string {
  return `single ${client}`;
}

function handshakeOf(client: string): string {
  return `handshake ${client}`;
}
