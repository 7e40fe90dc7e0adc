import type { ErrorCode } from '../errors.ts';

export interface Check {
  /** Stable, for programs. */
  name: string;
  status: 'ok' | 'warning' | 'problem';
  detail: string;
  hint?: string;
  /** Only for a problem: the error code that `hkctl doctor` exits with. */
  code?: ErrorCode;
}

export type Finding = Omit<Check, 'name'>;

/** All is as it should be. */
export function ok(detail: string): Finding {
  return { status: 'ok', detail };
}

export function warning(detail: string, hint: string): Finding {
  return { status: 'warning', detail, hint };
}

export function problem(code: ErrorCode, detail: string, hint: string | undefined): Finding {
  return { status: 'problem', detail, ...(hint !== undefined && { hint }), code };
}
