import { describe, expect, it } from 'vitest';
import type { ListedSensor } from '../../src/page/api/models.ts';
import { createRanking, matches, stateOf, tileTitles } from '../../src/page/views/sensors.ts';
import { layOutWall, visibleRows, wallHeight } from '../../src/page/views/wall.ts';

const nowMs = Date.parse('2026-11-27T08:00:00Z');

function sensorWith(changes: Partial<ListedSensor>): ListedSensor {
  return {
    id: 'SE-1',
    code: 'OVEN-1-T1',
    name: 'Oven 1, zone 1',
    asset_id: 'A-1',
    quantity: 'temperature',
    unit: 'Cel',
    is_active: true,
    last_reading_at: '2026-11-27T07:59:00.000000Z',
    last_value: 182.4,
    last_heartbeat_at: null,
    last_status: null,
    last_battery: null,
    ...changes,
  };
}

describe('sensors on the wall', () => {
  it.each([
    [{}, 'ok'],
    [{ last_status: 'fault' }, 'fault'],
    [{ last_status: 'degraded' }, 'degraded'],
    [{ last_reading_at: '2026-11-26T07:00:00Z' }, 'silent'],
    [{ last_reading_at: null }, 'unheard'],
    [{ last_reading_at: null, silent_after: '1m' }, 'unheard'],
    [{ last_reading_at: null, last_heartbeat_at: '2026-11-25T07:59:30Z' }, 'silent'],
    [{ is_active: false, last_status: 'fault' }, 'inactive'],
    [{ silent_after: '59s' }, 'silent'],
    [{ silent_after: '0000059s' }, 'silent'],
    [{ silent_after: '61s' }, 'ok'],
    [{ silent_after: '1m', last_heartbeat_at: '2026-11-27T07:59:30Z' }, 'ok'],
    [{ last_reading_at: '2026-11-01T07:00:00Z', silent_after: '4w' }, 'ok'],
    [{ last_reading_at: '2026-11-28T04:00:00Z' }, 'ok'],
  ] as const)('%j is %s', (changes, state) => {
    expect(stateOf(sensorWith(changes), nowMs)).toBe(state);
  });

  it('stand in the order of urgency, then of codes as people count', () => {
    const sensors = [
      sensorWith({ code: 'T10' }),
      sensorWith({ code: 'T2' }),
      sensorWith({ code: 'T3', last_reading_at: null }),
      sensorWith({ code: 'T4', last_status: 'fault' }),
    ];
    const rank = createRanking();
    const codes = (of: readonly ListedSensor[]) => rank(of, nowMs).map(({ code }) => code);
    expect(codes(sensors)).toEqual(['T4', 'T2', 'T10', 'T3']);
    // A new code has its place as well; a sensor that is well again is no longer ahead.
    const changed = [
      ...sensors.slice(0, 3),
      sensorWith({ code: 'T4' }),
      sensorWith({ code: 'T1' }),
    ];
    expect(codes(changed)).toEqual(['T1', 'T2', 'T4', 'T10', 'T3']);
    expect(codes(changed.slice(0, 2))).toEqual(['T2', 'T10']);
  });

  it('are found by every word of a search', () => {
    expect(matches(sensorWith({}), 'oven ZONE')).toBe(true);
    expect(matches(sensorWith({}), 'oven pressure')).toBe(false);
    expect(matches(sensorWith({}), '')).toBe(true);
    expect(matches(sensorWith({}), 'oven ')).toBe(true);
    expect(matches(sensorWith({}), 'hall', 'Hall 3')).toBe(true);
  });

  it('have titles that are cut where they are alike, not where they differ', () => {
    const place = 'Hall 3, foundry line 2, chamber oven 12, upper zone';
    const sensors = [`${place} left`, `${place} right`, 'Oven 1'].map((name) =>
      sensorWith({ id: name, name }),
    );
    expect([...tileTitles(sensors).values()]).toEqual([
      '…line 2, chamber oven 12, upper zone left',
      '…line 2, chamber oven 12, upper zone right',
      'Oven 1',
    ]);
  });

  it('of 5,000 are laid out in rows, of which the screen shows a few', () => {
    const sensors = Array.from({ length: 5000 }, (_, index) =>
      sensorWith({ id: `SE-${index}`, asset_id: index % 2 === 0 ? 'A-2' : null }),
    );
    const rows = layOutWall(sensors, 1000, new Map([['A-2', 'Oven 2']]));

    expect(rows.flatMap(({ asset }) => asset?.name ?? [])).toEqual(['Oven 2', 'Without an asset']);
    expect(rows.flatMap((row) => row.sensors)).toHaveLength(5000);
    const shown = visibleRows(rows, 40_000, 40_800).flatMap((row) => row.sensors);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.length).toBeLessThan(60);
    expect(wallHeight(rows)).toBe((rows.at(-1)?.top ?? 0) + (rows.at(-1)?.height ?? 0));
  });
});
