import type { Io } from './io.ts';
import { canDraw } from './style.ts';

const stepMs = 100;

/**
 * Creates a progress bar of how much of a source was read, shown only if standard error is a terminal that can draw it, and not
 * with `--json`. Without `total`, as of a pipe, it shows the bytes alone.
 */
export function createProgress({ io, json }: { io: Io; json: boolean }, label: string) {
  const shown = !json && canDraw(io.env, io.stderr);
  let drawnAtMs = 0;
  let drawn = false;
  const at = (bytes: number, total?: number) => {
    const nowMs = performance.now();
    if (!shown || nowMs - drawnAtMs < stepMs) return;
    drawnAtMs = nowMs;
    drawn = true;
    io.stderr.write(`\r\u001b[K${progressLine(label, bytes, total, io.stderr.columns() ?? 80)}`);
  };
  return {
    async *watch(source: AsyncIterable<Uint8Array>, total: number | undefined) {
      let read = 0;
      for await (const chunk of source) {
        read += chunk.byteLength;
        at(read, total);
        yield chunk;
      }
    },
    at,
    /** Removes the bar. */
    end() {
      if (drawn) io.stderr.write('\r\u001b[K');
      drawn = false;
    },
  };
}

/** `Importing parts  ████░░░░  52 %  12.3 MB`, never wider than the terminal. */
export function progressLine(
  label: string,
  read: number,
  total: number | undefined,
  columns: number,
): string {
  const megabytes = `${(read / 1e6).toFixed(1)} MB`;
  if (total === undefined || total === 0) return `${label}  ${megabytes}`.slice(0, columns - 1);
  const share = Math.min(1, read / total);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const width = Math.min(40, columns - label.length - percent.length - megabytes.length - 8);
  if (width < 5) return `${label} ${percent}`.slice(0, columns - 1);
  const full = Math.round(share * width);
  return `${label}  ${'█'.repeat(full)}${'░'.repeat(width - full)} ${percent}  ${megabytes}`;
}
