/** A client counts as busy for so long after it sent many requests at once. */
const busyMs = 10_000;
/** After a TLS handshake has begun, its client's next one waits for so long: how many requests will follow is not known yet. */
const handshakeRestMs = 10;

/**
 * Clients, keys and network addresses, that send many requests at once. Their requests are charged to them: the more they send,
 * the longer their next connection and TLS handshake wait, and the event loop is for others meanwhile.
 */
export class BusyClients {
  readonly #busyUntil = new Map<string, number>();
  /** The times from which connections or handshakes may continue, by the name of their queue. */
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
  note(...clientNames: readonly string[]): void {
    this.#forgetPast();
    const busyUntil = this.#clock() + busyMs;
    for (const clientName of clientNames) this.#busyUntil.set(clientName, busyUntil);
  }

  isBusy(client: string): boolean {
    return this.#clock() < (this.#busyUntil.get(client) ?? 0);
  }

  /** Makes the connections or handshakes in these queues wait for longer. */
  charge(chargedMs: number, ...queueNames: readonly string[]): void {
    for (const queueName of queueNames) {
      const restsFrom = Math.max(this.#restUntil.get(queueName) ?? 0, this.#clock());
      this.#restUntil.set(queueName, restsFrom + chargedMs);
    }
  }

  /** Whether the time that was charged to a queue is over. */
  hasRested(queueName: string): boolean {
    return this.#clock() >= (this.#restUntil.get(queueName) ?? 0);
  }

  /** Whether a TLS handshake of a client may begin: requests that follow it in the same packet are read at once. */
  mayBegin(client: string): boolean {
    if (!this.isBusy(client)) return true;
    return this.hasRested(newOf(client)) && this.hasRested(handshakeOf(client));
  }

  noteHandshake(client: string): void {
    if (this.isBusy(client)) this.charge(handshakeRestMs, handshakeOf(client));
  }

  /** Runs even during an attack, which may come from ever new addresses. */
  #forgetPast(): void {
    const nowMs = this.#clock();
    if (nowMs < this.#forgetAt) return;
    this.#forgetAt = nowMs + busyMs;
    for (const deadlines of [this.#busyUntil, this.#restUntil]) {
      for (const [name, until] of deadlines) if (until <= nowMs) deadlines.delete(name);
    }
  }
}

/** The new connections of an address wait apart from those that were open when it began to send many requests at once. */
export function newOf(client: string): string {
  return `new ${client}`;
}

/** Connections that never brought several requests at once wait apart, too. */
export function singleOf(client: string): string {
  return `single ${client}`;
}

function handshakeOf(client: string): string {
  return `handshake ${client}`;
}
