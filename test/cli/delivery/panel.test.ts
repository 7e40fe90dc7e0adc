import { describe, expect, it } from 'vitest';
import { createStoreNaming } from '../../../src/cli/command-words.ts';
import { panelLines } from '../../../src/cli/delivery/panel.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { widthOf } from '../../../src/cli/terminal/wrap.ts';
import type { Key } from '../../../src/core/port/keys.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { silentOutput } from '../silent-output.ts';

const style = createStyle({}, silentOutput());

function delivered(name: string) {
  const secret = drawSecret();
  const key: Key = {
    id: 'id',
    tenantId: 't',
    prefix: secret.slice(0, 8),
    name,
    permissions: ['parts.view'],
    entity: null,
    createdBy: { id: 'u', login: 'a', name: 'A' },
    creatorStatus: 'active',
    createdAtMs: 0,
    expiresAtMs: null,
    lastUsedAtMs: null,
    revokedAtMs: null,
    revokedBy: null,
    rotatedFrom: null,
    rotatedTo: null,
    allowedIps: [],
    note: null,
    lastUsedIp: null,
  };
  return { secret, key, revoked: null };
}

const naming = createStoreNaming(['--store', 'x']);
const view = { toast: 'API key rotated', asking: false, baseUrl: undefined, naming, nowMs: 0 };

describe('the one-time panel', () => {
  it('shows the secret whole and what can be done on any terminal', () => {
    for (const columns of [20, 30, 40, 52, 60, 80, 200]) {
      for (const rows of [5, 6, 8, 10, 12, 24, 50]) {
        for (const name of ['A', 'x'.repeat(120)]) {
          const one = delivered(name);
          const lines = panelLines({ ...view, delivered: [one] }, columns, rows, style);
          expect(lines.length).toBeLessThanOrEqual(rows);
          expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(
            Math.max(columns, 36),
          );
          expect(widthOf(lines.at(-1) ?? '')).toBeLessThanOrEqual(columns);
          expect(lines.join('').includes(one.secret), `${columns}x${rows}`).toBe(true);
          expect(lines.at(-1)).toContain('Dismiss');
        }
      }
    }
  });

  it('asks on a small terminal, too, and shows what answers', () => {
    const lines = panelLines({ ...view, delivered: [delivered('A')], asking: true }, 20, 5, style);
    expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(20);
    expect([lines.length, lines.at(-1)]).toEqual([5, '[n]Cancel [y]Dismiss']);
  });

  it('has both examples, with {base_url} where no address is known, and the secret in neither', () => {
    const one = delivered('A');
    const text = panelLines({ ...view, delivered: [one] }, 80, 40, style).join('\n');
    expect(text).toContain('curl -H "Authorization: Bearer $API_KEY" {base_url}/api/v1/me');
    expect(text).toContain('{base_url}/api/v1/resources');
    expect(text).toContain('  {base_url}: run hkctl --store x serve, or give --base-url');
    expect(text.split(one.secret)).toHaveLength(2);
  });

  it('asks before it is dismissed, by the prefix', () => {
    const one = delivered('A');
    const text = panelLines({ ...view, delivered: [one], asking: true }, 80, 40, style).join('\n');
    expect(text).toContain(`The full key for ${one.key.prefix} will not be shown again.`);
  });
});
