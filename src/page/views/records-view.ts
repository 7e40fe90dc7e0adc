import type { Resource } from '../api/models.ts';
import type { Site } from '../api/site.ts';
import { element, updateContent } from '../display/elements.ts';
import { addressOfList } from './addresses.ts';
import type { CreateView } from './view.ts';

/** The lists that the key can read. */
export const recordsView: CreateView = (context) => {
  const content = element('div');
  context.container.append(element('h1', {}, 'Records'), content);

  return {
    refresh() {
      const links = readableLists(context.site).map(({ name, title }) => {
        return element('li', {}, element('a', { href: addressOfList(name) }, title));
      });
      updateContent(
        content,
        links.length === 0
          ? element('p', {}, 'This key may read no records.')
          : element('ul', { className: 'lists' }, ...links),
      );
    },
  };
};

/** Resources with records to read: sensors have a view of their own. */
export function readableLists({ resources }: Site): Resource[] {
  return resources.filter(({ name, methods, path }) => {
    const isRecordList = name !== 'sensors' && path === `/api/v1/${name}`;
    return isRecordList && methods.includes('GET');
  });
}

export function findList(site: Site, listName: string): Resource | undefined {
  return readableLists(site).find(({ name }) => name === listName);
}
