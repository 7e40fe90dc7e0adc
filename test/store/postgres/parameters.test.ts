import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-parameters-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A parameter of libpq with a value that people use, and what becomes of it; an empty object where nothing has to. */
const works: readonly [pair: string, variable: string | undefined, becomes: object][] = [
  [
    'channel_binding=require',
    'PGCHANNELBINDING',
    { tls: { binding: 'require', mode: 'verify-full' } },
  ],
  ['channel_binding=prefer', 'PGCHANNELBINDING', { tls: { binding: 'prefer' } }],
  ['channel_binding=disable', 'PGCHANNELBINDING', { tls: { binding: 'disable' } }],
  ['sslnegotiation=direct', 'PGSSLNEGOTIATION', { tls: { isDirect: true } }],
  ['sslnegotiation=postgres', 'PGSSLNEGOTIATION', { tls: { isDirect: false } }],
  ['sslcrl=/crl', 'PGSSLCRL', { tls: { revoked: '/crl' } }],
  ['sslcertmode=disable', 'PGSSLCERTMODE', { tls: { sendsCertificate: false } }],
  ['sslcertmode=allow', 'PGSSLCERTMODE', { tls: { sendsCertificate: true } }],
  ['ssl_min_protocol_version=TLSv1.3', 'PGSSLMINPROTOCOLVERSION', { tls: { oldest: 'TLSv1.3' } }],
  ['ssl_max_protocol_version=TLSv1.2', 'PGSSLMAXPROTOCOLVERSION', { tls: { newest: 'TLSv1.2' } }],
  ['sslrootcert=system', 'PGSSLROOTCERT', { tls: { rootCertificate: 'system' } }],
  ['sslsni=1', 'PGSSLSNI', {}],
  ['sslcompression=0', 'PGSSLCOMPRESSION', {}],
  ['ssl=true', undefined, { tls: { mode: 'verify-full' } }],
  ['options=-c%20statement_timeout%3D9s', 'PGOPTIONS', { options: '-c statement_timeout=9s' }],
  ['application_name=plant', 'PGAPPNAME', { applicationName: 'plant' }],
  ['fallback_application_name=plant', undefined, { applicationName: 'plant' }],
  ['connect_timeout=7', 'PGCONNECT_TIMEOUT', { connectTimeoutMs: 7000 }],
  ['keepalives=0', undefined, { keepsAlive: false }],
  ['keepalives_idle=30', undefined, { keepsAlive: true, keepAliveIdleMs: 30_000 }],
  ['keepalives_interval=10', undefined, {}],
  ['keepalives_count=3', undefined, {}],
  ['tcp_user_timeout=10000', undefined, {}],
  ['load_balance_hosts=random', 'PGLOADBALANCEHOSTS', {}],
  ['target_session_attrs=primary', 'PGTARGETSESSIONATTRS', { target: 'read-write' }],
  ['target_session_attrs=any', 'PGTARGETSESSIONATTRS', { target: 'any' }],
  ['client_encoding=UTF8', undefined, {}],
  ['client_encoding=auto', undefined, {}],
  ['gssencmode=prefer', 'PGGSSENCMODE', {}],
  ['gssencmode=disable', 'PGGSSENCMODE', {}],
  ['krbsrvname=postgres', 'PGKRBSRVNAME', {}],
  ['replication=off', undefined, {}],
  ['passfile=/passwords', 'PGPASSFILE', { passwordFile: '/passwords' }],
];

const refused: readonly [pair: string, variable: string | undefined, advice: string][] = [
  ['channel_binding=yes', 'PGCHANNELBINDING', 'it is disable or prefer or require'],
  ['sslnegotiation=requiredirect', 'PGSSLNEGOTIATION', 'it is postgres or direct'],
  ['sslcrldir=/crls', 'PGSSLCRLDIR', 'leave it out'],
  ['sslcertmode=require', 'PGSSLCERTMODE', 'it is allow or disable'],
  ['sslpassword=hunter2', undefined, 'leave it out'],
  ['sslsni=0', 'PGSSLSNI', 'it is 1'],
  ['ssl=1', undefined, 'it is true'],
  ['ssl_min_protocol_version=TLSv1', 'PGSSLMINPROTOCOLVERSION', 'it is TLSv1.2 or TLSv1.3'],
  ['requirepeer=postgres', 'PGREQUIREPEER', 'leave it out'],
  ['require_auth=scram-sha-256', 'PGREQUIREAUTH', 'leave it out'],
  ['gssencmode=require', 'PGGSSENCMODE', 'it is disable or prefer'],
  ['client_encoding=LATIN1', undefined, 'UTF8'],
  ['replication=database', undefined, 'it is 0 or off'],
  ['keepalives_idle=soon', undefined, 'it is <number>'],
  ['target_session_attrs=prefer-standby', 'PGTARGETSESSIONATTRS', 'a store is written'],
];

const valueIn = (pair: string) => decodeURIComponent(pair.slice(pair.indexOf('=') + 1));

/** The three places where a parameter can stand. */
function places(
  pair: string,
  variable: string | undefined,
): [address: string, env: Record<string, string>][] {
  const services = join(folder, 'services');
  writeFileSync(services, `[plant]\n${pair.slice(0, pair.indexOf('='))}=${valueIn(pair)}\n`);
  const both: [string, Record<string, string>][] = [
    [`postgres://u@h/d?${pair}`, {}],
    ['postgres://u@h/d?service=plant', { PGSERVICEFILE: services }],
  ];
  return variable === undefined
    ? both
    : [...both, ['postgres://u@h/d', { [variable]: valueIn(pair) }]];
}

describe('a parameter of libpq', () => {
  it.each(works)(
    '%s works in an address, a service file and the environment',
    (pair, variable, becomes) => {
      for (const [address, env] of places(pair, variable)) {
        expect(parseLocation(address, env), address).toMatchObject({ database: 'd', ...becomes });
      }
    },
  );

  it.each(refused)('%s is refused by name with what is possible', (pair, variable, advice) => {
    for (const [address, env] of places(pair, variable)) {
      const parse = () => parseLocation(address, env);
      expect(parse).toThrow(expect.objectContaining({ code: 'usage' }));
      expect(parse, address).toThrow(pair.slice(0, pair.indexOf('=')));
      expect(parse).toThrow(advice);
      expect(parse).not.toThrow('hunter2');
    }
  });

  it('that is unknown is refused in a service file, too', () => {
    for (const [address, env] of places('chanel_binding=require', undefined)) {
      expect(() => parseLocation(address, env), address).toThrow('"chanel_binding"');
    }
  });

  it('that needs TLS is refused where there is none', () => {
    for (const rest of [
      '?host=/run&channel_binding=require',
      '?sslmode=disable&channel_binding=require',
    ]) {
      expect(() => parseLocation(`postgres:///d${rest}`, { PGHOST: 'h' }), rest).toThrow(
        'channel_binding=require needs',
      );
    }
    expect(() => parseLocation('postgres://h/d?sslmode=disable&sslnegotiation=direct', {})).toThrow(
      'needs TLS',
    );
    expect(
      parseLocation('postgres:///d?host=/run', { PGSSLNEGOTIATION: 'direct' }).tls.isDirect,
    ).toBe(false);
  });
});
