import { createReadStream, fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Anchors, anchorIn } from '../../../core/audit/anchors.ts';
import { errnoOf } from '../../../core/errno.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { Io } from '../../terminal/io.ts';
import { openNamedFile } from '../../terminal/named-files.ts';

/**
 * Reads the heads of the audit chain from a log of the daemon (`-` = standard input). `bad_input` where it cannot be read, or
 * names no head: a file given by mistake must not pass for one that the chain holds.
 */
export async function readAnchors(io: Pick<Io, 'stdin' | 'withOwnRights'>, file: string): Promise<Anchors> {
  const anchors = new Anchors();
  for await (const line of createInterface({ input: openLog(io, file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const anchor = anchorIn(line);
    if (anchor) anchors.add(anchor);
  }
  if (anchors.count > 0) return anchors;
  throw new HkctlError('bad_input', `${file === '-' ? 'Standard input' : file} names no head of an audit chain.`, {
    hint: 'Give the log of hkctl serve, which names the head at the level info when it starts and whenever it changed.',
  });
}

function openLog(io: Pick<Io, 'stdin' | 'withOwnRights'>, file: string): NodeJS.ReadableStream {
  if (file === '-') return io.stdin;
  try {
    const fd = io.withOwnRights(() => openNamedFile(file));
    if (fstatSync(fd).isDirectory()) throw new HkctlError('bad_input', `${file} is a folder, and no log.`);
    return createReadStream('', { fd });
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === undefined) throw thrown;
    const why: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'this account may not read it' };
    throw new HkctlError('bad_input', `${file} cannot be read: ${why[code] ?? code}.`, { cause: thrown });
  }
}
