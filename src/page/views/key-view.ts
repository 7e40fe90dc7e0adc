import type { Resource } from '../api/models.ts';
import { element, updateContent } from '../display/elements.ts';
import { formatAge, formatInstant } from '../display/time.ts';
import type { CreateView, ViewContext } from './view.ts';

/** The owner of the key, its permissions, its end and its limits. */
export const keyView: CreateView = (context) => {
  const content = element('dl');
  context.container.append(element('h1', {}, 'This key'), content);

  return {
    refresh() {
      const facts = factsOf(context).flatMap(([name, value]) => [
        element('dt', {}, name),
        element('dd', {}, value),
      ]);
      updateContent(content, ...facts);
    },
  };
};

function factsOf({ site }: ViewContext): [string, string][] {
  const { tenant, entity, key, permissions } = site.me;
  const { limit, resources } = site;
  const readable = titlesOf(resources, 'GET');
  const postable = titlesOf(resources, 'POST');
  return [
    ['Name', key.name],
    ['Prefix', key.prefix],
    ['Site', `${entity.name} (${entity.code})`],
    ['Organization', tenant.name],
    ['Time zone', entity.timezone],
    ['Expires', expiryText(key.expires_at, entity.timezone, site.now())],
    ['Limit', limit ? `${limit.quota} requests in ${limit.windowSeconds} s` : 'None'],
    ['Can read', readable || 'Nothing: this key is for a gateway, which only sends.'],
    ['Can send', postable || 'Nothing'],
    ['Permissions', permissions.join(', ')],
  ];
}

function titlesOf(resources: readonly Resource[], method: string): string {
  const allowed = resources.filter(({ methods }) => methods.includes(method));
  return allowed.map(({ title }) => title).join(', ');
}

function expiryText(expiresAt: string | null, timeZone: string, nowMs: number): string {
  if (expiresAt === null) return 'Never';

  const expiresMs = Date.parse(expiresAt);
  return `${formatInstant(expiresMs, timeZone, true)}, ${formatAge(nowMs - expiresMs)}`;
}
