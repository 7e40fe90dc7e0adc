import { setEntityStatus, workingKeysOfEntity } from '../../../core/organization/entities.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { requireConfirmation } from '../../questions/confirmation.ts';
import { entityJson } from '../../terminal/output.ts';
import { stopped, stopping } from '../keys/names.ts';
import { codeArgument } from './code-argument.ts';

/** `hkctl entities deactivate` */
export const deactivate = defineCommand({
  name: 'deactivate',
  summary: 'Stop the keys of an entity, until it is activated again',
  arguments: codeArgument,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities deactivate CHI', 'names the keys that stop, and asks'],
    ['hkctl entities deactivate CHI --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [code = '']) => ({ permissions: ['entities.manage'], action: 'entity.deactivate', target: code }),
  async run(context, { yes }, [code = '']) {
    const { domain, actor } = await context.session();
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Deactivate entity ${code}? ${stopping(keys)}`;
    await requireConfirmation(context, yes, question, 'Deactivate');
    const entity = await setEntityStatus(domain, actor, code, 'inactive');
    if (context.json) context.printJson(entityJson(entity));
    else context.confirm(`Entity deactivated: ${entity.name} (${entity.code}). ${stopped(keys)}`);
  },
});
