import { describe, expect, it } from 'vitest';
import { tileLines } from '../../../../src/cli/commands/browse/tile.ts';
import type { PageView } from '../../../../src/cli/commands/browse/view.ts';
import { createStyle, terminalLine } from '../../../../src/cli/terminal/style.ts';
import { widthOf } from '../../../../src/cli/terminal/wrap.ts';
import { clientPermissions } from '../../../../src/core/access/permissions.ts';
import { expiresSoonMs } from '../../../../src/core/keys/keys.ts';
import type { Key } from '../../../../src/core/port/keys.ts';
import { silentOutput } from '../../silent-output.ts';

const nowMs = Date.parse('2026-11-20T08:00:00Z');
const dayMs = 24 * 60 * 60_000;
const key: Key = {
  id: 'k1',
  tenantId: 't1',
  prefix: 'hk_Ab3dE',
  name: 'Oven gateway',
  permissions: ['asset_sensors.ingest', 'parts.view'],
  entity: {
    id: 'e1',
    code: 'BER',
    name: 'Berlin plant',
    timezone: 'Europe/Berlin',
    status: 'active',
  },
  createdBy: { id: 'u1', login: 'alice', name: 'Alice' },
  creatorStatus: 'active',
  createdAtMs: nowMs - 100 * dayMs,
  expiresAtMs: nowMs + 30 * dayMs,
  lastUsedAtMs: nowMs - 4 * 60_000,
  revokedAtMs: null,
  revokedBy: null,
  rotatedFrom: null,
  rotatedTo: null,
  allowedIps: [],
  note: null,
  lastUsedIp: null,
};
const view: PageView = {
  order: 'newest',
  expiringOnly: false,
  keys: [key],
  chosen: 0,
  usage: [],
  inactiveOnly: false,
  showInactive: false,
  activeOnly: true,
  search: '',
  documentation: undefined,
  mayView: true,
  mayCreate: true,
  mayRevoke: true,
  mayRotate: true,
  nowMs,
};
const output = silentOutput({ isTTY: true });
const plain = createStyle({ NO_COLOR: '1' }, output);
const painted = createStyle({ FORCE_COLOR: '1' }, output);

function tile(
  given: Partial<Key> = {},
  { chosen = true, width = 80, shown = view, style = plain } = {},
): string {
  return tileLines(shown, { ...key, ...given }, chosen, width, style)
    .map(terminalLine)
    .join('\n');
}

describe('a tile', () => {
  it('shows every field of the specification in five lines of 80 columns', () => {
    expect(`\n${tile()}`).toBe(`
┏━ hk_Ab3dE  Oven gateway ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ Active ━┓
┃ Entity  BER Berlin plant              Last used  2026-11-20 08:56:00 CET     ┃
┃ Expires 2026-12-20 09:00:00 CET       Created by Alice                       ┃
┃ [Sensor readings and heartbeats] [Parts]                                     ┃
┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ [r] Rotate  [v] Revoke ━┛`);
  });

  it('also shows how long ago and how soon where it fits, and that alone where it does not', () => {
    expect(tile({}, { width: 110 })).toContain('2026-11-20 08:56:00 CET (4 min ago)');
    expect(tile({}, { width: 110 })).toContain('2026-12-20 09:00:00 CET (in 30 d)');
    expect(tile({}, { width: 60 })).toMatch(
      /Expires in 30 d +Last|Expires in 30 d +Created by Alice/,
    );
    expect(tile({ expiresAtMs: null, lastUsedAtMs: null })).toMatch(
      /Last used {2}Never[\s\S]*Expires Never/,
    );
  });

  it.each([24, 30, 46, 60, 80, 120])(
    'has lines of equal width at %i columns, whatever its texts hold',
    (width) => {
      for (const name of [
        'x',
        '生産'.repeat(80),
        `${'e\u0301'.repeat(200)}`,
        '\u001b[31m\u202eevil',
        '👩‍🏭'.repeat(60),
      ]) {
        for (const chosen of [true, false]) {
          const given = {
            name,
            permissions: [...clientPermissions],
            note: name,
            createdBy: { ...key.createdBy, name },
          };
          const lines = tileLines(view, { ...key, ...given }, chosen, width, plain);
          expect(new Set(lines.map(widthOf)), lines.join('\n')).toEqual(new Set([width]));
          expect(lines.join('')).not.toContain('\u001b[31m\u202e');
        }
      }
    },
  );

  it('that is not chosen keeps its five lines and counts the chips that do not fit; the chosen one shows them all', () => {
    const permissions = [...clientPermissions];
    const other = tile({ permissions, note: 'of the night shift' }, { chosen: false });
    expect(other.split('\n')).toHaveLength(5);
    expect(other).toContain(
      '[Jobs and Orders view] [Production jobs] [Orders] [Production quality] +17',
    );
    const chosen = tile({ permissions });
    expect(chosen.match(/\[[A-Z][^\]]+\]/g)).toHaveLength(permissions.length);
  });

  it('shows note, allowed addresses and the last address of a key that has them', () => {
    const text = tile({
      note: 'Line 3, ask Bo',
      allowedIps: ['10.0.0.0/8', '2001:db8::/32'],
      lastUsedIp: '10.20.30.4',
    });
    expect(text).toContain('Note Line 3, ask Bo');
    expect(text).toContain('Allowed from 10.0.0.0/8, 2001:db8::/32');
    expect(text).toContain('4 min ago from 10.20.30.4');
    expect(tile({ note: null, allowedIps: [], lastUsedIp: null })).toBe(tile());
  });

  it('paints an expiry within 14 days amber, of active keys only', () => {
    const amber = '\u001b[33m2026-12-0';
    const soon = nowMs + expiresSoonMs;
    expect(tile({ expiresAtMs: soon }, { style: painted })).toContain(amber);
    expect(tile({ expiresAtMs: soon + 1 }, { style: painted })).not.toContain(amber);
    expect(tile({ expiresAtMs: soon, revokedAtMs: nowMs }, { style: painted })).not.toContain(
      amber,
    );
  });

  it('dims labels and the frames of keys that are not chosen', () => {
    expect(tile({}, { style: painted })).toContain('\u001b[2mEntity');
    expect(tile({}, { style: painted, chosen: false })).toContain('\u001b[2m┌─');
    expect(tile({}, { style: painted })).toContain('\u001b[36m┏━');
  });

  it('offers nothing for inactive keys, and strikes out what is not permitted', () => {
    expect(tile({ revokedAtMs: nowMs })).not.toMatch(/Rotate|Revoke\b/);
    expect(tile({ expiresAtMs: nowMs })).not.toMatch(/Rotate|Revoke\b/);
    expect(tile({}, { shown: { ...view, mayRotate: false, mayRevoke: false } })).toContain(
      'Rotate (not permitted)',
    );
  });
});
