import { isHkctlError } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Rejection } from '../../core/readings/rejections.ts';
import { nounFor } from '../../core/text/words.ts';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import type { ApiError } from '../answers/problem.ts';

/** The rejected lines that an answer names. */
const namedLines = 5;

/** The answer that clients of InfluxDB understand: 204, or 400 with the first rejected lines. */
export function writeAnswer(
  rejected: readonly Rejection[],
  lineNumbers: readonly number[],
): Answer {
  if (rejected.length === 0)
    return { status: 204, headers: ['Cache-Control', 'no-store'], body: null };
  const lines = rejected
    .slice(0, namedLines)
    .map(({ index, code, detail }) => `line ${lineNumbers[index]}: ${code}: ${detail}`);
  const countText = `${rejected.length} ${nounFor(rejected.length, 'reading')}`;
  return refusal(`partial write: ${countText} rejected, the others are stored: ${lines.join(' ')}`);
}

/** Turns the refusal of a whole body or query, which is 400, into InfluxDB's JSON. */
export function asWriteRefusal(
  write: () => MaybePromise<Answer | ApiError>,
): MaybePromise<Answer | ApiError> {
  const refuse = (thrown: unknown): Answer => {
    if (isHkctlError(thrown) && (thrown.code === 'bad_json' || thrown.code === 'bad_parameter'))
      return refusal(thrown.message);
    throw thrown;
  };
  try {
    const outcome = write();
    return outcome instanceof Promise ? outcome.catch(refuse) : outcome;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function refusal(message: string): Answer {
  return { ...jsonAnswer(JSON.stringify({ code: 'invalid', message })), status: 400 };
}
