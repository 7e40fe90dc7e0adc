import { expect, it, onTestFinished } from 'vitest';
import { baseUrlOf, requireBaseUrl } from '../../../../src/cli/command/command.ts';
import type { Domain } from '../../../../src/core/domain/domain.ts';
import { Cli } from '../../harness.ts';

it.each([
  'https://api.example.com',
  'http://127.0.0.1:8420',
  'http://[::1]:8420',
  'https://werk-münchen.example/hkctl/v2',
])('%s is an address', (url) => {
  expect(requireBaseUrl(url)).toBe(url);
});

it('a host with umlauts is one, however often addresses were parsed before', () => {
  // Enough for V8 to compile the call, after which URL.canParse of Node 20 takes the bytes of such a text for UTF-8.
  for (let n = 0; n < 60_000; n++) requireBaseUrl(`http://[::${n.toString(16)}]`);
  const url = 'https://werk-münchen.example/hkctl/v2';
  expect(requireBaseUrl(url)).toBe(url);
});

it.each([
  'https://x;reboot',
  'https://x/$(reboot)',
  'https://x/`id`',
  "https://x/'",
  'https://x|sh',
  'https://x/&id',
  'https://x/>y',
  'https://x/\nid',
  'https://x y',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://[;id]',
  'https://x/*',
])('%s is none', (url) => {
  expect(() => requireBaseUrl(url)).toThrow('is not an address');
});

it('what was recorded in the store is an address only if it is one', async () => {
  const cli = await new Cli().seed();
  const store = await (await cli.services.engine(cli.place)).open();
  onTestFinished(() => store.close());
  const domain = { store } as Domain; // only its store is asked
  const shown = async (recorded: string) => {
    await store.daemon.recordAddress(recorded, process.pid, '1');
    return baseUrlOf(domain, undefined);
  };
  expect(await shown('http://127.0.0.1:8420')).toBe('http://127.0.0.1:8420');
  await store.daemon.clearAddress(process.pid);
  expect(await shown('http://127.0.0.1:8420/;reboot')).toBeUndefined();
});
