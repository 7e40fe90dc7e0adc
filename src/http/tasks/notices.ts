import { setTimeout as pause } from 'node:timers/promises';
import type { Domain } from '../../core/domain/domain.ts';
import {
  claimAll,
  dueNotices,
  expiringKeys,
  expiryWarningDays,
  tellAgain,
  warningClaim,
} from '../../core/operations/notices.ts';
import type { CertificateValidity } from '../../core/port/daemons.ts';
import { redactSecrets } from '../../core/secrets.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { hourMs } from '../../core/time/spans.ts';
import type { Log } from '../monitoring/log.ts';
import { createDeliveries, type NotifyCommand } from './notify-command.ts';
import { createRepetition } from './repetition.ts';

/** The first look comes soon after the start, once the usage of the last daemon is on disk. */
const firstAfterMs = 5_000;
/** A look whose commands hang ends before the next one is due; that one delivers the rest. */
const maxLookMs = 50 * 60_000;
/** The rest after each claim, which writes to the store. */
const restMs = 20;

interface NoticesOptions {
  /** The receiver of a notice; without one only the log and the metrics warn of keys that expire. */
  notify?: NotifyCommand | undefined;
  /** The certificate of this daemon. */
  certificate?: () => CertificateValidity | undefined;
  log: Log;
}

/**
 * Looks once an hour for notices. The log and the metrics get keys that expire soon or have expired, and the command of
 * `--notify` gets all notices. A daemon claims each in the store first, so that no other daemon repeats it, nor this one after
 * a restart.
 */
export function createNotices(
  domain: Pick<Domain, 'store' | 'clock'>,
  { notify, certificate, log }: NoticesOptions,
) {
  /** How many keys were warned of, by the days that were left. */
  const warnings = new Map<string, number>(expiryWarningDays.map((days) => [`${days}`, 0]));
  const stopped = new AbortController();
  const { signal } = stopped;
  let firstTimer: NodeJS.Timeout | undefined;

  async function warnOfExpiries(): Promise<void> {
    for await (const expiring of expiringKeys(domain)) {
      if (signal.aborted) return;
      const isClaimed = await claimAll(domain, [warningClaim(expiring, domain.clock())]);
      if (!isClaimed) continue;

      const { key, expiresAtMs, days } = expiring;
      warnings.set(`${days}`, (warnings.get(`${days}`) ?? 0) + 1);
      const { prefix, name } = key;
      const facts = { key: prefix, name: redactSecrets(name), entity: key.entity?.code, days };
      const message = days === 0 ? 'a key has expired' : 'a key expires soon';
      log.warn({ ...facts, expires_at: formatInstantMs(expiresAtMs) }, `${message}: ${prefix}`);
      await pauseBetween();
    }
  }

  async function notifyAll(command: NotifyCommand): Promise<void> {
    const deliveries = createDeliveries(command, signal);
    const endsAtMs = performance.now() + maxLookMs;
    for await (const due of dueNotices(domain, certificate?.())) {
      if (signal.aborted || performance.now() > endsAtMs) break;
      if (!(await claimAll(domain, due.claims))) continue;
      const { notice } = due;
      await deliveries.begin(notice, async ({ reason, complaint }) => {
        await tellAgain(domain, due);
        if (signal.aborted) return;
        const facts = { notice, reason, stderr: redactSecrets(complaint) };
        log.warn(facts, `the command of --notify failed for ${notice.event}`);
      });
      await pauseBetween();
    }
    await deliveries.finished();
  }

  /** The pause ends at once when the daemon stops. */
  async function pauseBetween(): Promise<void> {
    await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
  }

  const repetition = createRepetition({
    everyMs: hourMs,
    log,
    failure: 'notices were not read; trying again in an hour',
    async work() {
      await warnOfExpiries();
      if (notify) await notifyAll(notify);
    },
  });
  let firstRun: Promise<void> | undefined;
  return {
    warnings,
    /** Looks once. */
    run: repetition.run,
    start(): void {
      firstTimer = setTimeout(() => {
        firstRun = repetition.run();
      }, firstAfterMs).unref();
      repetition.start();
    },
    /** Ends a command that runs. */
    async stop(): Promise<void> {
      clearTimeout(firstTimer);
      stopped.abort();
      await firstRun;
      await repetition.stop();
    },
  };
}
