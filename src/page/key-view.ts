import { element, replaceContent } from './elements.ts';
import { formatInstant } from './time.ts';
import type { View } from './view.ts';

/** Whose key it is, what it may do, until when, and its limits. */
export const keyView: View = (context) => {
  const { tenant, entity, key, permissions } = context.me;
  const limit = context.api.limit();
  const facts: [string, string][] = [
    ['Name', key.name],
    ['Prefix', key.prefix],
    ['Site', `${entity.name} (${entity.code})`],
    ['Organization', tenant.name],
    ['Time zone', entity.timezone],
    [
      'Expires',
      key.expires_at === null
        ? 'Never'
        : formatInstant(Date.parse(key.expires_at), entity.timezone, true),
    ],
    ['Limit', limit ? `${limit.quota} requests in ${limit.windowSeconds} s` : 'None'],
    [
      'Can read',
      context.resources
        .filter(({ methods }) => methods.includes('GET'))
        .map(({ title }) => title)
        .join(', ') || 'Nothing',
    ],
    ['Permissions', permissions.join(', ')],
  ];

  replaceContent(
    context.container,
    element('h1', {}, 'This key'),
    element(
      'dl',
      {},
      ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
    ),
  );
  return () => {};
};
