import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import type { Plant } from '../../e2e/plant.ts';
import { cli, type Running } from '../../e2e/program.ts';
import type { Outcome } from '../../run-program.ts';

/** The programs that the examples call, as people have them: `hkctl`, and an ssh to machines that are folders. */
const programs = {
  hkctl: `exec '${process.execPath}' '${cli}' "$@"`,
  // Like ssh it joins what follows the host by blanks and gives it to a shell there.
  ssh: `while [ "$1" = -o ]; do shift 2; done
test "$1" != away || exit 255
cd "$MACHINES/\${1#*@}" || exit 255
shift
# A connection that breaks: what was sent before arrives, and then the end of input.
if [ -e cut ]; then head -c 20 | sh -c "$*"; exit 255; fi
exec sh -c "$*"`,
  sudo: 'exec "$@"',
  systemctl: 'echo "$*" >> restarts',
};

/** Runs command lines of examples beside the store of a plant. */
export interface ExampleShell {
  /** The folder of a machine that ssh leads to. */
  machine(name: string): string;
  start(program: string, args: readonly string[], env?: Record<string, string>): Running;
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
}

export function createExampleShell(plant: Plant): ExampleShell {
  const folder = plant.path('programs');
  mkdirSync(folder);

  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(`${folder}/${name}`, `#!/bin/sh\n${text}\n`);
    chmodSync(`${folder}/${name}`, 0o755);
  }

  const machine = (name: string) => plant.path(`machines/${name}`);
  const shared = { PATH: `${folder}:${process.env.PATH}`, MACHINES: plant.path('machines') };
  const start: ExampleShell['start'] = (program, args, env = {}) => {
    const running = plant.attach(program, args, { ...shared, ...env });
    running.child.stdin?.end();
    return running;
  };
  return {
    machine(name) {
      mkdirSync(machine(name), { recursive: true });
      return machine(name);
    },
    start,
    run: (...command) => start(...command).ended,
  };
}
