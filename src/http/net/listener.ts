import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type H3, H3Event } from 'h3';

type RoutedRequest = H3Event['req'];

/**
 * Hands requests of Node's server to h3 for routing. Its own adapter first makes a Request of each, which nobody here reads,
 * and waits for a Response that nobody makes: handlers answer through Node's server themselves.
 */
export function toListener(app: H3): RequestListener {
  return (req, res) => {
    // Of the members of a Request only these are asked for before a handler is found.
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

/** The path and query of an absolute target; a path that no route has for `*` and the like. */
function originForm(target: string): string {
  if (!URL.canParse(target)) return '/*';
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : '/*';
}
