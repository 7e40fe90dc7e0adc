import { expect, it } from 'vitest';
import { Cli } from '../cli/harness.ts';

it.each(['postgres://user:hunter2@host/database', 'PostgreSQL://host/database'])(
  '%s is refused as a store of another engine, and its password is not repeated (exit 2)',
  async (location) => {
    for (const command of [['keys', 'list'], ['doctor'], ['migrate'], ['restore', 'x.backup', '--yes']]) {
      const { code, stderr } = await new Cli(location).run(command);
      expect([code, stderr], command.join(' ')).toEqual([2, expect.stringContaining('keeps stores in SQLite only')]);
      expect(stderr).not.toContain('hunter2');
    }
  },
);
