import { element, updateContent } from '../display/elements.ts';
import { formatInstant } from '../display/time.ts';
import { boundsText, increaseText, kindText, pointText } from './curve-texts.ts';
import { type Curves, toColumns } from './curves.ts';
import { mountPlot, type Plot } from './plot.ts';
import { move, type PlotSpan, zoom } from './ranges.ts';

/** A plot with the values under its cursor and its legend. */
interface PlotPanel {
  nodes: readonly HTMLElement[];
  /** Shows curves; while the person draws a range, once that ends. */
  show(contents: PlotContents): void;
  /** The curves on the screen. */
  drawnCurves(): Curves | undefined;
  end(): void;
}

interface PlotContents {
  curves: Curves;
  range: PlotSpan;
  timeZone: string;
}

interface PlotPanelEvents {
  /** The range of the address, which may not be read yet. */
  currentRange(): PlotSpan;
  spanChosen(span: PlotSpan): void;
  /** The person wants to see what was there before. */
  backChosen(): void;
  /** The address without a sensor that is compared. */
  addressWithout(sensorId: string): string;
}

/** The room for a plot on a sheet of A4, in pixels. */
const paperWidth = 680;

export function createPlotPanel(events: PlotPanelEvents): PlotPanel {
  let contents: PlotContents | undefined;
  let drawnContents: PlotContents | undefined;
  let plot: Plot | undefined;
  let seconds: number[] = [];
  let pointedSecond: number | undefined;

  const canvas = element('div', {
    className: 'plot',
    tabIndex: 0,
    attributes: {
      role: 'application',
      'aria-label':
        'Plot. Left and right arrows read values, plus and minus zoom, Page Up and Page Down move.',
    },
    on: { keydown: (event) => handleKey(event as KeyboardEvent) },
  });
  const readout = element('p', {
    className: 'readout',
    attributes: { role: 'status', 'aria-live': 'polite' },
  });
  const legend = element('p', { className: 'legend' });

  const windowEvents: Readonly<Record<string, () => void>> = {
    resize: () => draw(),
    beforeprint: () => draw(paperWidth),
    afterprint: () => draw(),
    mouseup: drawAfterDrag,
  };
  for (const [name, listener] of Object.entries(windowEvents)) addEventListener(name, listener);

  return {
    nodes: [canvas, readout, legend],
    show(newContents) {
      contents = newContents;
      draw();
    },
    drawnCurves: () => drawnContents?.curves,
    end() {
      for (const [name, listener] of Object.entries(windowEvents)) {
        removeEventListener(name, listener);
      }
      plot?.destroy();
    },
  };

  /** Draws what was read, but never below a person who drags. */
  function draw(width = canvas.clientWidth): void {
    if (!contents || plot?.isDragged()) return;

    const { curves, range, timeZone } = contents;
    const plotColumns = toColumns(curves);
    seconds = plotColumns.seconds;
    drawnContents = contents;
    plot?.destroy();
    canvas.replaceChildren();
    const plotCurves = {
      ...plotColumns,
      sensors: curves.curves.map(({ sensor }) => sensor),
      range,
      timeZone,
      width,
      isIncrease: curves.isIncrease,
    };
    const plotEvents = { pointed: showPoint, selected: events.spanChosen };
    plot = mountPlot(canvas, plotCurves, plotEvents);
    showLegend(curves);

    const pointedIndex = seconds.indexOf(pointedSecond ?? Number.NaN);
    if (pointedIndex >= 0) plot.pointAt(pointedIndex);
    else showTotals(curves);
  }

  /** A drag that has chosen no span leaves the plot; what was read meanwhile is drawn now. */
  function drawAfterDrag(): void {
    if (contents !== drawnContents) setTimeout(() => draw());
  }

  function showLegend(curves: Curves): void {
    const names = curves.curves.map(({ sensor }, index) => {
      const href = events.addressWithout(sensor.id);
      const removalLink = element('a', { href, className: 'remove' }, ` remove ${sensor.code}`);
      return element(
        'span',
        { className: `curve-${index + 1}` },
        sensor.code,
        index > 0 && removalLink,
      );
    });
    const qualities = new Set(
      curves.curves.flatMap(({ points }) => points.map(({ quality }) => quality)),
    );
    const rings = (['uncertain', 'bad'] as const).filter((quality) => qualities.has(quality));
    updateContent(
      legend,
      ...names,
      element('span', {}, kindText(curves)),
      ...rings.map((quality) => element('span', { className: `ring ${quality}` }, quality)),
    );
  }

  function showTotals({ curves, isIncrease }: Curves): void {
    const texts = curves.map(isIncrease ? increaseText : boundsText);
    readout.textContent = texts.join(' · ');
  }

  function showPoint(index: number | null): void {
    const second = index === null ? undefined : seconds[index];
    if (!drawnContents || second === undefined) return;

    pointedSecond = second;
    const texts = drawnContents.curves.curves.flatMap((curve) => {
      const point = curve.points.find(({ at }) => Date.parse(at) / 1000 === second);
      return point ? [pointText(curve, point)] : [];
    });
    const time = formatInstant(second * 1000, drawnContents.timeZone, true);
    readout.textContent = `${time}  ${texts.join(' · ') || 'no reading'}`;
  }

  function handleKey(event: KeyboardEvent): void {
    const range = events.currentRange();
    const actions = new Map<string, () => void>([
      ['ArrowLeft', () => movePointer(-1)],
      ['ArrowRight', () => movePointer(1)],
      ['Home', () => movePointer(Number.NEGATIVE_INFINITY)],
      ['End', () => movePointer(Number.POSITIVE_INFINITY)],
      ['+', () => events.spanChosen(zoom(range, 0.5))],
      ['=', () => events.spanChosen(zoom(range, 0.5))],
      ['-', () => events.spanChosen(zoom(range, 2))],
      ['PageUp', () => events.spanChosen(move(range, -0.5))],
      ['PageDown', () => events.spanChosen(move(range, 0.5))],
      ['Backspace', events.backChosen],
    ]);
    const action = actions.get(event.key);
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
    if (!action || hasModifier) return;

    event.preventDefault();
    action();
  }

  function movePointer(distance: number): void {
    if (seconds.length === 0) return;

    const pointedIndex = seconds.indexOf(pointedSecond ?? Number.NaN);
    const startIndex = pointedIndex < 0 ? seconds.length : pointedIndex;
    const wantedIndex = Math.max(0, startIndex + distance);
    const index = Math.min(seconds.length - 1, wantedIndex);
    plot?.pointAt(index);
    showPoint(index);
  }
}
