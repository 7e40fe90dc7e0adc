import type { Io } from './io.ts';
import { canDraw } from './style.ts';

const stepMs = 100;

/** Creates a line that names the current step of a long command; nothing without a terminal that can draw it, or with `--json`. */
export function createStepLine({ io, json }: { io: Io; json: boolean }) {
  const isShown = !json && canDraw(io.env, io.stderr);
  return {
    show(text: string) {
      if (!isShown) return;
      const line = `${text} …`.slice(0, (io.stderr.columns() ?? 80) - 1);
      io.stderr.write(`\r\u001b[K${line}`);
    },
    /** Removes the line. */
    end() {
      if (isShown) io.stderr.write('\r\u001b[K');
    },
  };
}

/**
 * Creates a progress bar for the bytes that were read of a source. It is shown only if standard error is a terminal that can draw
 * it, and not with `--json`. If the total is unknown, as of a pipe, it shows the bytes alone.
 */
export function createProgress(context: { io: Io; json: boolean }, label: string) {
  const { io, json } = context;
  const isShown = !json && canDraw(io.env, io.stderr);
  let drawnAtMs = 0;
  let isDrawn = false;
  const showProgress = (readBytes: number, totalBytes?: number) => {
    const nowMs = performance.now();
    if (!isShown || nowMs - drawnAtMs < stepMs) return;
    drawnAtMs = nowMs;
    isDrawn = true;
    io.stderr.write(
      `\r\u001b[K${progressLine(label, readBytes, totalBytes, io.stderr.columns() ?? 80)}`,
    );
  };
  return {
    async *watch(source: AsyncIterable<Uint8Array>, totalBytes: number | undefined) {
      let readBytes = 0;
      for await (const chunk of source) {
        readBytes += chunk.byteLength;
        showProgress(readBytes, totalBytes);
        yield chunk;
      }
    },
    at: showProgress,
    /** Removes the bar. */
    end() {
      if (isDrawn) io.stderr.write('\r\u001b[K');
      isDrawn = false;
    },
  };
}

/** `Importing parts  ████░░░░  52 %  12.3 MB`, never wider than the terminal. */
export function progressLine(
  label: string,
  readBytes: number,
  totalBytes: number | undefined,
  columns: number,
): string {
  const widestLine = columns - 1;
  const megabytes = `${(readBytes / 1e6).toFixed(1)} MB`;
  if (totalBytes === undefined || totalBytes === 0)
    return `${label}  ${megabytes}`.slice(0, widestLine);

  const share = Math.min(1, readBytes / totalBytes);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const textWidth = label.length + percent.length + megabytes.length;
  const barWidth = Math.min(40, columns - textWidth - 8);
  if (barWidth < 5) return `${label} ${percent}`.slice(0, widestLine);

  const filledWidth = Math.round(share * barWidth);
  const filledPart = '█'.repeat(filledWidth);
  const emptyPart = '░'.repeat(barWidth - filledWidth);
  return `${label}  ${filledPart}${emptyPart} ${percent}  ${megabytes}`;
}
