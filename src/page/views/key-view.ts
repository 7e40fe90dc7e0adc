import { element, replaceContent } from '../display/elements.ts';
import { formatInstant } from '../display/time.ts';
import type { View } from './view.ts';

/** The owner of the key, its permissions, its end and its limits. */
export const keyView: View = (context) => {
  const { tenant, entity, key, permissions } = context.me;
  const requestLimit = context.api.limit();
  const readableResources = context.resources.filter(({ methods }) => methods.includes('GET'));
  const readableTitles = readableResources.map(({ title }) => title).join(', ');
  const facts: [string, string][] = [
    ['Name', key.name],
    ['Prefix', key.prefix],
    ['Site', `${entity.name} (${entity.code})`],
    ['Organization', tenant.name],
    ['Time zone', entity.timezone],
    ['Expires', expiryText(key.expires_at, entity.timezone)],
    [
      'Limit',
      requestLimit ? `${requestLimit.quota} requests in ${requestLimit.windowSeconds} s` : 'None',
    ],
    ['Can read', readableTitles || 'Nothing'],
    ['Permissions', permissions.join(', ')],
  ];
  const factElements = facts.flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, value),
  ]);

  replaceContent(
    context.container,
    element('h1', {}, 'This key'),
    element('dl', {}, ...factElements),
  );
  return () => {};
};

function expiryText(expiresAt: string | null, timeZone: string): string {
  if (expiresAt === null) return 'Never';
  return formatInstant(Date.parse(expiresAt), timeZone, true);
}
