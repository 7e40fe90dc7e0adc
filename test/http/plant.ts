import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ClientPermission, clientPermissions } from '../../src/core/access/permissions.ts';
import { type Actor, auditDraft } from '../../src/core/domain/actors.ts';
import type { Domain } from '../../src/core/domain/domain.ts';
import type { ResourceDefinition } from '../../src/core/fields/fields.ts';
import type { SecretDelivery } from '../../src/core/keys/issuance.ts';
import { type ServeSettings, serveDefaults } from '../../src/core/operations/settings.ts';
import { addEntity, removeEntity, setEntityStatus } from '../../src/core/organization/entities.ts';
import { initialise } from '../../src/core/organization/tenants.ts';
import { addUser, updateUser } from '../../src/core/organization/users.ts';
import type { Entity } from '../../src/core/port/entities.ts';
import type { Store } from '../../src/core/port/store.ts';
import { createRecordValidator } from '../../src/core/records/validator.ts';
import { drawSecret } from '../../src/core/secrets.ts';
import { resources } from '../../src/resources/index.ts';
import { createKey, revokeKeys } from '../core/key-operations.ts';
import { postgresStore, temporaryStore } from '../store/stores.ts';

export const manualFolder = join(process.cwd(), 'man');
/** The page as the build leaves it. */
export const pageFolder = join(process.cwd(), 'dist', 'page');
export const docsFolder = join(process.cwd(), 'node_modules', 'swagger-ui-dist');
export const version = '1.2.3';

/** Settings of tests: nothing limited unless a test says so, nothing logged. */
export function settings(change: Partial<ServeSettings> = {}): ServeSettings {
  return {
    ...serveDefaults,
    port: 0,
    limitFailedChecks: null,
    limitRequests: null,
    limitIngest: null,
    logLevel: 'silent',
    ...change,
  };
}

/** A plant with two sites, records, sensors and a way to make keys; its clock stands where it is set. */
export class HttpPlant {
  nowMs = Date.UTC(2026, 10, 20, 8, 15);
  isSteady = true;
  readonly domain: Domain;
  readonly actor: Actor;
  readonly berlin: Entity;
  readonly chicago: Entity;

  private constructor(domain: Domain, actor: Actor, berlin: Entity, chicago: Entity) {
    this.domain = domain;
    this.actor = actor;
    this.berlin = berlin;
    this.chicago = chicago;
  }

  static async open(given?: Store): Promise<HttpPlant> {
    const store = given ?? (await ownStore());
    let plant: HttpPlant | undefined;
    const domain: Domain = {
      store,
      clock: () => plant?.nowMs ?? Date.UTC(2026, 10, 20, 8, 15),
      steady: () => ({
        ms: domain.clock(),
        latestMs: domain.clock(),
        isSteady: plant?.isSteady ?? true,
      }),
      random: (n) => crypto.getRandomValues(new Uint8Array(n)),
      newId: randomUUID,
    };
    const { entity, user } = await initialise(
      domain,
      {
        name: 'Nordwerk',
        weekStart: 'monday',
        entity: { code: 'BER', name: 'Berlin', timezone: 'Europe/Berlin' },
        admin: { login: 'ada', name: 'Ada' },
      },
      'ada',
    );
    const actor: Actor = { user, osAccount: 'ada' };
    const chicago = await addEntity(domain, actor, {
      code: 'CHI',
      name: 'Chicago',
      timezone: 'America/Chicago',
    });
    plant = new HttpPlant(domain, actor, entity, chicago);
    await plant.fill();
    return plant;
  }

