import type { CertificateValidity } from '../port/daemons.ts';
import { counted } from '../text/words.ts';
import { formatInstantMs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';

/** The days before its end at which a certificate is warned of; 0 once it has ended. */
const certificateWarningDays = [0, 1, 7, 14] as const;

/** The least number of {@link certificateWarningDays} that is left of a certificate. */
export function certificateDaysLeft(untilMs: number, nowMs: number): number | undefined {
  return certificateWarningDays.find((days) => untilMs - nowMs <= days * dayMs);
}

/** Why a certificate needs attention, as the end of a sentence; undefined if it does not. */
export function certificateFault(
  { fromMs, untilMs }: CertificateValidity,
  nowMs: number,
): string | undefined {
  if (nowMs < fromMs) return `is not valid before ${formatInstantMs(fromMs)}`;

  const daysLeft = certificateDaysLeft(untilMs, nowMs);
  if (daysLeft === undefined) return undefined;
  const end = formatInstantMs(untilMs);
  if (daysLeft === 0) return `expired at ${end}`;
  const days = counted(Math.ceil((untilMs - nowMs) / dayMs), 'day');
  return `expires at ${end}, within ${days}`;
}
