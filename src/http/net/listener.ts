import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type H3, H3Event } from 'h3';
import type { Connections } from './connections.ts';
import type { Framing } from './framing.ts';

type RoutedRequest = H3Event['req'];

/**
 * Builds the listener of a server: requests of one connection one after the other, ambiguous ones refused, the others routed by
 * h3. The adapter of h3 would first build a Request, which no handler reads, and wait for a Response, which no handler builds:
 * they answer through Node's server directly.
 */
export function createListener(app: H3, framing: Framing, { pipelining }: Connections): RequestListener {
  return pipelining.inOrder((req, res) => {
    if (framing.refusesAmbiguous(req, res)) return;
    // h3 reads only these members of a Request before it finds a handler.
    const request = new NodeRequest(req, res) as unknown as RoutedRequest;
    void app.handler(new H3Event(request, undefined, app));
  });
}

class NodeRequest {
  readonly method: string;
  /** Target of the request, from the path on. */
  readonly url: string;
  readonly runtime: { name: 'node'; node: { req: IncomingMessage; res: ServerResponse } };
  context: unknown = undefined;

  constructor(req: IncomingMessage, res: ServerResponse) {
    const { method = 'GET', url = '/' } = req;
    this.method = method;
    this.url = url.startsWith('/') ? url : originForm(url);
    this.runtime = { name: 'node', node: { req, res } };
  }
}

/** The path and query of an absolute target; for `*` and other targets a path without a route. */
function originForm(target: string): string {
  if (!URL.canParse(target)) return '/*';
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : '/*';
}
