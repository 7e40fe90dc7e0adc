import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { chainRecord, verifyTrail } from '../../../../src/core/audit/chain.ts';
import type { AuditDraft, AuditRecord } from '../../../../src/core/port/audit.ts';
import { drawSecret } from '../../../../src/core/secrets.ts';
import { codePoint } from '../../../code-points.ts';
import { propertyRuns } from '../../../properties.ts';
import { draftOf } from '../../stores.ts';
import type { Given } from '../given.ts';

/** UTF-16 units of every kind: halves of characters too, which arrive where somebody cuts by units. */
const units = fc.oneof(
  fc.constantFrom(
    '\ud83d',
    '\ude00',
    '\u{1f600}',
    '\0',
    '\ufffd',
    '…',
    'e\u0301',
    '\uffff',
    '\u2028',
    '"',
    '\\',
    '%',
    'hk_',
  ),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 3 }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);
/** As long as the places at which a text may be cut, so that any of these units stands there. */
const fill = fc.constantFrom(0, 1, 60, 62, 63, 64, 4093, 4094, 4095, 4096, 4097);
const texts = fc
  .tuple(fill, fc.array(units, { maxLength: 8 }))
  .map(([length, parts]) => 'a'.repeat(length) + parts.join(''));

/** Whatever text comes into an event: what a store gives back is what was hashed. */
export function auditTextConformance(given: Given): void {
  it('gives every text of an event back as it was hashed', async () => {
    const { store, plant } = await given();
    const details = fc.dictionary(
      texts,
      fc.oneof(texts, fc.double(), fc.boolean(), fc.constant(null)),
      { maxKeys: 3 },
    );
    const drafts = fc.record({
      target: texts,
      osAccount: texts,
      tenantId: fc.option(texts),
      actor: fc.option(fc.record({ id: texts, login: texts })),
      detail: details,
    });
    // Several at once: after each round the whole trail is read.
    const rounds = fc.array(drafts, { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(rounds, async (events) => {
        let { count: seq, hash } = await store.audit.head();
        for (const fields of events) {
          await store.audit.append({ ...draftOf(plant.tenant.id, 'key.list', ''), ...fields });
        }

        const records = await recordsOf(store.audit.walk());
        for (const record of records.slice(-events.length)) {
          const expected = chainRecord(record, { seq, hash });
          expect(record.hash).toBe(expected.hash);
          ({ seq, hash } = record);

          const { target, osAccount, tenantId, actor } = record;
          for (const text of [target, osAccount, tenantId ?? '', actor?.login ?? '']) {
            expect(text.isWellFormed()).toBe(true);
          }
        }
      }),
      propertyRuns(15),
    );
    expect(await verifyTrail(store.audit)).toMatchObject({ broken: null });
  });

  it('keeps a text that is none too long as it came', async () => {
    const { store } = await given();
    const draft: AuditDraft = {
      ...draftOf('tenant\0', 'key.list', 'a\0b \u{1f600} \ufffd…'),
      osAccount: 'ä\u2028',
      actor: { id: 'x"', login: 'DOM\\ada' },
      detail: { 'k\u{1f600}': '\u0001', n: 1.5 },
    };
    await store.audit.append(draft);
    expect(await lastOf(store.audit.walk())).toMatchObject(draft);
  });

  it('keeps no secret, in whatever field and form', async () => {
    const { store } = await given();
    const secret = drawSecret();
    const body = secret.slice(3);
    for (const form of [secret, `u=${secret}&x`, secret.replace('_', '%5f')]) {
      await store.audit.append({
        ...draftOf(form, 'key.list', form),
        osAccount: form,
        actor: { id: form, login: form },
        detail: { text: form, [form]: 1 },
      });
      const letters = JSON.stringify(await lastOf(store.audit.walk()));
      expect(letters, form).not.toContain(body.slice(6, 20));
      expect(letters, form).not.toContain(body.slice(-14));
    }
  });
}

async function lastOf(
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
): Promise<AuditRecord> {
  const last = (await recordsOf(records)).at(-1);
  if (last === undefined) throw new Error('the chain is empty');
  return last;
}

async function recordsOf(
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
): Promise<AuditRecord[]> {
  const all: AuditRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}
