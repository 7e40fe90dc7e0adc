import { drawSecret } from '../../../src/core/keys/secrets.ts';

/** A secret that opens nothing, written in a way of its own: whatever shows more of it than its prefix has leaked. */
export interface Canary {
  form: string;
  secret: string;
  /** As it is given to the program. */
  text: string;
}

const percent = (text: string) =>
  text.replace(/[\s\S]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
const split = (by: string, every: number) => (secret: string) =>
  (secret.match(new RegExp(`.{1,${every}}`, 'g')) ?? []).join(by);

/** The ways in which a secret may be written by accident, by tools or on purpose. */
const forms: Record<string, (secret: string) => string> = {
  whole: (secret) => secret,
  'in other text': (secret) => `key=${secret}&x`,
  'with one character too many': (secret) => `${secret}x`,
  bare: (secret) => secret.slice(3),
  'bare, in other text': (secret) => `x-${secret.slice(3)}.`,
  'without its end': (secret) => secret.slice(0, 40),
  'percent-encoded': percent,
  'percent-encoded at one place': (secret) => secret.replace('_', '%5F'),
  'percent-encoded twice': (secret) => percent(secret).replaceAll('%', '%25'),
  'bare and percent-encoded': (secret) => percent(secret.slice(3)),
  'with a broken escape': (secret) => `${secret.slice(0, 20)}%${secret.slice(20)}`,
  'as escapes of JSON': (secret) => secret.replace(/./g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  'as references of HTML': (secret) => secret.replace(/./g, (char) => `&#${char.charCodeAt(0)};`),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url behind a name': (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
  'bare and in base64': (secret) => Buffer.from(secret.slice(3)).toString('base64'),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'split by lines': split('\n', 10),
  'split by escaped lines': split('\\n', 10),
  'split by percent-encoded lines': split('%0A', 7),
  'split by blanks': split(' ', 4),
  'split by zero-width characters': split('\u200b', 1),
  'split by dashes, bare': (secret) => split('-', 7)(secret.slice(3)),
  'behind so much that it is cut': (secret) => `${'/a'.repeat(28)}${secret.slice(3)}`,
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

  /** What a text shows of a canary, however the text writes it; `telling` characters from the start are one too many. */
  leakIn(text: string, telling = 9): string | undefined {
    for (const { view, isWhole } of viewsOf(text)) {
      const lower = view.toLowerCase();
      const length = isWhole ? telling : Math.max(telling, 13);
      const begun = this.#canaries.find(({ secret }) => lower.includes(secret.slice(0, length).toLowerCase()));
      if (begun) return `${begun.form}: ${begun.secret.slice(0, length)}`;
      for (let at = 0; at + partLength <= lower.length; at++) {
        const part = lower.slice(at, at + partLength);
        const found = this.#parts.get(part);
        if (found) return `${found.form}: ${part}`;
      }
    }
    for (const { form, secret } of this.#canaries) {
      const packed = packedParts(secret).find((part) => text.includes(part));
      if (packed !== undefined) return `${form}: ${packed}`;
    }
    return undefined;
  }
}

const partLength = 10;

/** A text as it is, without escapes, and both without what may stand between the characters of a secret. */
function viewsOf(text: string): { view: string; isWhole: boolean }[] {
  const whole = [...new Set([text, unescaped(text)])];
  const letters = [...new Set(whole.map(lettersOf))];
  return [...whole.map((view) => ({ view, isWhole: true })), ...letters.map((view) => ({ view, isWhole: false }))];
}

function lettersOf(text: string): string {
  return text.replace(/[^0-9A-Za-z_]+/g, '');
}

/** Written apart from the program's own decoder, which this is to find the gaps of. */
function unescaped(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < 3; pass++) {
    decoded = decoded
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/\\[nrt\\]/g, '\n');
  }
  return decoded;
}

/** Parts of a secret in base64, at each of the three places where a group may begin, and in hexadecimal. */
function packedParts(secret: string): string[] {
  const inside = secret.slice(9);
  const parts = [Buffer.from(inside).toString('hex').slice(0, 24)];
  for (const skipped of [0, 1, 2]) {
    const packed = Buffer.from(inside.slice(skipped)).toString('base64');
    parts.push(packed.slice(0, 16), packed.slice(20, 36));
  }
  return parts;
}
