import type { Read } from '../api/api.ts';
import type { Site } from '../api/site.ts';

/** Dependencies of every view of an open page. */
export interface ViewContext {
  /** Facts of the site as the last turn of the loop has read them. */
  readonly site: Site;
  /** The parameters of the address, which change while the view stays. */
  readonly parameters: URLSearchParams;
  /** The address of this page that was shown before; the wall's if there was none. */
  readonly previousAddress: string;
  /** The element that the view fills. */
  container: HTMLElement;
  /** Asks the loop for a turn at once, since the person wants to see something else. */
  wake(): void;
}

/** A part of the page that draws what it reads, and keeps what a person is doing. */
export interface View {
  /** Reads and draws everything that the view shows; called by the loop. */
  refresh(read: Read): Promise<void> | void;
  /** Draws what new parameters of the address ask for, as far as it is known. */
  redraw?(): void;
  /** Ends what the view has started outside its container. */
  end?(): void;
}

/** Makes a view in the container of its context; the loop refreshes it. */
export type CreateView = (context: ViewContext) => View;
