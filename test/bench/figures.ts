import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchReport, keepsBound } from './harness.ts';

/** Replaces the last figures of a report in `test/bench/README.md`, with the commit that they are from. */
export function writeDown(benchmark: string, { title, baseline, rows }: BenchReport): void {
  if (rows.length === 0) return;
  const file = join(process.cwd(), 'test/bench/README.md');
  const text = readFileSync(file, 'utf8');
  const head = `### \`${benchmark}\`: ${title}`;
  const lines = rows.map((row) => {
    const kept = keepsBound(row);
    const cells = [row.name, row.ours, row.baseline, row.ratio?.toFixed(2) ?? '', row.bound ?? ''];
    return [...cells, kept === undefined ? '' : kept ? 'kept' : 'MISSED'];
  });
  const table = [['', 'hkctl', baseline, 'ratio', 'bound', ''], Array(6).fill('---'), ...lines];
  const section = `${head}\n\n${commit()}.\n\n${table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}\n`;
  const from = text.indexOf(`${head}\n`);
  const next = text.indexOf('\n### ', from + 1);
  const to = next === -1 ? text.length : next + 1;
  const before = from === -1 ? `${text.trimEnd()}\n\n` : text.slice(0, from);
  const after = from === -1 ? '' : text.slice(to);
  writeFileSync(file, `${`${before}${section}${after}`.trimEnd()}\n`);
}

/** The commit that was measured, its day, and the Node. */
function commit(): string {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
  const changed = git('status', '--porcelain', '--', 'src') === '' ? '' : ' with changes';
  return `Commit ${git('log', '-1', '--format=%h of %cs')}${changed}, Node ${process.versions.node}`;
}
