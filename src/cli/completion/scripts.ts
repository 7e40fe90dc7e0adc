import bash from './hkctl.bash?raw';
import fish from './hkctl.fish?raw';
import zsh from './hkctl.zsh?raw';

/**
 * The completion scripts. Each calls `hkctl completion SHELL -- WORD...` with the words of the line, and shows the answer:
 * one candidate a line with its description behind a tab, or `:files` where a file is asked for.
 */
export const completionScripts = { bash: bash.trimEnd(), zsh: zsh.trimEnd(), fish: fish.trimEnd() };

/** A shell that has a completion script. */
export type Shell = keyof typeof completionScripts;
