import { createSecretFile } from '../../../src/cli/delivery/secret-file.ts';
import type { Actor } from '../../../src/core/domain/actors.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import type { SecretDelivery } from '../../../src/core/keys/issuance.ts';

/** The delivery into a file, apart from any store: the key of every secret is active, or was rotated. */
export function replacedFile(
  task: { path: string; isNew?: boolean },
  isActive = true,
): SecretDelivery {
  const key = { revokedAtMs: isActive ? null : 1, expiresAtMs: null };
  const store = {
    lockFiles: () => ({ isHeld: () => true, release() {} }),
    keys: { findByHash: () => key },
  };
  const domain = { store, clock: () => 2 } as unknown as Domain; // what the delivery asks for
  const actor = { user: { tenantId: 't' } } as Actor; // what the delivery reads of it
  const rest = { isOurs: async () => false, finished() {} };
  return createSecretFile({ say() {} }, domain, actor, { ...task, ...rest }).delivery;
}
