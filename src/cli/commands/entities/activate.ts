import { setEntityStatus, workingKeysOfEntity } from '../../../core/organization/entities.ts';
import { defineCommand } from '../../command.ts';
import { entityJson } from '../../terminal/output.ts';
import { resumed } from '../keys/names.ts';
import { codeArgument } from './code-argument.ts';

/** `hkctl entities activate` */
export const activate = defineCommand({
  name: 'activate',
  summary: 'Let the keys of an entity work again',
  arguments: codeArgument,
  flags: {},
  examples: [['hkctl entities activate CHI', 'its active keys work from the next request on']],
  needs: (_flags, [code = '']) => ({ permissions: ['entities.manage'], action: 'entity.activate', target: code }),
  async run(context, _flags, [code = '']) {
    const { domain, actor } = await context.session();
    const before = await workingKeysOfEntity(domain, actor, code);
    const entity = await setEntityStatus(domain, actor, code, 'active');
    if (context.json) context.printJson(entityJson(entity));
    else {
      const keys = await workingKeysOfEntity(domain, actor, code);
      context.confirm(`Entity activated: ${entity.name} (${entity.code}). ${resumed(before, keys)}`);
    }
  },
});
