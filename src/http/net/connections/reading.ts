import type { Socket } from 'node:net';

/** A property of the socket: its hold, once it had one. */
const ownHold = Symbol('hold');
interface Holdable {
  [ownHold]?: Hold;
}

/** Stops reading from a connection of an HTTP server until {@link releaseReading} was called as often as this. */
export function holdReading(socket: Socket & Holdable): void {
  socket[ownHold] ??= new Hold(socket);
  socket[ownHold].begin();
}

/** Lets Node read from a connection again, unless it is held for another reason. */
export function releaseReading(socket: Socket & Holdable): void {
  socket[ownHold]?.end();
}

/**
 * Keeps a connection paused. Node resumes reading by itself at the end of every request, and pauses it while a body is not taken:
 * what it wants meanwhile is noted, and done afterwards.
 */
class Hold {
  readonly #socket: Socket;
  readonly #pause: () => Socket;
  readonly #resume: () => Socket;
  #count = 0;
  #isWanted = true;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#pause = socket.pause.bind(socket);
    this.#resume = socket.resume.bind(socket);
    socket.pause = () => this.#want(false);
    socket.resume = () => this.#want(true);
    // Resuming takes effect a moment later, when a hold may have begun: then Node reads again, until it sees this event.
    socket.on('resume', () => {
      if (this.#count > 0) socket.emit('pause');
    });
  }

  begin(): void {
    if (this.#count++ > 0) return;
    this.#isWanted = !this.#socket.isPaused();
    this.#pause();
  }

  end(): void {
    if (this.#count === 0 || --this.#count > 0) return;
    if (this.#isWanted) this.#resume();
  }

  #want(isWanted: boolean): Socket {
    this.#isWanted = isWanted;
    if (this.#count > 0) return this.#socket;
    return isWanted ? this.#resume() : this.#pause();
  }
}
