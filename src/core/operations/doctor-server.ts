import { type Check, type Finding, ok, type ServerInspection, warning } from './inspection.ts';

export function checksOfServer(facts: ServerInspection): Check[] {
  const mebibytes = (facts.databaseBytes / 2 ** 20).toFixed(1);
  return [
    {
      name: 'server',
      ...ok(`${facts.version}; the database takes ${mebibytes} MiB.`),
    },
    { name: 'durability', ...findingOfDurability(facts) },
    { name: 'rights', ...findingOfRights(facts) },
    { name: 'bloat', ...findingOfBloat(facts) },
    { name: 'clocks', ...findingOfSkew(facts.skewMs) },
  ];
}

function findingOfDurability(facts: ServerInspection): Finding {
  const { syncs, synchronousCommit, synchronousStandbys, following, synchronous, unseen } = facts;
  if (!syncs) {
    const hint =
      'Set fsync = on in postgresql.conf: without it a power failure can destroy the whole database.';
    return warning('An answered commit can be lost: fsync is off.', hint);
  }
  if (synchronousCommit === 'off' || synchronousCommit === 'local') {
    const hint = 'Set synchronous_commit = on for the log-in of hkctl.';
    return warning(
      `An answered commit can be lost: synchronous_commit is ${synchronousCommit}.`,
      hint,
    );
  }
  // Only members of pg_monitor see the state of standbys.
  if (unseen === 0 && following > 0 && synchronous === 0) {
    const hint =
      'Name a standby in synchronous_standby_names, so that a failover loses nothing, or accept that it may.';
    return warning(
      'An answered commit can be lost at a failover: every standby is asynchronous.',
      hint,
    );
  }
  const durablePlace =
    synchronousStandbys === '' ? 'on its disk' : 'on its disk and on a synchronous standby';
  return ok(`A commit is answered once it is ${durablePlace}.`);
}

function findingOfRights({ isSuperuser, canChangeAudit }: ServerInspection): Finding {
  const hint =
    'Run the daemon and the commands under log-ins of their own: hkctl postgres-roles prints the SQL.';
  if (isSuperuser) {
    return warning(
      'The log-in is a superuser of the server, who can change anything unseen.',
      hint,
    );
  }
  if (canChangeAudit) return warning('The log-in can change and remove audit records.', hint);
  return ok('The log-in can read and add audit records, and not change them.');
}

/** Below this number of rows the space does not matter. */
const fewRowsLimit = 1_000_000;

function findingOfBloat({ dead, live }: ServerInspection): Finding {
  if (dead < fewRowsLimit || dead < live / 2) {
    return ok('The tables of readings have little dead space.');
  }
  const hint = 'Run: VACUUM (ANALYZE) readings; and check that autovacuum is on.';
  return warning(
    `${dead} removed rows of readings still take space, in addition to ${live} existing ones.`,
    hint,
  );
}

/** A difference up to this is harmless: keys expire by the clock of the database alone. */
const toleratedMs = 10_000;

function findingOfSkew(skewMs: number): Finding {
  const seconds = Math.abs(skewMs / 1000).toFixed(1);
  if (Math.abs(skewMs) <= toleratedMs) {
    return ok('The clocks of this machine and of the database agree.');
  }
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  const hint = 'Let a time service set both. Keys expire by the clock of the database.';
  return warning(`The clock of the database is ${seconds} s ${direction} this machine's.`, hint);
}
