import { expect, it } from 'vitest';
import { allFields, defineResource } from '../../src/core/fields/fields.ts';
import { resources } from '../../src/resources/index.ts';
import { resourcesPage } from './resources-page.ts';

it('has a section for every resource and an item for every field', () => {
  const sections = resourcesPage(resources).split('\n.Ss ').slice(1);
  expect(sections).toHaveLength(resources.length);
  for (const [index, resource] of resources.entries()) {
    const section = sections[index] ?? '';
    expect(section.split('\n')[0]).toBe(`/${resource.name}`);
    for (const permission of resource.permissions) expect(section).toContain(permission);
    const items = section.split('\n.It Li ').slice(1);
    for (const name of Object.keys(allFields(resource))) {
      expect(
        items.filter((item) => item.startsWith(`${name}\n`)),
        `${resource.name}.${name}`,
      ).toHaveLength(1);
    }
  }
});

it('says kind, bounds, unit and meaning of a field, as text that roff takes', () => {
  const odd = defineResource({
    name: 'odd-things',
    title: 'Odd things',
    singular: 'odd thing',
    summary: 'Odd.',
    idExample: 'X-1001',
    permissions: ['parts.view'],
    fields: {
      a_or_b: {
        kind: 'text',
        maxLength: 5,
        required: true,
        doc: "Left's `b` \\ right.",
        example: 'x',
      },
      share: { kind: 'decimal', min: 0, max: 1, unit: '%', doc: '.Share.', example: 0.5 },
      tags: { kind: 'list', doc: 'Tags.', example: ['a'] },
    },
  });
  const page = resourcesPage([odd]);
  expect(page).toContain('.It Li a_or_b\nRequired, text, up to 5.\nLeft\\(aqs b \\e right.\n');
  expect(page).toContain('.It Li share\nDecimal, 0 to 1.\n\\&.Share. (in percent)\n');
  expect(page).toContain('.It Li tags\nList of texts.\nTags.\n');
});
