const lines = 'src/store/engine/journal-lines.ts';
const written = 'src/store/sqlite/registry/journal.ts';
const stops = 'src/store/archive/stops.ts';
const present = 'src/store/archive/stops.ts';
const restoring = 'src/store/archive/restoring.ts';
const restoration = 'src/store/sqlite/restore/restoration.ts';
const prepared = 'src/store/sqlite/restore/databases.ts';
const backups = 'test/cli/commands/backups';
const tests = [
  'test/store/sqlite/registry/journal.test.ts',
  `${backups}/stops-sources.test.ts`,
  `${backups}/restore-stops.test.ts`,
  'test/endurance/cli/commands/backups/restore.test.ts',
];

/** Mutants of the journal of what was stopped, and of what a restore keeps stopped. */
export const journalMutants = [
  [lines, "word === 'withdrawn' ? 'revoked' : word", 'word', ...tests],
  [lines, 'else if (last?.event === event) of.delete(id);', 'else of.clear();', ...tests],
  [lines, 'else if (last?.event === event && last.before) of.set(id, last.before);', '', ...tests],
  [lines, 'if (event === word) of.set', 'if (event !== "") of.set', ...tests],
  [lines, 'if (event === word) of.set', 'if (event === word && !last) of.set', ...tests],
  [lines, "if (id === '' && line !== '') torn++;", '', ...tests],
  [lines, "name.replace(/[^!-~]/g, '?') || '?'", 'name', ...tests],
  [written, 'const isTorn = before > 0 &&', 'const isTorn = before < 0 &&', ...tests],
  [written, 'if (starts.length === 0) return', 'if (starts.length < 9) return', ...tests],
  [written, 'if (stillHold()) appendLines', 'appendLines', ...tests],
  [written, '          appendLines(journal, linesOf(entries));\n', '', ...tests],
  [written, '      appendLines(journal, linesOf(stops, true));\n', '', ...tests],
  [stops, 'last?.event === event ? last.atMs : holds', 'holds', ...tests],
  [stops, 'holds ? (now?.revokedAtMs ?? nowMs) : undefined', 'undefined', ...tests],
  [stops, 'lowest(role, now?.role, roleOf(change))', 'lowest(role, now?.role)', ...tests],
  [stops, 'lowest(role, now?.role, roleOf(change))', 'lowest(role, roleOf(change))', ...tests],
  [stops, "of === 'entity' && !now ?", "of === 'entity' ?", ...tests],
  [stops, "'removed', present.isContinued)", "'removed', false)", ...tests],
  [stops, '  requireLeaders(backup, kept);\n', '', ...tests],
  [stops, "({ what }) => what === 'removed_entity'", "({ what }) => what === 'revoked_key'", ...tests],
  [stops, 'withRole?.has(id) !== false', 'withRole === undefined', ...tests],
  [present, 'end !== undefined && ', 'end === undefined || true || ', ...tests],
  [
    restoration,
    'await purgeKept(path, options, await replaceBy(replacement, path, options));',
    'await replaceBy(replacement, path, options);',
    ...tests,
  ],
  [restoration, "if (thrown.code === 'store_corrupt') requireRestOfStore(path);", '', ...tests],
  [restoring, 'if (!isReadable) await hooks.authorize(store);', '', ...tests],
  [restoration, 'if (clock) await', 'if (clock && clock.seenMs < 0) await', ...tests],
  [prepared, "['marks', 'daemons',", "['marks',", ...tests],
];
