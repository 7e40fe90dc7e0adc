import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireReplaceable } from '../../../src/core/files/existing-file.ts';
import { canonicalPath, requireClosed, resolvePath } from '../../../src/core/files/named-path.ts';
import { NewFile } from '../../../src/core/files/new-file.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hkctl-files-'));
});
afterEach(() => rmSync(base, { recursive: true }));

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
    'real',
    'absolute/',
    'relative/..',
    '.',
  ])('%s leads where the system leads it', (path) => {
    expect(resolvePath(`${base}/${path}`).path).toBe(realpathSync.native(`${base}/${path}`));
    expect(canonicalPath(`${base}/${path}`)).toBe(realpathSync.native(`${base}/${path}`));
  });

  it('of a missing file is resolved as far as its folder, and one of a missing folder not at all', () => {
    expect(canonicalPath(join(base, 'relative', 'new'))).toBe(
      join(realpathSync(base), 'real', 'deep', 'new'),
    );
    expect(canonicalPath(`${base}/no/./such`)).toBe(`${base}/no/./such`);
    expect(() => resolvePath(`${base}/no/such`)).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  it('is refused where its links run in a circle, and where a file is no folder', () => {
    symlinkSync('circle', join(base, 'circle'));
    expect(() => resolvePath(join(base, 'circle'))).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    );
    for (const path of ['real/deep/file/', 'real/deep/file/x', 'chain/']) {
      expect(() => resolvePath(`${base}/${path}`)).toThrow(
        expect.objectContaining({ code: 'ENOTDIR' }),
      );
    }
  });

  it('that ends in a link can also be the link', () => {
    const { path, stats } = resolvePath(join(base, 'chain'), { followsLast: false });
    expect([path, stats?.isSymbolicLink()]).toEqual([join(realpathSync(base), 'chain'), true]);
    expect(resolvePath(join(base, 'chain')).isBehindLink).toBe(true);
    expect(resolvePath(join(base, 'absolute', 'deep', 'file')).isBehindLink).toBe(false);
  });
});

describe('a file', () => {
  const inFolder = (mode: number, ...inner: string[]) => {
    const folder = join(base, 'folder');
    mkdirSync(join(folder, ...inner), { recursive: true });
    writeFileSync(join(folder, ...inner, 'file'), '');
    chmodSync(folder, mode);
    return join(folder, ...inner, 'file');
  };
  const refusalOf = (path: string) => {
    try {
      requireClosed(resolvePath(path), 'Do that.');
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  };

  it.each([0o700, 0o755, 0o1777])('in a folder of mode %o cannot be exchanged', (mode) => {
    expect(refusalOf(inFolder(mode))).toBeUndefined();
    expect(refusalOf(join(base, 'folder', 'new'))).toBeUndefined();
  });

  it.each([0o777, 0o707])('in a folder of mode %o can be exchanged, and below it', (mode) => {
    for (const inner of [[], ['a', 'b']]) {
      const file = inFolder(mode, ...inner);
      const folder = join(realpathSync(base), 'folder');
      expect(refusalOf(file)).toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining(
          `can write the folder ${folder} (mode 0${mode.toString(8)})`,
        ),
        hint: 'Do that.',
      });
      rmSync(join(base, 'folder'), { recursive: true });
    }
  });

  it('behind a link is as closed as the folder of the link and the one behind it', () => {
    const file = inFolder(0o777);
    symlinkSync(file, join(base, 'link'));
    expect(refusalOf(join(base, 'link'))).toMatchObject({ code: 'bad_input' });
    mkdirSync(join(base, 'closed'));
    writeFileSync(join(base, 'closed', 'file'), '');
    symlinkSync(join(base, 'closed', 'file'), join(base, 'folder', 'link'));
    expect(refusalOf(join(base, 'folder', 'link'))).toMatchObject({ code: 'bad_input' });
  });

  it('that is closed can be replaced, and stays as it is', () => {
    const file = inFolder(0o700);
    chmodSync(file, 0o400);
    expect(() => requireReplaceable(resolvePath(file))).not.toThrow();
    expect(() => requireReplaceable(resolvePath(join(base, 'none')))).not.toThrow();
    expect(statSync(file)).toMatchObject({ size: 0, mode: 0o100400 });
  });
});

describe('a new file', () => {
  it('is of mode 0600, follows no link, and replaces nothing', () => {
    const file = new NewFile(join(base, 'file'));
    file.write('secret', undefined);
    expect(statSync(join(base, 'file')).mode & 0o777).toBe(0o600);
    symlinkSync(join(base, 'nowhere'), join(base, 'link'));
    for (const name of ['file', 'link']) {
      expect(() => new NewFile(join(base, name))).toThrow(
        expect.objectContaining({ code: 'EEXIST' }),
      );
    }
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('secret');
    file.close();
  });

  it('that is discarded is empty and gone, and leaves the file of others that has its name by then', () => {
    const file = new NewFile(join(base, 'file'));
    file.write('secret', undefined);
    renameSync(join(base, 'file'), join(base, 'elsewhere'));
    writeFileSync(join(base, 'file'), 'of others');
    expect(file.isInPlace()).toBe(false);
    file.discard();
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('of others');
    expect(readFileSync(join(base, 'elsewhere'), 'utf8')).toBe('');
    file.close();
  });
});
