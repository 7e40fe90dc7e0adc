import { removeEntity, workingKeysOfEntity } from '../../../core/organization/entities.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { requireTyped } from '../../questions/confirmation.ts';
import { entityJson } from '../../terminal/output.ts';
import { stopped, stopping } from '../keys/names.ts';
import { codeArgument } from './code-argument.ts';

/** `hkctl entities remove` */
export const remove = defineCommand({
  name: 'remove',
  summary: 'Remove an entity with its records, sensors and readings',
  description: 'Its keys stay listed, without an entity, and are refused (403).',
  arguments: codeArgument,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities remove CHI', 'names the keys that stop; the code must be typed'],
    ['hkctl entities remove CHI --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [code = '']) => ({ permissions: ['entities.manage'], action: 'entity.remove', target: code }),
  async run(context, { yes }, [code = '']) {
    const { domain, actor } = await context.session();
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Remove entity ${code} with all its records, sensors and readings, for good? ${stopping(keys)}`;
    await requireTyped(context, yes, question, code);
    const entity = await removeEntity(domain, actor, code);
    if (context.json) context.printJson(entityJson(entity));
    else context.confirm(`Entity removed: ${entity.name} (${entity.code}). ${stopped(keys)}`);
  },
});
