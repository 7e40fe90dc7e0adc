import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExistingFile } from '../../../src/core/files/existing-file.ts';
import { NewFile } from '../../../src/core/files/new-file.ts';
import { canonicalPath, locate, openNamedFile } from '../../../src/core/files/place.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hkctl-place-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const contentAt = (path: string | Buffer) => {
  const fd = openNamedFile(path);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
};

describe('a path', () => {
  beforeEach(() => {
    mkdirSync(join(base, 'real', 'deep'), { recursive: true });
    writeFileSync(join(base, 'real', 'deep', 'file'), 'content');
    symlinkSync(join(base, 'real'), join(base, 'absolute'));
    symlinkSync('real/deep', join(base, 'relative'));
    symlinkSync('relative/../deep/./file', join(base, 'chain'));
  });

  it.each([
    'real/deep/file',
    'absolute/deep/file',
    'relative/file',
    'relative/../deep/file',
    'absolute/deep/../../chain',
    './/real///deep/./file',
  ])('%s leads where the system leads it', (path) => {
    expect(contentAt(join(base, '/') + path)).toBe('content');
    expect(canonicalPath(join(base, '/') + path)).toBe(realpathSync.native(`${base}/${path}`));
  });

  it.each(['real', 'absolute/', 'relative/..', '.', 'missing'])(
    '%s has one canonical form',
    (path) => {
      const there = existsSync(`${base}/${path}`);
      const expected = there
        ? realpathSync.native(`${base}/${path}`)
        : join(realpathSync(base), path);
      expect(canonicalPath(`${base}/${path}`)).toBe(expected);
    },
  );

  it('through a folder that is missing stays as it is', () => {
    expect(canonicalPath(`${base}/no/./such`)).toBe(`${base}/no/./such`);
  });

  it('is refused where its links run in a circle, and where a file is no folder', () => {
    symlinkSync('circle', join(base, 'circle'));
    expect(() => contentAt(join(base, 'circle'))).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    );
    for (const path of ['real/deep/file/', 'real/deep/file/x']) {
      expect(() => contentAt(`${base}/${path}`)).toThrow(
        expect.objectContaining({ code: 'ENOTDIR' }),
      );
    }
  });

  it('may consist of any bytes', () => {
    const path = Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(path, 'bytes');
    expect(contentAt(path)).toBe('bytes');
  });

  it('may lead through /proc to a file that is open, also one without a name', () => {
    writeFileSync(join(base, 'gone'), 'still open');
    const fd = openNamedFile(join(base, 'gone'));
    rmSync(join(base, 'gone'));
    expect(contentAt(`/proc/self/fd/${fd}`)).toBe('still open');
    closeSync(fd);
  });
});

describe('a folder that is open', () => {
  it('stays the same when another takes its path', () => {
    mkdirSync(join(base, 'keys'));
    const { folder, name } = locate(join(base, 'keys', 'file'), { followsLast: false });
    renameSync(join(base, 'keys'), join(base, 'moved'));
    mkdirSync(join(base, 'other'));
    symlinkSync('other', join(base, 'keys'));
    const file = new NewFile(folder, name);
    file.write('secret');
    expect([readdirSync(join(base, 'moved')), readdirSync(join(base, 'other'))]).toEqual([
      ['file'],
      [],
    ]);
    file.close();
    folder.close();
  });
});

describe('a new file', () => {
  it('is of mode 0600, follows no link, and replaces nothing', () => {
    const { folder } = locate(join(base, 'x'), { followsLast: false });
    const file = new NewFile(folder, 'file');
    file.prepare(undefined);
    expect(statSync(join(base, 'file')).mode & 0o777).toBe(0o600);
    symlinkSync(join(base, 'nowhere'), join(base, 'link'));
    for (const name of ['file', 'link']) {
      expect(() => new NewFile(folder, name)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    }
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
    file.close();
    folder.close();
  });

  it('that is discarded is empty and gone, and leaves the file of others that has its name by then', () => {
    const { folder } = locate(join(base, 'x'), { followsLast: false });
    const file = new NewFile(folder, 'file');
    file.write('secret');
    renameSync(join(base, 'file'), join(base, 'elsewhere'));
    writeFileSync(join(base, 'file'), 'of others');
    expect(file.isAt()).toBe(false);
    file.discard();
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('of others');
    expect(readFileSync(join(base, 'elsewhere'), 'utf8')).toBe('');
    file.close();
    folder.close();
  });
});

describe('a file that exists', () => {
  it('is known by its second name, and is whole or too large', () => {
    writeFileSync(join(base, 'file'), 'text');
    linkSync(join(base, 'file'), join(base, 'second'));
    const { folder } = locate(join(base, 'x'), { followsLast: false });
    const file = ExistingFile.open(folder, 'file');
    expect([file?.isAt('second'), file?.isAt('missing'), file?.text(4), file?.text(3)]).toEqual([
      true,
      false,
      'text',
      undefined,
    ]);
    expect(() => file?.requireReplaceable([folder.stats()])).not.toThrow();
    expect(readdirSync(base).sort()).toEqual(['file', 'second']);
    file?.close();
    folder.close();
  });

  it('must be a regular one', () => {
    const { folder } = locate(base, { followsLast: false });
    expect(ExistingFile.open(folder, 'missing')).toBeUndefined();
    expect(() => ExistingFile.open(folder, base.slice(dirname(base).length + 1))).toThrow(
      'is not a regular file',
    );
    folder.close();
  });
});
