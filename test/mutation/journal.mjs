const lines = 'src/store/engine/journal-lines.ts';
const written = 'src/store/sqlite/registry/journal.ts';
const stops = 'src/store/archive/stops.ts';
const added = 'src/store/archive/journal.ts';
const present = 'src/store/archive/states.ts';
const restoring = 'src/store/archive/restoring.ts';
const restoration = 'src/store/sqlite/restore/restoration.ts';
const prepared = 'src/store/sqlite/restore/restore.ts';
const backups = 'test/cli/commands/backups';
const tests = [
  'test/store/sqlite/registry/journal.test.ts',
  `${backups}/stops-sources.test.ts`,
  `${backups}/restore-stops.test.ts`,
  'test/endurance/cli/commands/backups/restore.test.ts',
];

/** Mutants of the journal of what was stopped, and of what a restore keeps stopped. */
export const journalMutants = [
  [lines, "if (word === 'revoked') keys.set(third, atMs);", "if (word !== 'revoked') keys.set(third, atMs);", ...tests],
  [lines, 'else keys.delete(third);', 'else keys.clear();', ...tests],
  [lines, 'else if (events.at(-1)?.event === event) events.pop();', 'else events.length = 0;', ...tests],
  [lines, 'if (!isWithdrawn) events.push({ event, atMs });', 'if (atMs > 0) events.push({ event, atMs });', ...tests],
  [lines, 'const event = events.at(-1);', 'const event = events[0];', ...tests],
  [lines, "} else if (line !== '') torn++;", '}', ...tests],
  [lines, "return name.replace(/[^!-~]/g, '?') || '?';", 'return name;', ...tests],
  [written, 'const isTorn = before > 0 &&', 'const isTorn = before < 0 &&', ...tests],
  [written, 'if (starts.length > 0) recordStarts', 'if (starts.length > 9) recordStarts', ...tests],
  [written, 'if (stillHold()) appendLines', 'appendLines', ...tests],
  [written, '          appendLines(journal, lines);\n', '', ...tests],
  [written, '      appendLines(journal, withdrawal);\n', '', ...tests],
  [stops, 'if (revokedAtMs !== null) revoked.set(id, revokedAtMs);', '', ...tests],
  [stops, 'for (const [id, atMs] of journal.keys) revoked.set(id, atMs);', '', ...tests],
  [stops, "atMs !== undefined || now?.status === 'inactive'", 'atMs !== undefined', ...tests],
  [stops, "atMs !== undefined || now?.status === 'inactive'", "now?.status === 'inactive'", ...tests],
  [stops, 'lowest(user.role, now?.role, change?.event)', 'lowest(user.role, now?.role)', ...tests],
  [stops, 'lowest(user.role, now?.role, change?.event)', 'lowest(user.role, change?.event)', ...tests],
  [stops, "if (now === undefined && (event?.event === 'removed'", "if ((event?.event === 'removed'", ...tests],
  [stops, "(event?.event === 'removed' || present.isContinued)", "event?.event === 'removed'", ...tests],
  [stops, "(event?.event === 'removed' || present.isContinued)", 'present.isContinued', ...tests],
  [stops, "(atMs === undefined && now !== 'inactive')", 'atMs === undefined', ...tests],
  [stops, "(atMs === undefined && now !== 'inactive')", "now !== 'inactive'", ...tests],
  [stops, 'if (left.length > 0) throw nobodyLeft(left, kept);', '', ...tests],
  [added, "if (what === 'removed_entity') lines.set", "if (what === 'revoked_key') lines.set", ...tests],
  [added, 'withRole?.has(id) !== false', 'withRole === undefined', ...tests],
  [present, 'end !== undefined && ', 'end === undefined || true || ', ...tests],
  [restoration, 'await purgeKept(path, options, kept);', '', ...tests],
  [restoration, "if (thrown.code === 'store_corrupt') requireRestOfStore(path);", '', ...tests],
  [restoring, 'if (!isReadable) await hooks.authorize(store);', '', ...tests],
  [restoration, 'if (clock) await', 'if (clock && clock.seenMs < 0) await', ...tests],
  [prepared, "['marks', 'daemons',", "['marks',", ...tests],
];
