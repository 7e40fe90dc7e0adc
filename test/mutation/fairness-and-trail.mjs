const fairness = ['test/http/fairness'];
const answers = ['test/http/request', 'test/http/scenarios.test.ts'];
const bodies = ['test/http/ingest', 'test/http/scenarios.test.ts', 'test/http/routes'];
const scanned = ['test/http/ingest/batch-text.test.ts'];
const trail = ['test/core/audit', 'test/cli/commands/audit'];
const delivery = ['test/cli/delivery'];

/** Mutants of what keeps clients apart, of bodies and answers, the audit trail and the delivery of secrets. */
export const furtherMutants = [
  [
    'src/http/fairness/budget.ts',
    'return held === 0 || held + bytes <= this.#bytes - this.#held;',
    'return true;',
    ...fairness,
  ],
  [
    'src/http/fairness/budget.ts',
    'this.#heldOf(a.holder) - this.#heldOf(b.holder)',
    'this.#heldOf(b.holder) - this.#heldOf(a.holder)',
    ...fairness,
  ],
  [
    'src/http/fairness/memory.ts',
    'exchange.answerReservation ??= answers.holdShare(bytes',
    'exchange.answerReservation ??= answers.hold(bytes',
    ...fairness,
  ],
  ['src/http/fairness/memory.ts', 'for (const reservation of reservations) reservation.release();', '', ...fairness],
  [
    'src/http/fairness/fair-scheduler.ts',
    'this.#running.size < this.#most && !this.#running.has(owner)',
    'this.#running.size < this.#most',
    ...fairness,
  ],
  [
    'src/http/fairness/slices.ts',
    'if (!work.advance()) this.#waiting.putBack(work.holder, work);',
    'while (!work.advance());',
    ...fairness,
  ],
  ['src/http/fairness/disconnects.ts', 'if (socket.destroyed) controller.abort();', '', ...fairness],
  ['src/http/request/response.ts', 'if (!page) for (const text of apiHeaders) head.push(text);', '', ...answers],
  ['src/http/request/response.ts', "if (this.#res.destroyed) return 'done';", '', ...answers],
  ['src/http/request/preconditions.ts', 'return isStrong && ', 'return ', ...answers],
  [
    'src/http/ingest/body.ts',
    'if (size > maxBodyBytes) end(() => reject(tooLarge()));\n      else if (!hasSpace',
    'if (!hasSpace',
    ...bodies,
  ],
  [
    'src/http/request/batches.ts',
    ' || (!source.destroyed && this.#flow.isAnswering(source))',
    '',
    'test/http/fairness/slices.test.ts',
  ],
  ['src/http/request/batches.ts', '(!source.destroyed && ', '(', 'test/http/fairness/slices.test.ts'],
  [
    'src/http/net/framing.ts',
    'if (answer?.req.complete) {',
    'if (answer?.req.complete === null) {',
    'test/http/net/framing.test.ts',
  ],
  ['src/http/net/framing.ts', 'if (answering.has(socket)) return;', '', 'test/http/net/framing.test.ts'],
  ['src/http/net/framing.ts', ' && req.httpVersionMinor > 0', '', 'test/http/net/framing.test.ts'],
  [
    'src/cli/terminal/prompts/pasted-text.ts',
    'if (chunk.includes(ctrlC, kept.length)) this.push(ctrlC);',
    '',
    'test/cli/terminal/prompts',
  ],
  [
    'src/cli/terminal/prompts/pasted-text.ts',
    'wholeCharacters(chunk, left)',
    'Math.min(chunk.length, left)',
    'test/cli/terminal/prompts',
  ],
  ['src/cli/terminal/prompts/pasted-text.ts', 'left -= kept.length;', '', 'test/cli/terminal/prompts'],
  ['src/http/ingest/body.ts', 'maxOutputLength: maxBodyBytes', 'maxOutputLength: 2 * maxBodyBytes', ...bodies],
  ['src/http/ingest/batch-text.ts', 'if (items.length === maxBatch) throw tooMany();', '', ...scanned],
  ['src/http/ingest/batch-text.ts', 'parsed > parsedAtOnce || items', 'items', ...scanned],
  ['src/http/ingest/batch-text.ts', 'at = end;\n    yield;', 'at = end;', ...scanned],
  [
    'src/http/ingest/item-scan.ts',
    'if (depth++ === maxDepth && ++this.#deep > maxBatch) throw tooDeep();',
    'depth++;',
    ...scanned,
  ],
  [
    'src/http/ingest/item-scan.ts',
    'this.#passString(this.#at - 1, until) + 1',
    'this.#passString(this.#at, until) + 1',
    ...scanned,
  ],
  [
    'src/http/ingest/item-scan.ts',
    'if (!this.#isInString || at >= until) return at;',
    'if (!this.#isInString) return at;',
    ...scanned,
  ],
  ['src/http/ingest/senml.ts', '.slice(0, longestBaseName)', '', 'test/http/ingest/senml.test.ts'],
  ['src/core/readings/rejections.ts', 'value.slice(0, searchedLength)', 'value', 'test/core/readings/readings.test.ts'],
  ['src/core/keys/leak-scan.ts', 'secretLength - 1', 'secretLength - 2', 'test/cli/commands/keys/scan.test.ts'],
  [
    'src/core/keys/networks.ts',
    'if (text.length > longestAddress) return undefined;',
    '',
    'test/http/auth/client-addresses.test.ts',
  ],
  ['src/core/audit/chain.ts', 'if (previousHash !== (previous?.hash ?? genesisHash))', 'if (false)', ...trail],
  ['src/core/audit/chain.ts', 'withoutSecrets(wellFormed(text))', 'wellFormed(text)', ...trail],
  ['src/core/audit/verification.ts', 'if (before > records)', 'if (false)', ...trail],
  ['src/core/audit/verification.ts', 'if (after >= records) return null;', 'return null;', ...trail],
  ['src/core/audit/anchors.ts', 'this.#last > records', 'false', ...trail],
  ['src/core/audit/anchors.ts', 'kept.size === 1 && kept.has(hash)', 'kept.has(hash)', ...trail],
  [
    'src/cli/delivery/stdout.ts',
    'if (!io.stdout.isNull) return;',
    'return;',
    ...delivery,
    'test/e2e/secrets/pipes.test.ts',
  ],
  ['src/cli/delivery/files.ts', 'if (made) unlinkSync(path);', '', ...delivery],
  ['src/cli/delivery/files.ts', 'if (like) keepOwner(fd, like);', '', ...delivery],
  ['src/cli/delivery/files.ts', 'if (stillOurs()) unlinkSync(pending);', 'unlinkSync(pending);', ...delivery],
  [
    'src/store/backup-file/backup-target.ts',
    'if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return;',
    'return;',
    'test/cli/commands/backups/backup.test.ts',
  ],
];
