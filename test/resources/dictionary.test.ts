import { expect, it } from 'vitest';
import { allFields, defineResource } from '../../src/core/fields.ts';
import { dataDictionary } from '../../src/resources/dictionary.ts';
import { resources } from '../../src/resources/index.ts';

it('has a section for every resource and a line for every field', () => {
  const text = dataDictionary(resources);
  for (const resource of resources) {
    const section = text.slice(text.indexOf(`\`/${resource.name}\`\n`)).split('\n#### ')[0] ?? '';
    for (const permission of resource.permissions) expect(section).toContain(permission);
    for (const [name, field] of Object.entries(allFields(resource))) {
      const line = section.split('\n').find((found) => found.startsWith(`| \`${name}\``));
      expect(line, `${resource.name}.${name}`).toContain(field.doc);
    }
  }
});

it('writes lines that are tables in Markdown', () => {
  const odd = defineResource({
    name: 'odd-things',
    title: 'Odd things',
    singular: 'odd thing',
    summary: 'Odd.',
    idExample: 'X-1001',
    permissions: ['parts.view'],
    fields: {
      a_or_b: { kind: 'text', maxLength: 5, required: true, doc: 'Left | right.', example: 'x' },
      share: { kind: 'decimal', min: 0, max: 1, unit: '%', doc: 'Share.', example: 0.5 },
      tags: { kind: 'list', doc: 'Tags.', example: ['a'] },
    },
  });
  const lines = dataDictionary([odd]).split('\n');
  expect(lines).toContain('| `a_or_b` * | text, up to 5 | Left \\| right. |');
  expect(lines).toContain('| `share` | decimal, 0 to 1 | Share. (in percent) |');
  expect(lines).toContain('| `tags` | list of texts | Tags. |');
  for (const line of lines.filter((found) => found.startsWith('|'))) {
    expect(line.replaceAll('\\|', '').split('|')).toHaveLength(5);
  }
});
