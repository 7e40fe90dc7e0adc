import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, environment, Running } from '../../e2e/program.ts';

describe('the memory of an import', () => {
  /** The most memory an import of so many rows ever held, in MB. */
  async function peakOf(rowCount: number): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-memory-'));
    const env = environment({
      HOME: folder,
      HKCTL_STORE: join(folder, 'hkctl.db'),
      HKCTL_USER: 'admin',
    });
    try {
      const site = ['--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'Europe/Berlin'];
      const init = new Running(
        process.execPath,
        [cli, 'init', '--org', 'A', '--week-start', 'monday', ...site, '--admin', 'admin'],
        { env },
      );
      expect((await init.ended).code).toBe(0);
      const importing = new Running(
        process.execPath,
        [cli, 'import', 'parts', '-', '--entity', 'BER'],
        {
          env,
          input: 'pipe',
        },
      );
      const stdin = importing.child.stdin;
      if (!stdin) throw new Error('no standard input');
      const status = `/proc/${importing.child.pid}/status`;
      const write = (text: string) =>
        new Promise<void>((resolve, reject) =>
          stdin.write(text, (error) => (error ? reject(error) : resolve())),
        );
      await write('id,name,part_number,is_active,description\n');
      const filler = 'x'.repeat(400);
      let peak = 0;
      const look = () => {
        // A process that has ended and is not yet collected has no memory.
        peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? peak);
      };
      for (let from = 0; from < rowCount; from += 1000) {
        let text = '';
        for (let i = from; i < from + 1000; i++) text += `P-${i},Part,N-${i},true,${filler}\n`;
        await write(text);
        look();
      }
      stdin.end();
      // The indexes are made now.
      while (importing.child.exitCode === null && existsSync(status)) {
        look();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { code, stderr } = await importing.ended;
      expect(code, stderr).toBe(0);
      return peak / 1024;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('does not grow with the file', { timeout: 240_000 }, async () => {
    const small = await peakOf(250_000); // 105 MB: the pages that SQLite keeps are full by now
    const large = await peakOf(500_000); // 210 MB
    expect(large).toBeLessThan(450);
    expect(large - small).toBeLessThan(50);
  });
});
