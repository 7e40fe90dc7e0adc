import type { Guidance } from '../../command/command.ts';

const unchangeable: Guidance = {
  message: 'A key cannot be changed, except its note.',
  hint: 'Create a new key (hkctl keys create), move the integration to it, then revoke the old one: hkctl keys revoke REF. The note: hkctl keys note REF TEXT',
};

const revokedForGood: Guidance = {
  message: 'Revoking is final: a revoked key stays revoked.',
  hint: 'Create a new key: hkctl keys create',
};

const notPausable: Guidance = {
  message: 'A key cannot be paused.',
  hint: 'To stop all keys of an entity for a while: hkctl entities deactivate CODE. To stop one key for good: hkctl keys revoke REF',
};

const notExtendable: Guidance = {
  message: 'The expiry of a key cannot be changed.',
  hint: 'Create a new key (hkctl keys create), move the integration to it, then revoke the old one: hkctl keys revoke REF. For a new secret only: hkctl keys rotate REF',
};

function forEach(words: readonly string[], guidance: Guidance): Record<string, Guidance> {
  return Object.fromEntries(words.map((word) => [word, guidance]));
}

/** The answers to subcommands that keys do not have. */
export const keyGuidance: Readonly<Record<string, Guidance>> = {
  ...forEach(
    ['rename', 'edit', 'update', 'set', 'change', 'modify', 'move', 'grant', 'allow'],
    unchangeable,
  ),
  ...forEach(['unrevoke', 'restore', 'undo', 'undelete', 'recover'], revokedForGood),
  ...forEach(['reactivate', 'activate', 'enable', 'unlock', 'resume'], revokedForGood),
  ...forEach(['disable', 'deactivate', 'suspend', 'pause', 'lock', 'stop'], notPausable),
  ...forEach(['extend', 'renew', 'expire', 'prolong', 'refresh'], notExtendable),
};

const keptByRotation: Guidance = {
  message: 'A rotation keeps name, entity, permissions, expiry, addresses and note.',
  hint: 'To change them: hkctl keys create, move the integration, then hkctl keys revoke REF. The note: hkctl keys note REF TEXT',
};

/** The answers to flags of `keys create` that `keys rotate` does not have. */
export const rotationGuidance: Readonly<Record<string, Guidance>> = forEach(
  ['--expires', '--name', '--entity', '--preset', '--permission', '--allow-ip', '--note'],
  keptByRotation,
);
