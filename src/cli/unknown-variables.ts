import { nearest, nearestSafely } from '../core/text/words.ts';
import { type Flags, globalFlags } from './command/flags.ts';
import { nouns } from './nouns.ts';

/** Set by hkctl for the commands of `--deliver` and `--exec`, which may call hkctl. */
const ownVariables = ['HKCTL_KEY_NAME', 'HKCTL_KEY_PREFIX'];

/** Kubernetes and Docker set such variables next to a Service or a container named hkctl. */
const serviceLink = /^HKCTL_(?:SERVICE_(?:HOST|PORT)|PORT_\d)/;

/**
 * Warnings about variables `HKCTL_…` that no flag of any command has, each with the nearest one: a misspelt limit would leave the
 * default in force. An empty variable counts as unset.
 */
export async function unknownVariableWarnings(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const usualVariables = [...ownVariables, ...variablesOf(globalFlags), ...variablesOf(flags)];
  const unusualVariables = Object.keys(env).filter(
    (variable) =>
      variable.startsWith(prefix) &&
      env[variable] !== '' &&
      !serviceLink.test(variable) &&
      !usualVariables.includes(variable),
  );
  if (unusualVariables.length === 0) return [];

  const knownVariables = [...usualVariables, ...(await variablesOfAllCommands())];
  const unknownVariables = unusualVariables.filter(
    (variable) => !knownVariables.includes(variable),
  );
  return unknownVariables.map((variable) => {
    const meant = meantVariable(variable, knownVariables);
    const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return `warning: ${variable} is ignored: no flag has this variable.${suggestion}`;
  });
}

const prefix = 'HKCTL_';

/** The variable with the nearest spelling; its prefix, which all have, would make different words look alike. */
function meantVariable(variable: string, knownVariables: readonly string[]): string | undefined {
  const nameOf = (text: string) => text.slice(prefix.length).toLowerCase();
  const knownNames = knownVariables.map(nameOf);
  const typedName = nameOf(variable);
  const meantName = nearestSafely(typedName, knownNames, []) ?? nearest(typedName, knownNames);
  return knownVariables.find((known) => nameOf(known) === meantName);
}

async function variablesOfAllCommands(): Promise<string[]> {
  const loadedNouns = await Promise.all(nouns.map(({ load }) => load()));
  const commands = loadedNouns.flatMap((noun) =>
    'run' in noun ? [noun] : [...noun.verbs, ...(noun.bare ? [noun.bare] : [])],
  );
  return commands.flatMap(({ flags }) => variablesOf(flags));
}

function variablesOf(flags: Flags): string[] {
  return Object.values(flags).flatMap(({ env }) => env);
}
