import type { Io } from './io.ts';
import { canDraw } from './style.ts';

/** A progress bar on standard error that shows how much of a source was read. */
interface Progress {
  watch(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Shows how many bytes were read so far. */
  at(bytes: number): void;
  /** Removes the bar; further calls do nothing. */
  end(): void;
}

const stepMs = 100;

/** Creates a progress bar, shown only if standard error is a terminal that can draw it. `total` is undefined for pipes. */
export function createProgress(io: Io, label: string, total: number | undefined, silent: boolean): Progress {
  const shown = !silent && canDraw(io.env, io.stderr);
  let read = 0;
  let drawnAtMs = 0;
  let drawn = false;
  const draw = () => {
    const nowMs = performance.now();
    if (!shown || nowMs - drawnAtMs < stepMs) return;
    drawnAtMs = nowMs;
    drawn = true;
    io.stderr.write(`\r\u001b[K${progressLine(label, read, total, io.stderr.columns() ?? 80)}`);
  };
  return {
    async *watch(source) {
      for await (const chunk of source) {
        read += chunk.byteLength;
        draw();
        yield chunk;
      }
    },
    at(bytes) {
      read = bytes;
      draw();
    },
    end() {
      if (drawn) io.stderr.write('\r\u001b[K');
      drawn = false;
    },
  };
}

/** `Importing parts  ████░░░░  52 %  12.3 MB`, never wider than the terminal. */
export function progressLine(label: string, read: number, total: number | undefined, columns: number): string {
  const megabytes = `${(read / 1e6).toFixed(1)} MB`;
  if (total === undefined || total === 0) return `${label}  ${megabytes}`.slice(0, columns - 1);
  const share = Math.min(1, read / total);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const width = Math.min(40, columns - label.length - percent.length - megabytes.length - 8);
  if (width < 5) return `${label} ${percent}`.slice(0, columns - 1);
  const full = Math.round(share * width);
  return `${label}  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${percent}  ${megabytes}`;
}
