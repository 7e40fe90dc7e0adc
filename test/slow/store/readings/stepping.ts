import { readFileSync, writeSync } from 'node:fs';
import { Process, type Step } from '../../../store/sqlite/readings/model/process.ts';

/** A process that does steps from a file one after the other and writes a line with the result of each, until it is killed. */
const [, , database = '', steps = ''] = process.argv;
// Each commit is synced, and nearly each one moves pages from the log to the file.
const stepping = new Process(database, 'pragma synchronous = full; pragma wal_autocheckpoint = 8');
for (const step of JSON.parse(readFileSync(steps, 'utf8')) as Step[])
  writeSync(1, `${JSON.stringify(stepping.perform(step))}\n`);
