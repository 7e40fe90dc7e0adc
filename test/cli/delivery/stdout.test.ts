import { expect, it } from 'vitest';
import type { Context } from '../../../src/cli/command/context.ts';
import { requireReader } from '../../../src/cli/delivery/stdout.ts';

const contextWith = (isNull: boolean) => ({ io: { stdout: { isNull } } }) as unknown as Context; // nothing else is read

it('no secret is written where nobody can read it', () => {
  expect(() => requireReader(contextWith(true))).toThrow(
    expect.objectContaining({ code: 'usage' }),
  );
  expect(() => requireReader(contextWith(false))).not.toThrow();
});
