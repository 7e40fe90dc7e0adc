import { createInterface } from 'node:readline';
import { Anchors, anchorIn } from '../../../core/audit/anchors.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { Io } from '../../terminal/io.ts';
import { streamNamedFile } from '../../terminal/named-files.ts';

/**
 * Reads the heads of the audit chain from a log of the daemon (`-` = standard input). `bad_input` where it cannot be read, or
 * names no head: a file given by mistake must not pass for one that the chain holds.
 */
export async function readAnchors(io: Pick<Io, 'stdin'>, file: string): Promise<Anchors> {
  const anchors = new Anchors();
  const input = file === '-' ? io.stdin : streamNamedFile(file, 'a log').stream;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const anchor = anchorIn(line);
    if (anchor) anchors.add(anchor);
  }
  if (anchors.count > 0) return anchors;
  throw new HkctlError('bad_input', `${file === '-' ? 'Standard input' : file} names no head of an audit chain.`, {
    hint: 'Give the log of hkctl serve, which names the head at the level info when it starts and whenever it changed.',
  });
}
