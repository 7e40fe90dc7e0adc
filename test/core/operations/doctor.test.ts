import { describe, expect, it } from 'vitest';
import {
  findingOfClock,
  findingOfDamage,
  findingOfFiles,
  findingOfJournal,
  findingOfReferences,
  findingOfRetention,
  findingOfSpace,
  findingOfTimezones,
  findingOfVersions,
} from '../../../src/core/operations/doctor-store.ts';
import type { FileFacts } from '../../../src/core/operations/inspection.ts';

const folder: FileFacts = { path: '/plant', kind: 'folder', mode: 0o700, ownerId: 7 };
const file: FileFacts = { path: '/plant/a b.db', kind: 'file', mode: 0o600, ownerId: 7 };
const seenMs = Date.UTC(2026, 10, 20, 8);

describe('the doctor', () => {
  it('checks modes and owners, and names the command that corrects them', () => {
    expect(findingOfFiles([folder, file]).status).toBe('ok');
    for (const mode of [0o640, 0o604, 0o660, 0o601]) {
      const found = findingOfFiles([folder, { ...file, mode }]);
      expect(found).toMatchObject({
        status: 'problem',
        code: 'state_forbids',
        hint: "Run: chmod 600 '/plant/a b.db'",
      });
    }
    expect(findingOfFiles([{ ...folder, mode: 0o770 }, file])).toMatchObject({
      status: 'problem',
      hint: 'Run: chmod 700 /plant',
    });
    // Others can list such a folder, but open no file in it.
    expect(findingOfFiles([{ ...folder, mode: 0o755 }, file]).status).toBe('warning');
    expect(findingOfFiles([folder, { ...file, ownerId: 0 }])).toMatchObject({
      status: 'warning',
      hint: "Run as root: chown 7 '/plant/a b.db'",
    });
  });

  it('reports a clock that is more than a minute behind as a problem', () => {
    const at = (ms: number) => [ms, { ms, latestMs: ms, isSteady: true }] as const;
    expect(findingOfClock(0, ...at(seenMs)).status).toBe('ok');
    expect(findingOfClock(seenMs, ...at(seenMs - 60_000)).status).toBe('ok');
    const found = findingOfClock(seenMs, ...at(seenMs - 60_001));
    expect(found).toMatchObject({ status: 'problem', code: 'state_forbids' });
    expect(found.hint).toContain('hkctl doctor --accept-clock');
  });

  it('warns of a clock that was set ahead, until it has been steady', () => {
    const steady = { ms: seenMs, latestMs: seenMs, isSteady: false };
    expect(findingOfClock(seenMs, seenMs + 60_000, steady).status).toBe('ok');
    expect(findingOfClock(seenMs, seenMs + 60_001, steady)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('if it had not been set'),
    });
    expect(findingOfClock(seenMs, seenMs, steady).detail).toContain('no readings are dropped');
  });

  it('warns where readings of the last day were dropped, and explains older ones', () => {
    const retainedFromUs = (seenMs - 400 * 86_400_000) * 1000;
    const found = (summarisedMs: number | null) =>
      findingOfRetention(
        [{ code: 'BER', summarisedUs: summarisedMs && summarisedMs * 1000, retainedFromUs }],
        seenMs,
      );
    expect(found(null)).toEqual(found(seenMs - 401 * 86_400_000));
    expect(found(null).status).toBe('ok');
    expect(found(seenMs - 30 * 86_400_000)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('BER'),
    });
    expect(found(seenMs - 3_600_000)).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('ahead'),
    });
  });

  it('names revoked keys of the own organization that still work, and counts those of others', () => {
    const journal = { isThere: true, revoked: 3, alive: [], torn: 0 };
    expect(findingOfJournal({ ...journal, isThere: false, revoked: 0 }, []).status).toBe('ok');
    expect(findingOfJournal(journal, []).status).toBe('ok');
    expect(findingOfJournal({ ...journal, torn: 1 }, []).status).toBe('warning');
    const found = findingOfJournal({ ...journal, alive: ['1', '2'] }, ['hk_abcde']);
    expect(found).toMatchObject({
      status: 'problem',
      hint: 'Run: hkctl keys revoke hk_abcde --yes',
    });
    expect(found.detail).toContain('hk_abcde, 1 of other organizations');
    expect(findingOfJournal({ ...journal, alive: ['2'] }, []).hint).not.toContain('keys revoke');
  });

  it('warns below 1 GiB and below 5 %', () => {
    const gib = 2 ** 30;
    expect(findingOfSpace({ freeBytes: gib, totalBytes: 20 * gib, hasReserve: true }).status).toBe(
      'ok',
    );
    expect(findingOfSpace({ freeBytes: gib - 1, totalBytes: gib, hasReserve: true }).status).toBe(
      'warning',
    );
    expect(
      findingOfSpace({ freeBytes: 4 * gib, totalBytes: 100 * gib, hasReserve: true }).status,
    ).toBe('warning');
    const used = findingOfSpace({ freeBytes: 0, totalBytes: gib, hasReserve: false });
    expect(used.detail).toContain('The reserve for revocations is in use.');
  });

  it('reports damage of a store with the errors of exit code 6', () => {
    expect(findingOfDamage([]).status).toBe('ok');
    expect(findingOfDamage(['page 3 is never used'])).toMatchObject({
      status: 'problem',
      code: 'store_corrupt',
    });
    expect(findingOfReferences([]).status).toBe('ok');
    expect(findingOfReferences([{ table: 'keys', rows: 2 }])).toMatchObject({
      status: 'problem',
      code: 'store_corrupt',
    });
    const versions = (version: number) =>
      findingOfVersions([{ database: 'records', version, wanted: 2 }]);
    expect(versions(2).status).toBe('ok');
    expect(versions(1)).toMatchObject({
      code: 'store_too_old',
      hint: expect.stringContaining('hkctl migrate'),
    });
    expect(versions(3)).toMatchObject({ code: 'store_too_new' });
  });

  it('warns of entities whose time zone this Node does not know', () => {
    const berlin = { code: 'BER', timezone: 'Europe/Berlin' };
    expect(findingOfTimezones([berlin]).status).toBe('ok');
    const strange = Array.from({ length: 7 }, (_, n) => ({
      code: `M${n}`,
      timezone: 'Mars/Olympus_Mons',
    }));
    const found = findingOfTimezones([berlin, ...strange]);
    expect(found.status).toBe('warning');
    expect(found.detail).toContain('M0 ("Mars/Olympus_Mons"); M1');
    expect(found.detail).toContain('M4 ("Mars/Olympus_Mons"); and 2 more.');
  });
});