  /** Makes a key and gives its secret and id. */
  async key(
    options: {
      name?: string;
      permissions?: readonly ClientPermission[];
      entity?: Entity;
      expiresAtMs?: number;
      actor?: Actor;
      allowedIps?: readonly string[];
    } = {},
  ): Promise<{ secret: string; id: string; prefix: string }> {
    let secret = '';
    const delivery: SecretDelivery = {
      deliver(delivered) {
        secret = delivered[0]?.secret ?? '';
      },
      complete() {},
      withdraw() {},
    };
    const key = await createKey(
      this.domain,
      options.actor ?? this.actor,
      {
        name: options.name ?? 'Test key',
        entity: options.entity ?? this.berlin,
        permissions: options.permissions ?? clientPermissions,
        expiresAtMs: options.expiresAtMs ?? null,
        allowedIps: options.allowedIps,
      },
      delivery,
    );
    return { secret, id: key.id, prefix: key.prefix };
  }

  async revoke(id: string): Promise<void> {
    await revokeKeys(this.domain, this.actor, [id]);
  }

  /** A user who may create keys, and how to take the profile out of service and back. */
  async creator(): Promise<{
    actor: Actor;
    deactivate: () => Promise<unknown>;
    activate: () => Promise<unknown>;
  }> {
    const login = `u${randomUUID().slice(0, 8)}`;
    const user = await addUser(this.domain, this.actor, {
      login,
      name: 'Carl',
      role: 'entity_admin',
    });
    const deactivate = () => updateUser(this.domain, this.actor, login, { status: 'inactive' });
    const activate = () => updateUser(this.domain, this.actor, login, { status: 'active' });
    return { actor: { user, osAccount: login }, deactivate, activate };
  }

  /** A site of its own, to be deactivated, activated again or removed. */
  async site() {
    const code = `S${randomUUID().slice(0, 8)}`;
    const entity = await addEntity(this.domain, this.actor, { code, name: code, timezone: 'UTC' });
    return {
      entity,
      deactivate: () => setEntityStatus(this.domain, this.actor, code, 'inactive'),
      activate: () => setEntityStatus(this.domain, this.actor, code, 'active'),
      remove: () => removeEntity(this.domain, this.actor, code),
    };
  }

  unknownSecret(): string {
    return drawSecret();
  }

  async import(
    name: string,
    entity: Entity,
    records: readonly Record<string, unknown>[],
  ): Promise<void> {
    // Also codes with commas, which older versions have stored.
    const resource = { ...resourceOf(name), listedBy: [] };
    const validator = createRecordValidator(resource);
    records.forEach((record, index) => {
      validator.validateObject(record, index + 1);
    });
    await this.domain.store.records.import({
      resource,
      entityId: entity.id,
      replace: false,
      dryRun: false,
      nowUs: this.nowMs * 1000,
      rows: [validator.take()],
      audit: () => auditDraft(this.domain, this.actor, 'records.import', name),
    });
    expect(validator.violations.count).toBe(0);
  }

  /** One example of every resource in Berlin, 120 parts, one part in Chicago. */
  private async fill(): Promise<void> {
    for (const resource of resources)
      await this.import(resource.name, this.berlin, [exampleRow(resource)]);
    const part = exampleRow(resourceOf('parts'));
    const more = Array.from({ length: 119 }, (_, index) => ({
      ...part,
      id: `P-${2000 + index}`,
      part_number: `PN-${2000 + index}`,
      is_active: index % 2 === 0,
    }));
    await this.import('parts', this.berlin, more);
    await this.import('parts', this.chicago, [{ ...part, id: 'P-9001', part_number: 'PN-9001' }]);
  }
}

/** A store of the engine that this run of the tests is for. */
async function ownStore(): Promise<Store> {
  if (process.env.TEST_HKCTL_ENGINE !== 'postgres') return temporaryStore();
  const store = await postgresStore();
  // A daemon of the plant takes the time from the plant.
  delete store.clock.serverMs;
  return store;
}

export function resourceOf(name: string): ResourceDefinition {
  const found = resources.find((resource) => resource.name === name);
  if (!found) throw new Error(`no resource ${name}`);
  return found;
}

function exampleRow(resource: ResourceDefinition): Record<string, unknown> {
  const values = Object.entries(resource.fields).map(([name, field]) => [name, field.example]);
  return { ...Object.fromEntries(values), id: resource.idExample };
}
