import type { RequestListener } from 'node:http';
import { type H3, H3Event } from 'h3';
import type { Connections } from './connections.ts';
import type { Framing } from './framing.ts';

type RoutedRequest = H3Event['req'];

/**
 * Builds the listener of a server: requests of one connection one after the other, ambiguous ones refused, the others routed by
 * h3. Calls h3 directly: with `toNodeHandler`, which builds a Request and waits for a Response, GET /me falls from 0.82 to
 * 0.48 of a bare node:http server.
 */
export function createListener(
  app: H3,
  framing: Framing,
  { pipelining }: Connections,
): RequestListener {
  return pipelining.inOrder((req, res) => {
    if (framing.refusesAmbiguous(req, res)) return;
    const { method = 'GET', url: target = '/' } = req;
    const url = target.startsWith('/') ? target : originForm(target);
    // h3 reads only these members of a Request before it finds a handler.
    const request = {
      method,
      url,
      runtime: { name: 'node', node: { req, res } },
      context: undefined,
    };
    void app.handler(new H3Event(request as unknown as RoutedRequest, undefined, app));
  });
}

/** The path and query of an absolute target; for `*` and other targets a path without a route. */
function originForm(target: string): string {
  if (!URL.canParse(target)) return '/*';
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : '/*';
}
