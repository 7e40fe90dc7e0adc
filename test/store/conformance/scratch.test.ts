import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, describe } from 'vitest';
import { createPostgresEngine } from '../../../src/store/postgres/engine.ts';
import { nowMs, plantIn } from '../stores.ts';
import { readingConformance } from './readings.ts';
import { recordConformance } from './records.ts';

const admin = new Client({ host: '/tmp/pgd/run', user: 'postgres', database: 'postgres' });
let connected: Promise<unknown> | undefined;
const open: (() => Promise<void>)[] = [];
let n = 0;
const given = async () => {
  connected ??= (async () => {
    await admin.connect();
    await admin.query('drop database if exists tpl');
    await admin.query('create database tpl');
    const store = await createPostgresEngine('postgres://postgres@/tpl?host=/tmp/pgd/run', {
      clock: () => nowMs,
      migrationsFolder: join(process.cwd(), 'migrations'),
      writerThread: undefined,
    }).create();
    await store.close();
  })();
  await connected;
  const name = `scratch${n++}`;
  await admin.query(`drop database if exists ${name}`);
  await admin.query(`create database ${name} template tpl strategy file_copy`);
  const store = await createPostgresEngine(`postgres://postgres@/${name}?host=/tmp/pgd/run`, {
    clock: () => nowMs,
    migrationsFolder: join(process.cwd(), 'migrations'),
    writerThread: undefined,
  }).open();
  open.push(async () => store.close());
  return { store, plant: await plantIn(store) };
};
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => admin.end());
describe('records', () => recordConformance(given));
describe('readings', () => readingConformance(given));
