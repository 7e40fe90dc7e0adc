/** The answer of a handler; `headers` are name, value, name, value … in addition to those of every answer. */
export interface Answer {
  status: number;
  headers: readonly string[];
  body: Buffer | string | null;
  /** Length of the body in bytes, if the handler knows it. */
  length?: number;
  /** The body is ASCII text. */
  isAscii?: boolean;
  /** A page for a browser, with security headers of its own. */
  page?: boolean;
}

/** A JSON answer that caches must not store; as every answer, it ends its line, after which a shell writes its prompt. */
export function jsonAnswer(body: string, isAscii = false): Answer {
  return { status: 200, headers: jsonHeaders, body: `${body}\n`, isAscii };
}

const jsonHeaders = ['Content-Type', 'application/json', 'Cache-Control', 'no-store'] as const;
