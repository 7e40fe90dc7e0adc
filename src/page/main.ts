import type { Api } from './api/api.ts';
import { createApi } from './api/http-api.ts';
import type { ListAnswer, Me, Resource } from './api/models.ts';
import type { Problem } from './api/problems.ts';
import { createSession } from './api/session.ts';
import { element, rememberFocus, replaceContent } from './display/elements.ts';
import { parseViewAddress, spanOf } from './views/addresses.ts';
import { keyView } from './views/key-view.ts';
import { showOpenForm } from './views/open-view.ts';
import { listView, readableLists, recordsView, recordView } from './views/records-view.ts';
import { sensorView } from './views/sensor-view.ts';
import { sensorsView } from './views/sensors-view.ts';
import type { View } from './views/view.ts';

/** The page at `/`: a key, then sensors, records and the key itself. The page only reads. */
function start(root: HTMLElement): void {
  const session = createSession(sessionStorage);
  const api = createApi(session.key, (problem) => closeSite(problem.message));
  let endSite: (() => void) | undefined;

  if (session.key() === undefined) {
    showForm();
  } else {
    void openSite().then((refusal) => {
      if (refusal !== undefined) showForm(refusal);
    });
  }

  function showForm(reason?: string): void {
    document.title = 'hkctl';
    showOpenForm(root, reason, (key, rememberInTab) => {
      session.open(key, rememberInTab);
      return openSite();
    });
  }

  /** Opens the site of the key; returns the reason if it cannot be opened. */
  async function openSite(): Promise<string | undefined> {
    try {
      const me = (await api.read<Me>('me')).body;
      const resources = (await api.read<ListAnswer<Resource>>('resources')).body.data;
      endSite = showSite(root, api, me, resources, () => closeSite());
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.name === 'Problem')) {
        throw thrown;
      }
      if ((thrown as Problem).endsSession) session.close();
      return thrown.message;
    }
  }

  function closeSite(reason?: string): void {
    session.close();
    if (!endSite) return;

    endSite();
    endSite = undefined;
    showForm(reason);
  }
}

function showSite(
  root: HTMLElement,
  api: Api,
  me: Me,
  resources: readonly Resource[],
  logOut: () => void,
): () => void {
  // The clock of the server counts: that of a visitor's computer may be wrong.
  const clockDifference = Date.parse(me.server_time) - Date.now();
  const container = element('main');
  const banner = element('p', {
    className: 'problem',
    hidden: true,
    attributes: { role: 'alert' },
  });
  const mayReadSensors = resources.some(({ name }) => name === 'sensors');
  const mayReadRecords = readableLists(resources).length > 0;
  const viewLinks = [
    ...(mayReadSensors ? [navigationLink('sensors', 'Sensors')] : []),
    ...(mayReadRecords ? [navigationLink('records', 'Records')] : []),
    navigationLink('key', 'This key'),
  ];
  let endView = () => {};

  document.title = `${me.entity.name} – hkctl`;
  replaceContent(
    root,
    element(
      'header',
      {},
      element('strong', {}, me.entity.name),
      element('nav', { attributes: { 'aria-label': 'Views' } }, ...viewLinks),
      element('button', { type: 'button', on: { click: logOut } }, 'Log out'),
    ),
    banner,
    container,
  );

  addEventListener('hashchange', showView);
  showView();
  return () => {
    removeEventListener('hashchange', showView);
    endView();
  };

  function showView(): void {
    const restoreFocus = rememberFocus(container);
    endView();
    showProblem(undefined);
    const { parts, parameters } = parseViewAddress(location.hash);
    const section = parts[0] ?? (mayReadSensors ? 'sensors' : 'key');

    for (const link of viewLinks) {
      if (link.hash === `#/${section}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }

    const view = viewOf(section, parts.slice(1), parameters);
    endView = view({
      api,
      me,
      resources,
      container,
      serverNow: () => Date.now() + clockDifference,
      showProblem,
    });
    restoreFocus();
  }

  function viewOf(section: string, names: readonly string[], parameters: URLSearchParams): View {
    const [first, second] = names;
    if (section === 'sensors' && mayReadSensors) {
      if (first === undefined) return sensorsView;
      return sensorView(first, spanOf(parameters), parameters.getAll('with'));
    }
    if (section === 'records') {
      if (first === undefined) return recordsView;
      return second === undefined ? listView(first) : recordView(first, second);
    }
    return keyView;
  }

  function showProblem(problem: Problem | undefined): void {
    banner.hidden = problem === undefined;
    banner.textContent = problem?.message ?? '';
  }
}

function navigationLink(section: string, label: string): HTMLAnchorElement {
  return element('a', { href: `#/${section}` }, label);
}

const root = document.querySelector<HTMLElement>('#page');
if (root) start(root);
