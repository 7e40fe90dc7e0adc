import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type H3, H3Event } from 'h3';

type RoutedRequest = H3Event['req'];

/**
 * Passes requests of Node's server to h3 for routing. The adapter of h3 first builds a Request, which no handler reads, and
 * waits for a Response, which no handler builds: they answer through Node's server directly.
 */
export function toListener(app: H3): RequestListener {
  return (req, res) => {
    // h3 reads only these members of a Request before it finds a handler.
    const request = new NodeRequest(req, res) as unknown as RoutedRequest;
    void app.handler(new H3Event(request, undefined, app));
  };
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
