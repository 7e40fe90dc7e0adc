import type { Api } from '../api/api.ts';
import type { Me, Resource } from '../api/models.ts';
import type { Problem } from '../api/problems.ts';

/** Dependencies of every view of an open page. */
export interface ViewContext {
  api: Api;
  me: Me;
  resources: readonly Resource[];
  /** The element that the view fills. */
  container: HTMLElement;
  /** The instant of the server's clock, in milliseconds. */
  serverNow(): number;
  /** Shows why something could not be read; `undefined` removes that. */
  showProblem(problem: Problem | undefined): void;
}

/** Fills the container of its context; the result ends what the view has started. */
export type View = (context: ViewContext) => () => void;

/** Runs work of a view and shows its problem, if it has one. */
export async function attempt(context: ViewContext, task: () => Promise<void>): Promise<void> {
  try {
    await task();
    context.showProblem(undefined);
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.name === 'Problem')) {
      throw thrown;
    }
    context.showProblem(thrown as Problem);
  }
}
