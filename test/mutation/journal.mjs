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
  [lines, "if (word === 'revoked') keys.set(third, atMs);", "if (word !== 'revoked') keys.set(third, atMs);", ...tests],
  [lines, 'else keys.delete(third);', 'else keys.clear();', ...tests],
  [lines, 'else if (events.at(-1)?.event === last.event) events.pop();', 'else events.length = 0;', ...tests],
  [lines, 'if (!isWithdrawn) events.push(last);', 'if (last.atMs > 0) events.push(last);', ...tests],
  [lines, 'events.slice(-1)', 'events.slice(0, 1)', ...tests],
  [lines, "} else if (line !== '') torn++;", '}', ...tests],
  [lines, "name.replace(/[^!-~]/g, '?') || '?'", 'name', ...tests],
  [written, 'const isTorn = before > 0 &&', 'const isTorn = before < 0 &&', ...tests],
  [written, 'if (starts.length > 0) recordStarts', 'if (starts.length > 9) recordStarts', ...tests],
  [written, 'if (stillHold()) appendLines', 'appendLines', ...tests],
  [written, '          appendLines(journal, lines);\n', '', ...tests],
  [written, '      appendLines(journal, withdrawal);\n', '', ...tests],
  [stops, 'journal.keys.get(id) ?? keys.get(id)?.revokedAtMs', 'journal.keys.get(id)', ...tests],
  [stops, 'journal.keys.get(id) ?? keys.get(id)?.revokedAtMs', 'keys.get(id)?.revokedAtMs', ...tests],
  [stops, 'last?.event === event ? last.atMs : holds ? nowMs : undefined', 'holds ? nowMs : undefined', ...tests],
  [
    stops,
    'last?.event === event ? last.atMs : holds ? nowMs : undefined',
    'last?.event === event ? last.atMs : undefined',
    ...tests,
  ],
  [stops, 'lowest(role, now?.role, change?.event)', 'lowest(role, now?.role)', ...tests],
  [stops, 'lowest(role, now?.role, change?.event)', 'lowest(role, change?.event)', ...tests],
  [
    stops,
    "now === undefined ? since(last, 'removed', present.isContinued) : undefined",
    "since(last, 'removed', present.isContinued)",
    ...tests,
  ],
  [stops, "'removed', present.isContinued)", "'removed', false)", ...tests],
  [stops, '  requireLeaders(backup, kept);\n', '', ...tests],
  [stops, "if (what === 'removed_entity') removed.set", "if (what === 'revoked_key') removed.set", ...tests],
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
