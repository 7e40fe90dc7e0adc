import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../../../run-program.ts';
import { needWorking } from '../../machine/needs.ts';

/** A disk of a few megabytes in memory. Only root may mount one. */
export class SmallDisk {
  readonly folder: string;
  readonly #parent: string;

  constructor(size = '6m') {
    this.#parent = mkdtempSync(join(tmpdir(), 'hkctl-disk-'));
    this.folder = join(this.#parent, 'disk');
    mkdirSync(this.folder);
    needWorking('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.folder);
  }

  get freeBytes(): number {
    return Number(runProgram('stat', ['-f', '-c', '%a', this.folder]).stdout) * 4096;
  }

  /** Leaves so many bytes of the disk free, or none. */
  fill(leaving = 0): void {
    const pages = Math.floor(this.freeBytes / 4096) - Math.ceil(leaving / 4096);
    writeFileSync(join(this.folder, 'ballast'), Buffer.alloc(Math.max(0, pages) * 4096));
    if (leaving === 0) expect(this.freeBytes).toBe(0);
  }

  makeRoom(): void {
    rmSync(join(this.folder, 'ballast'));
  }

  close(): void {
    runProgram('umount', ['-l', this.folder]);
    rmSync(this.#parent, { recursive: true });
  }
}
