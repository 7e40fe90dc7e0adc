import type { Socket } from 'node:net';

/** A property of the socket: its hold, once it had one. */
const ownHold = Symbol('hold');
interface Hold {
  begin(): void;
  end(): void;
}
interface Holdable {
  [ownHold]?: Hold;
}

/** Stops reading from a connection of an HTTP server until {@link releaseReading} was called as often as this. */
export function holdReading(socket: Socket & Holdable): void {
  socket[ownHold] ??= createHold(socket);
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
function createHold(socket: Socket): Hold {
  const [pause, resume] = [socket.pause.bind(socket), socket.resume.bind(socket)];
  let count = 0;
  let isWanted = true;
  const want = (reads: boolean): Socket => {
    isWanted = reads;
    if (count > 0) return socket;
    return reads ? resume() : pause();
  };
  socket.pause = () => want(false);
  socket.resume = () => want(true);
  // Resuming takes effect a moment later, when a hold may have begun: then Node reads again, until it sees this event.
  socket.on('resume', () => {
    if (count > 0) socket.emit('pause');
  });
  return {
    begin() {
      if (count++ > 0) return;
      isWanted = !socket.isPaused();
      pause();
    },
    end() {
      if (count === 0 || --count > 0) return;
      if (isWanted) resume();
    },
  };
}
