import { drawSecret } from '../../../src/core/secrets.ts';

/** A secret that opens nothing, written in a way of its own: whatever shows more of it than its prefix has leaked. */
export interface Canary {
  form: string;
  secret: string;
  /** As it is given to the program. */
  text: string;
}

const percent = (text: string) =>
  text.replace(/[\s\S]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
/** The ways in which a secret gets into what is logged or quoted. */
const forms: Record<string, (secret: string) => string> = {
  whole: (secret) => secret,
  'in other text': (secret) => `key=${secret}&x`,
  'with one character too many': (secret) => `${secret}x`,
  'without its end': (secret) => secret.slice(0, 40),
  'URL-encoded': percent,
  'URL-encoded at one place': (secret) => secret.replace('_', '%5F'),
  'behind so much that it is cut': (secret) => `${'/a'.repeat(28)}${secret}`,
};

/** One canary of each form. */
export function canaries(): Canary[] {
  return Object.entries(forms).map(([form, write]) => {
    const secret = drawSecret();
    return { form, secret, text: write(secret) };
  });
}

/** Looks for canaries in texts, for all of them in one pass. */
export class CanaryWatch {
  readonly #canaries: readonly Canary[];
  /** Ten characters in a row of a secret, in lower case as names of headers are written, and whose they are. */
  readonly #parts = new Map<string, Canary>();

  constructor(canaries: readonly Canary[]) {
    this.#canaries = canaries;
    for (const canary of canaries) {
      const { secret } = canary;
      // A prefix may be shown, and letters that happen to follow it.
      for (let at = 4; at + partLength <= secret.length; at++) {
        this.#parts.set(secret.slice(at, at + partLength).toLowerCase(), canary);
      }
    }
  }

  /** What a text shows of a canary, plain or URL-encoded; `telling` characters from the start are one too many. */
  leakIn(text: string, telling = 9): string | undefined {
    for (const view of new Set([text, unescaped(text)])) {
      const lower = view.toLowerCase();
      const begun = this.#canaries.find(({ secret }) =>
        lower.includes(secret.slice(0, telling).toLowerCase()),
      );
      if (begun) return `${begun.form}: ${begun.secret.slice(0, telling)}`;
      for (let at = 0; at + partLength <= lower.length; at++) {
        const part = lower.slice(at, at + partLength);
        const found = this.#parts.get(part);
        if (found) return `${found.form}: ${part}`;
      }
    }
    return undefined;
  }
}

const partLength = 10;

/** Written apart from the program's own decoder, which this is to find the gaps of. */
function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
