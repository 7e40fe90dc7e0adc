import type { Command } from 'commander';
import { defineCommand } from '../command.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion.ts';
import { requireOneOf } from '../flags.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (program: Command) => string
>;

/** `hkctl completion` */
export const completion = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  readOnly: true,
  arguments: [{ spelling: '<SHELL>', doc: 'bash, zsh or fish' }],
  flags: {},
  examples: [
    ['hkctl completion bash > /etc/bash_completion.d/hkctl', 'for all accounts'],
    ['source <(hkctl completion bash)', 'for this shell'],
    ['hkctl completion zsh > ~/.zsh/completions/_hkctl', 'zsh'],
    ['hkctl completion fish > ~/.config/fish/completions/hkctl.fish', 'fish'],
  ],
  async run(context, _flags, [shell = '']) {
    const wanted = requireOneOf(shell, Object.keys(shells) as (keyof typeof shells)[]); // the keys of that very object
    const script = shells[wanted](await context.program());
    if (context.json) context.printJson({ shell: wanted, script });
    else context.printDocument(script);
  },
});
