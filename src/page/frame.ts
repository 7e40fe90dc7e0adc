import type { Read } from './api/api.ts';
import type { Problem } from './api/problems.ts';
import { mayRead, type Site } from './api/site.ts';
import { button, element, updateContent } from './display/elements.ts';
import { parseViewAddress, type ViewAddress } from './views/addresses.ts';
import { keyView } from './views/key-view.ts';
import { listView } from './views/list-view.ts';
import { recordView } from './views/record-view.ts';
import { readableLists, recordsView } from './views/records-view.ts';
import { sensorView } from './views/sensor-view.ts';
import { sensorsView } from './views/sensors-view.ts';
import type { CreateView, View, ViewContext } from './views/view.ts';

/** The header of an open site, and the view that its address names. */
export interface SiteFrame {
  /** Shows new facts of the site: its name, and what the key may read. */
  showSite(site: Site): void;
  refresh(read: Read): Promise<void>;
  /** Shows why something could not be read; `undefined` removes that. */
  showProblem(problem: Problem | undefined): void;
  close(): void;
}

interface FrameEvents {
  /** The person wants to see something else. */
  wake(): void;
  logOut(): void;
}

export function openFrame(root: HTMLElement, firstSite: Site, events: FrameEvents): SiteFrame {
  let site = firstSite;
  let address: ViewAddress = { parts: [], parameters: new URLSearchParams() };
  const visitedAddresses: string[] = [];
  let shownPath: string | undefined;
  let view: View | undefined;

  const siteName = element('strong');
  const navigation = element('nav', { attributes: { 'aria-label': 'Views' } });
  const banner = element('p', {
    className: 'problem',
    hidden: true,
    attributes: { role: 'alert' },
  });
  const container = element('main');
  root.replaceChildren(
    element('header', {}, siteName, navigation, button('Log out', events.logOut)),
    banner,
    container,
  );

  addEventListener('hashchange', addressChanged);
  addEventListener('beforeprint', printInLight);
  addEventListener('afterprint', printInLight);
  showAddress();
  return {
    showSite(newSite) {
      site = newSite;
      drawHeader();
    },
    async refresh(read) {
      await view?.refresh(read);
    },
    showProblem(problem) {
      banner.hidden = problem === undefined;
      banner.textContent = problem?.message ?? '';
    },
    close() {
      removeEventListener('hashchange', addressChanged);
      removeEventListener('beforeprint', printInLight);
      removeEventListener('afterprint', printInLight);
      view?.end?.();
    },
  };

  function addressChanged({ oldURL }: HashChangeEvent): void {
    // A view may have put its choices into its address without a visit.
    visitedAddresses[visitedAddresses.length - 1] = new URL(oldURL).hash;
    showAddress();
    events.wake();
  }

  function showAddress(): void {
    address = parseViewAddress(location.hash);
    noteVisit(location.hash);
    drawHeader();

    const path = JSON.stringify(address.parts);
    if (path === shownPath) view?.redraw?.();
    else openView();
    shownPath = path;
  }

  function openView(): void {
    const hadFocus = container.contains(document.activeElement);
    view?.end?.();
    const content = element('div');
    container.replaceChildren(content);
    view = viewOf(address.parts)(contextOf(content));

    const heading = content.querySelector('h1');
    if (heading && hadFocus) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  }

  function contextOf(content: HTMLElement): ViewContext {
    return {
      container: content,
      get site() {
        return site;
      },
      get parameters() {
        return address.parameters;
      },
      get previousAddress() {
        return visitedAddresses.at(-2) ?? '#/sensors';
      },
      wake: events.wake,
    };
  }

  /** Keeps the way through the page: the address before the last one is a step back. */
  function noteVisit(hash: string): void {
    if (hash === visitedAddresses.at(-2)) visitedAddresses.pop();
    else visitedAddresses.push(hash);
  }

  function drawHeader(): void {
    document.title = `${site.me.entity.name} – hkctl`;
    siteName.textContent = site.me.entity.name;
    const section = address.parts[0] ?? firstSection();
    const links = [
      mayRead(site, 'sensors') && navigationLink('sensors', 'Sensors', section),
      readableLists(site).length > 0 && navigationLink('records', 'Records', section),
      navigationLink('key', 'This key', section),
    ];
    updateContent(navigation, ...links);
  }

  function firstSection(): string {
    return mayRead(site, 'sensors') ? 'sensors' : 'key';
  }

  function viewOf([section = firstSection(), first, second]: readonly string[]): CreateView {
    if (section === 'sensors' && mayRead(site, 'sensors')) {
      return first === undefined ? sensorsView : sensorView(first);
    }
    if (section === 'records') {
      if (first === undefined) return recordsView;
      return second === undefined ? listView(first) : recordView(first, second);
    }
    return keyView;
  }
}

/** Paper is white, also for people whose screen is dark. */
function printInLight({ type }: Event): void {
  document.documentElement.style.colorScheme = type === 'beforeprint' ? 'light' : '';
}

function navigationLink(section: string, label: string, shownSection: string): HTMLElement {
  const attributes: Record<string, string> =
    section === shownSection ? { 'aria-current': 'page' } : {};
  return element('a', { href: `#/${section}`, attributes }, label);
}
