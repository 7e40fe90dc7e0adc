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
 * its last call is noted meanwhile, and done afterwards.
 */
function createHold(socket: Socket): Hold {
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);
  let holdCount = 0;
  let wantsReading = true;
  const setWanted = (shouldRead: boolean): Socket => {
    wantsReading = shouldRead;
    if (holdCount > 0) return socket;
    return shouldRead ? resume() : pause();
  };
  socket.pause = () => setWanted(false);
  socket.resume = () => setWanted(true);
  // Resuming takes effect a moment later, when a hold may have begun: then Node reads again, until it sees this event.
  socket.on('resume', () => {
    if (holdCount > 0) socket.emit('pause');
  });
  return {
    begin() {
      if (holdCount++ > 0) return;
      wantsReading = !socket.isPaused();
      pause();
    },
    end() {
      if (holdCount === 0 || --holdCount > 0) return;
      if (wantsReading) resume();
    },
  };
}
