import { describe, expect, it } from 'vitest';
import { csvLanguageOf } from '../../src/core/text/spreadsheets.ts';
import type { ApiQuery, Read } from '../../src/page/api/api.ts';
import type { ListedSensor, Point } from '../../src/page/api/models.ts';
import { csvOf } from '../../src/page/plots/curve-texts.ts';
import { toColumns } from '../../src/page/plots/curves.ts';
import { readPoints } from '../../src/page/plots/points.ts';

const sensor: ListedSensor = {
  id: 'SE-1',
  code: 'OVEN-1-T1',
  name: 'Oven 1',
  asset_id: null,
  quantity: null,
  unit: 'Cel',
  is_active: true,
  last_reading_at: null,
  last_value: null,
  last_heartbeat_at: null,
  last_status: null,
  last_battery: null,
};

function at(second: number): string {
  return new Date(second * 1000).toISOString();
}

describe('curves of a plot', () => {
  it('are saved as CSV that begins with at and value, and holds no formula', () => {
    const points: Point[] = [{ at: '2026-11-27T08:00:00Z', value: -1.5, quality: 'bad' }];
    const curves = ['=1+1', 'a,"b"'].map((code) => ({ sensor: { ...sensor, code }, points }));
    const drawn = { curves, bucket: undefined, isIncrease: false, gapsMs: [] };
    expect(csvOf(drawn, csvLanguageOf('en-GB')).split('\r\n')).toEqual([
      'at,value,sensor,quality',
      "2026-11-27T08:00:00Z,-1.5,'=1+1,bad",
      '2026-11-27T08:00:00Z,-1.5,"a,""b""",bad',
      '',
    ]);
    expect(csvOf(drawn, csvLanguageOf('de')).split('\r\n')).toEqual([
      'at;value;sensor;quality',
      "2026-11-27T08:00:00Z;-1,5;'=1+1;bad",
      '2026-11-27T08:00:00Z;-1,5;"a,""b""";bad',
      '',
    ]);
    const buckets = [{ at: '2026-11-27T08:00:00Z', avg: 1.5, min: 1, max: 2, count: 3 }];
    const days = { ...drawn, curves: [{ sensor, points: buckets }], bucket: '1d' };
    expect(csvOf(days, csvLanguageOf('fr'))).toBe(
      'at;value;min;max;count\r\n2026-11-27T08:00:00Z;1,5;1;2;3\r\n',
    );
  });

  it('are saved with the decimal sign of the language', () => {
    const languages = ['en-GB', 'de', 'de-CH', 'fr', 'it-IT', 'ja'];
    const signs = languages.map((language) => csvLanguageOf(language).decimalSign);
    expect(signs).toEqual(['.', ',', '.', ',', ',', '.']);
  });

  it('break where readings are missing', () => {
    const points: Point[] = [
      { at: at(0), value: 1 },
      { at: at(10), value: 2 },
      { at: at(100), value: 3 },
    ];
    const { seconds, columns } = toColumns({
      curves: [{ sensor, points }],
      bucket: undefined,
      isIncrease: false,
      gapsMs: [25_000],
    });

    expect(seconds).toEqual([0, 10, 55, 100]);
    expect(columns[0]?.value).toEqual([1, 2, null, 3]);
  });

  it('of several sensors share one axis, and a time of another sensor breaks no line', () => {
    const first: Point[] = [
      { at: at(0), value: 1 },
      { at: at(20), value: 2 },
    ];
    const second: Point[] = [{ at: at(10), value: 5 }];
    const { seconds, columns } = toColumns({
      curves: [
        { sensor, points: first },
        { sensor: { ...sensor, id: 'SE-2' }, points: second },
      ],
      bucket: undefined,
      isIncrease: false,
      gapsMs: [60_000, 60_000],
    });

    expect(seconds).toEqual([0, 10, 20]);
    expect(columns[0]?.value).toEqual([1, undefined, 2]);
    expect(columns[1]?.value).toEqual([undefined, 5, undefined]);
  });

  it('break in the whole gap, also at the times of another sensor', () => {
    const first: Point[] = [0, 10, 100, 110].map((second) => ({ at: at(second), value: second }));
    const second: Point[] = [5, 30, 60, 90, 105].map((time) => ({ at: at(time), value: 1 }));
    const { seconds, columns } = toColumns({
      curves: [
        { sensor, points: first },
        { sensor: { ...sensor, id: 'SE-2' }, points: second },
      ],
      bucket: undefined,
      isIncrease: false,
      gapsMs: [25_000, 60_000],
    });

    expect(seconds).toEqual([0, 5, 10, 30, 55, 60, 90, 100, 105, 110]);
    expect(columns[0]?.value).toEqual([
      0,
      undefined,
      10,
      null,
      null,
      null,
      null,
      100,
      undefined,
      110,
    ]);
  });

  it('mark readings of bad and of uncertain quality', () => {
    const points: Point[] = [
      { at: at(0), value: 1, quality: 'bad' },
      { at: at(1), value: 2, quality: 'uncertain' },
      { at: at(2), value: 3 },
    ];
    const { columns } = toColumns({
      curves: [{ sensor, points }],
      bucket: undefined,
      isIncrease: false,
      gapsMs: [25_000],
    });

    expect(columns[0]?.bad).toEqual([1, null, null]);
    expect(columns[0]?.uncertain).toEqual([null, 2, null]);
  });
});

describe('points of sensors', () => {
  it('with a comma in their id are read by their own path', async () => {
    const requests: string[] = [];
    const answers = new Map<string, unknown>([
      ['readings A,B', { data: [{ sensor: { id: 'A' }, data: [] }], next_cursor: null }],
      ['sensors/T1%2CT2/readings ', { data: [{ at: at(0), value: 1 }], next_cursor: null }],
    ]);
    const read: Read = async <Body>(path: string, query: ApiQuery = {}) => {
      const request = `${path} ${query.sensor ?? ''}`;
      requests.push(request);
      return answers.get(request) as Body;
    };

    const points = await readPoints(read, ['A', 'T1,T2', 'B'], { bucket: '10m' });
    expect(requests).toEqual([...answers.keys()]);
    expect(points?.get('T1,T2')).toEqual([{ at: at(0), value: 1 }]);
  });
});
