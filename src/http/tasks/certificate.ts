import type { Domain } from '../../core/domain/domain.ts';
import { certificateFault } from '../../core/operations/certificates.ts';
import type { CertificateValidity } from '../../core/port/daemons.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { dayMs, hourMs } from '../../core/time/spans.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition } from './repetition.ts';

/** Warns of a certificate that ends soon, has expired or is not valid yet: when it is loaded and then once a day. */
export function createCertificateWatch(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  log: Log,
) {
  let validity: CertificateValidity | undefined;
  let isServing = false;
  let isRecorded = false;
  let warnedAtMs = Number.NEGATIVE_INFINITY;

  const repetition = createRepetition({
    everyMs: hourMs,
    log,
    failure: 'the certificate was not recorded for hkctl status; trying again in an hour',
    async work() {
      isServing = true;
      if (validity === undefined) return;
      warnOnceADay(validity);
      if (isRecorded) return;
      await store.daemon.recordCertificate(process.pid, validity);
      isRecorded = true;
    },
  });

  function warnOnceADay(current: CertificateValidity): void {
    const fault = certificateFault(current, clock());
    if (fault === undefined || performance.now() - warnedAtMs < dayMs) return;
    warnedAtMs = performance.now();
    const facts = {
      valid_from: formatInstantMs(current.fromMs),
      expires_at: formatInstantMs(current.untilMs),
    };
    log.warn(
      facts,
      `THE CERTIFICATE ${fault}; clients that check it connect only while it is valid`,
    );
  }

  return {
    ...repetition,
    validity: () => validity,
    /** Takes the certificate that is served from now on. */
    loaded(loadedValidity: CertificateValidity): void {
      const { fromMs, untilMs } = loadedValidity;
      // A pair is loaded twice: once for each of its files.
      if (validity?.fromMs === fromMs && validity.untilMs === untilMs) return;
      validity = loadedValidity;
      isRecorded = false;
      warnedAtMs = Number.NEGATIVE_INFINITY;
      if (isServing) void repetition.run();
    },
  };
}
