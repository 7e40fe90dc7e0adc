import { type ClientPermission, presets } from '../core/access/permissions.ts';
import { type Actor, requirePermissions } from '../core/domain/actors.ts';
import type { Domain } from '../core/domain/domain.ts';
import { createKey, type SecretDelivery } from '../core/keys/issuance.ts';
import { revokeKeys } from '../core/keys/keys.ts';
import { usageDays } from '../core/keys/usage.ts';
import type { Entity } from '../core/port/entities.ts';
import type { UsageCount } from '../core/port/usage.ts';
import { dayAt } from '../core/time/calendar.ts';
import { dayMs } from '../core/time/spans.ts';
import { type Chance, createChance } from './random.ts';
import { faultySensor } from './readings.ts';

/** A key of the made-up plant; ages and spans are in days. */
interface DemoKey {
  name: string;
  note: string;
  permissions: readonly ClientPermission[];
  age: number;
  expiresIn?: number;
  revokedSince?: number;
  allowedIps?: readonly string[];
  /** The client address, and how many minutes ago it was used last. */
  used?: { ip: string; minutesAgo: number };
  /** Requests on a whole day of work; a third of them on a day of the weekend. */
  daily?: number;
  /** Readings that it posts on a whole day, also at the weekend. */
  readings?: number;
  /** The number of its requests of today and yesterday that came from another address. */
  refused?: number;
}

const demoKeys: readonly DemoKey[] = [
  {
    name: 'MES pilot',
    note: 'Trial of spring; ended with the project',
    permissions: presets['production-only'].permissions,
    age: 150,
    revokedSince: 12,
    used: { ip: '10.20.1.44', minutesAgo: 12.2 * 1440 },
    daily: 140,
  },
  {
    name: 'Oven gateway',
    note: 'Edge PC in hall 2; ask Marcus Hill',
    permissions: presets['sensor-gateway'].permissions,
    age: 210,
    used: { ip: '10.20.3.11', minutesAgo: 1 },
    daily: 1440,
    readings: 36_000,
  },
  {
    name: 'Training kiosk',
    note: 'Tablet at the gate; not delivered yet',
    permissions: ['people.view', 'training_records.view'],
    age: 120,
  },
  {
    name: 'ERP bridge',
    note: 'Nightly export; ask Elif Yılmaz before it ends',
    permissions: ['jobs_orders.view', 'parts.view', 'inventory_items.view', 'routings.view'],
    age: 81,
    expiresIn: 9,
    used: { ip: '10.20.1.5', minutesAgo: 12 },
    daily: 320,
  },
  {
    name: 'Shift board',
    note: 'Screens of hall 1 only',
    permissions: presets['production-only'].permissions,
    age: 60,
    allowedIps: ['10.20.8.0/24'],
    used: { ip: '10.20.8.17', minutesAgo: 4 },
    daily: 700,
    refused: 14,
  },
];

const discardSecret: SecretDelivery = {
  deliver() {},
  complete() {},
  withdraw() {},
};

/** Adds keys in every state with their usage by day, at earlier times. Their secrets are discarded. */
export async function addDemoKeys(
  domain: Domain,
  actor: Actor,
  plant: {
    entity: Entity;
    rejectedMs: readonly number[];
    seed: number;
  },
): Promise<void> {
  const { entity, rejectedMs, seed } = plant;
  const nowMs = domain.clock();
  const domainAt = (age: number) => ({
    ...domain,
    clock: () => nowMs - age * dayMs,
  });
  const issuer = await requirePermissions(domain, actor, 'key.rotate', 'keys');
  const chance = createChance(seed);

  for (const demoKey of demoKeys) {
    const { name, note, permissions, expiresIn, allowedIps = [], used, revokedSince } = demoKey;
    const expiresAtMs = expiresIn === undefined ? null : nowMs + expiresIn * dayMs;
    const input = {
      name,
      note,
      entity,
      permissions,
      expiresAtMs,
      allowedIps,
    };
    const key = await createKey(domainAt(demoKey.age), issuer, input, discardSecret);

    const uses = new Map(
      used && [[key.id, { atMs: nowMs - used.minutesAgo * 60_000, ip: used.ip }]],
    );
    const usage = usageOf(demoKey, {
      nowMs,
      timezone: entity.timezone,
      chance,
      rejectedMs,
    });
    const counts = usage.map((count) => ({
      ...count,
      keyId: key.id,
    }));
    await domain.store.keys.recordUse(uses, { counts, kept: undefined });

    if (revokedSince !== undefined) {
      await revokeKeys(domainAt(revokedSince), issuer, [key]);
    }
  }
}

type Count = Omit<UsageCount, 'keyId'>;

interface UsageContext {
  nowMs: number;
  timezone: string;
  chance: Chance;
  rejectedMs: readonly number[];
}

function usageOf(demoKey: DemoKey, context: UsageContext): Count[] {
  const { age, revokedSince = 0, daily = 0, readings = 0, refused = 0 } = demoKey;
  const { nowMs, timezone, chance, rejectedMs } = context;
  const { day: today, fromMs } = dayAt(nowMs, timezone);
  const counts: Count[] = [];
  const addCount = (
    day: number,
    kind: Count['kind'],
    amount: number,
    details: Partial<Count> = {},
  ) => {
    if (amount < 1) return;
    counts.push({
      day,
      kind,
      code: '',
      count: Math.round(amount),
      lastAtMs: null,
      lastSensor: null,
      lastAddress: null,
      ...details,
    });
  };

  const oldestAge = Math.min(age, usageDays - 1);
  for (let daysAgo = oldestAge; daily > 0 && daysAgo >= revokedSince; daysAgo--) {
    const day = today - daysAgo;
    const dayShare = daysAgo === 0 ? (nowMs - fromMs) / dayMs : 1;
    // 1970-01-01 was a Thursday.
    const isWeekend = [5, 6].includes((day + 3) % 7) && readings === 0;
    const workShare = isWeekend ? 0.3 : 0.9 + chance.fraction() * 0.2;
    addCount(day, 'request', dayShare * daily * workShare);
    if (daysAgo < 2) {
      const refusedCount = dayShare * (refused - 5 * daysAgo);
      addCount(day, 'refused', refusedCount, { code: 'address_not_allowed' });
    }
    if (readings === 0) continue;

    const isOfDay = (ms: number) => dayAt(ms, timezone).day === day;
    const rejected = daysAgo < 2 ? rejectedMs.filter(isOfDay) : [];
    addCount(day, 'accepted', dayShare * readings - rejected.length);
    addCount(day, 'duplicate', dayShare * chance.between(0, 150));
    addCount(day, 'rejected', rejected.length, {
      code: 'invalid_value',
      lastAtMs: rejected.at(-1) ?? null,
      lastSensor: faultySensor,
    });
  }
  return counts;
}
