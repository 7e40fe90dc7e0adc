import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { unhandledPromises } from './unhandled-promises.ts';

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());

it('every promise of the sources is awaited or handled, also one that only an engine returns', () => {
  const program = ts.createProgram(['src/main.ts', 'src/start.ts'], options);
  const src = join(process.cwd(), 'src/');
  expect(program.getSourceFiles().length).toBeGreaterThan(200);
  expect(unhandledPromises(program, (file) => resolve(file).startsWith(src))).toEqual([]);
});

it('the check sees each way to drop a promise, and none that is handled', () => {
  const text = `
    declare function soon(): Promise<boolean>;
    declare function maybe(): void | Promise<void>;
    declare function maybeRow(): object | undefined | Promise<object | undefined>;
    declare let opened: Promise<boolean> | undefined;
    declare const port: { settle?(): number | Promise<number> };
    soon();
    maybe();
    port.settle?.();
    1 > 0 && soon();
    if (1 > 0) maybe(); else port.settle?.();
    if (soon()) {}
    const no = !soon();
    if (1 > 0 && soon()) {}
    if (maybeRow()) {}
    soon().then(() => {});
    async () => soon();
    const later = soon();
    void soon();
    soon().catch(() => {});
    soon().then(() => {}, () => {});
    soon().catch(() => {}).finally(() => {});
    async function handled() {
      await maybe();
      if (await soon()) {}
      if (opened && 1 > 0) {}
      let set: unknown;
      set = soon();
    }
    function* steps() { yield maybe(); }
  `;
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile;
  host.getSourceFile = (file, ...given) =>
    file === 'example.ts'
      ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)
      : readSource(file, ...given);
  const program = ts.createProgram(['example.ts'], { ...options, types: [] }, host);
  const seen = unhandledPromises(program, (file) => file === 'example.ts');
  expect(seen).toEqual([
    'example.ts:7 soon()',
    'example.ts:8 maybe()',
    'example.ts:9 port.settle?.()',
    'example.ts:10 soon()',
    'example.ts:11 maybe()',
    'example.ts:11 port.settle?.()',
    'example.ts:12 soon()',
    'example.ts:13 soon()',
    'example.ts:14 soon()',
    'example.ts:15 maybeRow()',
    'example.ts:16 soon().then(() => {})',
  ]);
});
