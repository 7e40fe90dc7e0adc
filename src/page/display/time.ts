/** Times of the plant: everything that a person reads is in the time zone of the site. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface WallClock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formatsByZone = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-27 08:15:00`, in a zone; with `precise` to the second, else to the minute. */
export function formatInstant(epochMs: number, timeZone: string, precise = false): string {
  const { year, month, day, hour, minute, second } = wallClockAt(epochMs, timeZone);
  const date = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  const minutes = `${twoDigits(hour)}:${twoDigits(minute)}`;
  const time = precise ? `${minutes}:${twoDigits(second)}` : minutes;
  return `${date} ${time}`;
}

/** A stored instant in a zone, with all digits of its second; a text that is none stays as it is. */
export function formatStoredInstant(instantText: string, timeZone: string): string {
  const epochMs = Date.parse(instantText);
  if (Number.isNaN(epochMs)) return instantText;

  const fraction = /\.\d*[1-9]/.exec(instantText)?.[0] ?? '';
  return `${formatInstant(epochMs, timeZone, true)}${fraction}`;
}

/** `2026-11-27T08:15`, as an input of the type datetime-local takes it. */
export function toLocalInput(epochMs: number, timeZone: string): string {
  return formatInstant(epochMs, timeZone).replace(' ', 'T');
}

/**
 * The instant of a local date and time of a zone. A time that a clock change skips counts as the
 * instant after the change; of one that happens twice the first is taken.
 */
export function fromLocalInput(localText: string, timeZone: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}))?/.exec(localText);
  if (!match) return undefined;

  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const wallTimeMs = Date.UTC(year, month - 1, day, hour, minute);

  const offsets = [
    offsetMs(wallTimeMs - dayMs, timeZone),
    offsetMs(wallTimeMs, timeZone),
    offsetMs(wallTimeMs + dayMs, timeZone),
  ];
  const candidates = [...new Set(offsets)]
    .map((offset) => wallTimeMs - offset)
    .sort((a, b) => a - b);
  const exactMs = candidates.find((candidate) => wallMs(candidate, timeZone) === wallTimeMs);
  return exactMs ?? candidates.at(-1);
}

/** `12 s ago`, `5 min ago`, `3 h ago` or `2 d ago`; `in 20 h` of an instant ahead. */
export function formatAge(ageMs: number): string {
  const lengthText = formatLength(Math.abs(ageMs));
  return ageMs <= -500 ? `in ${lengthText}` : `${lengthText} ago`;
}

function formatLength(lengthMs: number): string {
  if (lengthMs < minuteMs) return `${Math.round(lengthMs / 1000)} s`;
  if (lengthMs < 2 * hourMs) return `${Math.round(lengthMs / minuteMs)} min`;
  if (lengthMs < 2 * dayMs) return `${Math.round(lengthMs / hourMs)} h`;
  return `${Math.round(lengthMs / dayMs)} d`;
}

function offsetMs(epochMs: number, timeZone: string): number {
  return wallMs(epochMs, timeZone) - Math.floor(epochMs / 1000) * 1000;
}

/** The time that the clock on the wall shows, counted as if it were UTC. */
function wallMs(epochMs: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallClockAt(epochMs, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function wallClockAt(epochMs: number, timeZone: string): WallClock {
  const clockParts: Record<string, number> = {};
  for (const { type, value } of formatFor(timeZone).formatToParts(epochMs)) {
    if (type !== 'literal') clockParts[type] = Number(value);
  }

  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = clockParts;
  return { year, month, day, hour, minute, second };
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const cachedFormat = formatsByZone.get(timeZone);
  if (cachedFormat) return cachedFormat;

  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatsByZone.set(timeZone, format);
  return format;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
