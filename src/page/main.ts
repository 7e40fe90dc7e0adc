import type { Read } from './api/api.ts';
import { createApi } from './api/http-api.ts';
import type { Problem } from './api/problems.ts';
import { createSession } from './api/session.ts';
import { readSite, type Site } from './api/site.ts';
import { openFrame, type SiteFrame } from './frame.ts';
import { type Loop, startLoop } from './loop.ts';
import { createOpenForm, type OpenForm } from './views/open-view.ts';

/** The page at `/`: a key, then sensors, records and the key itself. The page only reads. */
function start(root: HTMLElement): void {
  const session = createSession(sessionStorage);
  let loop: Loop | undefined;
  let frame: SiteFrame | undefined;
  let form: OpenForm | undefined;

  const keptKey = session.key();
  if (keptKey === undefined) showForm('');
  else openSite(keptKey);

  function openSite(key: string): void {
    loop?.end();
    const api = createApi(key);
    let site: Site | undefined;
    loop = startLoop(api, runTurn, report);

    async function runTurn(read: Read): Promise<void> {
      site = await readSite(read, api, site);
      if (frame) {
        frame.showSite(site);
      } else {
        form = undefined;
        frame = openFrame(root, site, { wake: () => loop?.wake(), logOut: () => closeSite('') });
      }
      await frame.refresh(read);
    }
  }

  function report(problem: Problem | undefined): void {
    if (problem?.endsSession) closeSite(problem.message);
    else if (frame) frame.showProblem(problem);
    else if (problem) showForm(problem.message);
  }

  function closeSite(reason: string): void {
    session.close();
    loop?.end();
    frame?.close();
    frame = undefined;
    showForm(reason);
  }

  /** The form stays while the loop tries a key, so that the person can give another one. */
  function showForm(reason: string): void {
    if (form) {
      form.showReason(reason);
      return;
    }

    document.title = 'hkctl';
    form = createOpenForm(reason, {
      open(key, rememberInTab) {
        session.open(key, rememberInTab);
        openSite(key);
      },
      typed: () => loop?.end(),
    });
    root.replaceChildren(form.node);
    form.focus();
  }
}

const root = document.querySelector<HTMLElement>('#page');
if (root) start(root);
