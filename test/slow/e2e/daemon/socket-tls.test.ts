import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, type Running } from '../../../e2e/program.ts';
import { Machine } from '../../machine/machine.ts';

/**
 * As systemd does with the units: the socket is there before the daemon, which starts with the first connection, and root copies
 * certificate and key to where the account can read them (systemd.exec(5), LoadCredential).
 */
const start = `
  units=/usr/lib/systemd/system
  export CREDENTIALS_DIRECTORY=/run/credentials/hkctl.service
  install -d -m 500 -o hkctl $CREDENTIALS_DIRECTORY
  sed -n 's/^LoadCredential=//p' $units/hkctl.service | while IFS=: read -r name path; do
    install -m 400 -o hkctl "$path" "$CREDENTIALS_DIRECTORY/$name"
  done
  address=$(sed -n 's/^ListenStream=//p' $units/hkctl.socket)
  eval "set -- $(sed -n 's/^ExecStart=//p' $units/hkctl.service)"
  cd /
  exec systemd-socket-activate -l "$address" -E STATE_DIRECTORY=/var/lib/hkctl -E CREDENTIALS_DIRECTORY \\
    setpriv --reuid hkctl --regid hkctl --init-groups "$@"`;

describe('socket activation with TLS', () => {
  let machine: Machine;
  let daemon: Running;
  beforeAll(async () => {
    machine = await Machine.open('systemd-socket-activate', 'openssl', 'curl');
    // Where a unit may run a program from; the clone may be in a folder that it hides.
    const hkctl = '/opt/hkctl';
    await machine.run(
      'root',
      `printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' '${process.execPath}' '${cli}' > ${hkctl}
      chmod 755 ${hkctl}
      useradd --system --home-dir /var/lib/hkctl hkctl
      install -d -o hkctl -g hkctl -m 700 /var/lib/hkctl
      install -d -m 700 /etc/hkctl
      openssl req -x509 -newkey rsa:2048 -nodes -keyout /etc/hkctl/key.pem -out /etc/hkctl/cert.pem -days 2 \\
        -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> /dev/null
      chmod 600 /etc/hkctl/*
      cp /etc/hkctl/cert.pem /tmp/ca.pem
      chmod 644 /tmp/ca.pem
      tls='--tls-cert /etc/hkctl/cert.pem --tls-key /etc/hkctl/key.pem'
      mkdir -p /usr/lib/systemd/system
      ${hkctl} systemd-unit $tls --exec ${hkctl} --folder /usr/lib/systemd/system
      ${hkctl} systemd-unit --socket --folder /usr/lib/systemd/system
      setpriv --reuid hkctl --regid hkctl --init-groups env STATE_DIRECTORY=/var/lib/hkctl ${hkctl} init --org A \\
        --entity BER --entity-name B --timezone UTC --admin root`,
    );
    daemon = machine.start('root', start);
    await daemon.says(/Listening on/);
  });
  afterAll(() => machine?.close());

  const get = (path: string) =>
    machine.run(
      'root',
      `curl -sS --cacert /tmp/ca.pem --max-time 20 https://localhost:8420${path}`,
    );

  it('starts the daemon with the first connection, which is answered', async () => {
    expect(daemon.stderr).not.toContain('hkctl serves');
    expect(await get('/readyz')).toContain('ready');
    await daemon.says(/hkctl serves https:\/\//);
  });

  it('uses a key that the account of the daemon cannot read where root keeps it', async () => {
    const as = 'setpriv --reuid hkctl --regid hkctl --init-groups';
    const owner = await machine.run(
      'root',
      `stat -c %U /proc/$(pgrep -f '[h]kctl.js serve' | tail -1)`,
    );
    expect(owner).toBe('hkctl\n');
    expect(await machine.run('root', `${as} cat /etc/hkctl/key.pem 2>&1 || true`)).toContain(
      'Permission denied',
    );
    expect(
      await machine.run('root', 'stat -c "%U %a" /run/credentials/hkctl.service/tls-key'),
    ).toBe('hkctl 400\n');
    expect(await get('/api/v1/openapi.json')).toContain('"openapi"');
  });

  it('answers plain HTTP on that socket with no secret and no hang', async () => {
    const answer = await machine.run(
      'root',
      'curl -sS --max-time 10 http://localhost:8420/healthz 2>&1 || true',
    );
    expect(answer).not.toContain('ok');
  });
});
