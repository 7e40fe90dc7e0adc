import type { ChildProcess } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startProgram } from '../../../run-program.ts';
import { emptyDatabase, Model, step } from '../../../store/sqlite/readings/model/model.ts';
import { Process, type Step } from '../../../store/sqlite/readings/model/process.ts';
import { buildStepper, modelOf } from './stepper.ts';

const kills = 80;

it('a process that is killed at any instant loses nothing that it reported, doubles nothing, and leaves no half of a step', async () => {
  const { folder, empty } = emptyDatabase();
  const program = await buildStepper();
  const database = join(folder, 'killed.db');
  copyFileSync(empty, database);
  let model = new Model();
  let inTheMiddle = 0;
  for (let kill = 0; kill < kills; kill++) {
    // As they arrive in the other process: JSON has no -0.
    const steps: Step[] = JSON.parse(JSON.stringify(fc.sample(step, { seed: kill, numRuns: 400 })));
    writeFileSync(join(folder, 'steps.json'), JSON.stringify(steps));
    const results = await killedAfter(
      program,
      [database, join(folder, 'steps.json')],
      (kill * 7) % 60,
    );
    for (const [i, result] of results.entries()) model.apply(steps[i] as Step, JSON.parse(result)); // fewer than steps
    const reader = new Process(database, '');
    model = modelOf(reader, model, steps[results.length]);
    if (results.length > 0 && results.length < steps.length) inTheMiddle++;
    reader.close();
  }
  expect(inTheMiddle).toBeGreaterThan(kills / 2);
}, 600_000);

/** Starts the program and kills it so many ms after its first line; its whole lines. */
function killedAfter(program: string, args: readonly string[], ms: number): Promise<string[]> {
  const child: ChildProcess = startProgram(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (part) => {
      if (text === '') setTimeout(() => child.kill('SIGKILL'), ms);
      text += part;
    });
    child.on('error', reject);
    child.on('close', () => resolve(text.split('\n').slice(0, -1)));
  });
}
