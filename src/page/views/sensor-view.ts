import type { ListedSensor, Point } from '../api/models.ts';
import { element, replaceContent } from '../display/elements.ts';
import { formatAge, formatInstant, fromLocalInput, toLocalInput } from '../display/time.ts';
import { formatBattery, formatQuantity } from '../display/values.ts';
import { type CsvRow, toCsv } from '../plots/csv.ts';
import { type Curve, type Curves, pointValue, readCurves, toColumns } from '../plots/curves.ts';
import { mountPlot, type Plot } from '../plots/plot.ts';
import {
  longestMs,
  move,
  namedRanges,
  type PlotSpan,
  rangeAt,
  type ShownSpan,
  toTimeRange,
  zoom,
} from '../plots/ranges.ts';
import { addressOfSensor } from './addresses.ts';
import { startRefresh } from './refresh.ts';
import { compareTexts, readSensors, stateOf, stateWords } from './sensors.ts';
import { attempt, type View } from './view.ts';

const maxSensors = 6;

/** A sensor, and up to five others to compare it with, over a span of time. */
export function sensorView(id: string, span: ShownSpan, withIds: readonly string[]): View {
  return (context) => {
    const zone = context.me.entity.timezone;
    const comparedIds = [...new Set(withIds)].filter((withId) => withId !== id);
    let sensors: readonly ListedSensor[] = [];
    let curves: Curves | undefined;
    let plot: Plot | undefined;
    let pointedIndex = -1;
    let seconds: number[] = [];

    const heading = element('h1', {}, id);
    const summary = element('p', {
      className: 'summary',
      attributes: { role: 'status' },
    });
    const readout = element('p', {
      className: 'readout',
      attributes: { role: 'status', 'aria-live': 'polite' },
    });
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
    const otherSensors = element('select', {
      attributes: { 'aria-label': 'Compare with another sensor' },
      on: { change: addComparison },
    });
    const fromInput = element('input', {
      type: 'datetime-local',
      attributes: { 'aria-label': 'From' },
    });
    const toInput = element('input', {
      type: 'datetime-local',
      attributes: { 'aria-label': 'To' },
    });
    const spanProblem = element('p', { attributes: { role: 'alert' } });

    const content = element(
      'div',
      {},
      element(
        'div',
        { className: 'bar', attributes: { role: 'group', 'aria-label': 'Span' } },
        ...namedRanges.map(({ name, ms }) => rangeLink(name, ms)),
        button('Back', () => history.back()),
        otherSensors,
        button('Save as CSV', saveCsv),
      ),
      element(
        'details',
        {},
        element('summary', {}, 'Other span'),
        element('div', { className: 'bar' }, fromInput, toInput, button('Show', showTypedRange)),
        spanProblem,
      ),
      canvas,
      readout,
      element('p', { className: 'legend' }),
    );

    replaceContent(
      context.container,
      element('p', {}, element('a', { href: '#/sensors' }, '← All sensors')),
      heading,
      summary,
      content,
    );

    addEventListener('resize', resize);
    const endRefresh = startRefresh(() => attempt(context, refresh));
    return () => {
      endRefresh();
      removeEventListener('resize', resize);
      plot?.destroy();
    };

    function currentRange(): PlotSpan {
      return rangeAt(span, context.serverNow());
    }

    async function refresh(): Promise<void> {
      const allSensors = (await readSensors(context.api)).sensors;
      const shownIds = [id, ...comparedIds].slice(0, maxSensors);
      sensors = shownIds.flatMap((shownId) => {
        return allSensors.find((sensor) => sensor.id === shownId) ?? [];
      });
      showHeading(allSensors);
      if (sensors.length === 0) return;

      curves = await readCurves(context.api, sensors, currentRange());
      drawPlot(curves);
    }

    function showHeading(allSensors: readonly ListedSensor[]): void {
      const sensor = sensors[0];
      content.hidden = sensor === undefined;
      if (sensor === undefined) {
        heading.textContent = 'No such sensor';
        summary.textContent = 'This site has no sensor of that id.';
        return;
      }

      const nowMs = context.serverNow();
      heading.textContent = sensor.name;
      summary.textContent = summaryParts(sensor, nowMs, zone).join(' · ');

      if (document.activeElement !== otherSensors) fillOthers(allSensors);
      const range = currentRange();
      if (!fromInput.value) {
        fromInput.value = toLocalInput(range.fromMs, zone);
      }
      if (!toInput.value) {
        toInput.value = toLocalInput(range.toMs, zone);
      }
    }

    function fillOthers(allSensors: readonly ListedSensor[]): void {
      const addableSensors = allSensors
        .filter((sensor) => !sensors.includes(sensor))
        .sort((one, other) => compareTexts(one.code, other.code));
      const options = addableSensors.map((sensor) => {
        const label = `${sensor.code} ${sensor.name}`.slice(0, 80);
        return element('option', { value: sensor.id }, label);
      });
      const hint = element('option', { value: '' }, 'Compare with …');
      replaceContent(otherSensors, hint, ...options);
      otherSensors.disabled = sensors.length >= maxSensors;
    }

    function drawPlot(shownCurves: Curves): void {
      const plotColumns = toColumns(shownCurves);
      seconds = plotColumns.seconds;

      plot?.destroy();
      canvas.replaceChildren();
      const plotCurves = {
        ...plotColumns,
        sensors,
        range: currentRange(),
        timeZone: zone,
      };
      plot = mountPlot(canvas, plotCurves, { pointed: showPoint, selected: showSpan });
      showLegend(shownCurves);
      if (pointedIndex < 0) showTotals(shownCurves);
    }

    function showLegend(shownCurves: Curves): void {
      const legend = context.container.querySelector('.legend');
      if (!legend) return;

      const { bucket } = shownCurves;
      const detail =
        bucket === undefined
          ? 'single readings'
          : `means of ${bucket}; zoom in for the quality of readings`;
      const names = sensors.map((sensor, index) => {
        return element(
          'span',
          { className: `curve-${index + 1}` },
          sensor.code,
          index > 0 && removalLink(sensor),
        );
      });
      const hasBand = bucket !== undefined && sensors.length === 1;
      const bandText = hasBand ? ', band from lowest to highest' : '';
      replaceContent(legend, ...names, element('span', {}, `${detail}${bandText}`));
    }

    function removalLink(sensor: ListedSensor): HTMLElement {
      const properties = { href: addressWithout(sensor.id), className: 'remove' };
      return element('a', properties, ` remove ${sensor.code}`);
    }

    function showTotals(shownCurves: Curves): void {
      const texts = shownCurves.curves.map(totalsText);
      readout.textContent = texts.join(' · ');
    }

    function showPoint(index: number | null): void {
      const second = index === null ? undefined : seconds[index];
      if (!curves || index === null || second === undefined) return;

      pointedIndex = index;
      const texts = curves.curves.flatMap(({ sensor, points }) => {
        const point = points.find(({ at }) => Date.parse(at) / 1000 === second);
        return point ? [pointText(sensor, point)] : [];
      });
      const time = formatInstant(second * 1000, zone, true);
      readout.textContent = `${time}  ${texts.join(' · ') || 'no reading'}`;
    }

    function handleKey(event: KeyboardEvent): void {
      const actions: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => movePointer(-1),
        ArrowRight: () => movePointer(1),
        Home: () => movePointer(Number.NEGATIVE_INFINITY),
        End: () => movePointer(Number.POSITIVE_INFINITY),
        '+': () => showSpan(zoom(currentRange(), 0.5)),
        '=': () => showSpan(zoom(currentRange(), 0.5)),
        '-': () => showSpan(zoom(currentRange(), 2)),
        PageUp: () => showSpan(move(currentRange(), -0.5)),
        PageDown: () => showSpan(move(currentRange(), 0.5)),
        Backspace: () => history.back(),
      };
      const action = actions[event.key];
      const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
      if (!action || hasModifier) return;

      event.preventDefault();
      action();
    }

    function movePointer(distance: number): void {
      if (seconds.length === 0) return;

      const startIndex = pointedIndex < 0 ? seconds.length : pointedIndex;
      const wantedIndex = Math.max(0, startIndex + distance);
      pointedIndex = Math.min(seconds.length - 1, wantedIndex);
      plot?.pointAt(pointedIndex);
      showPoint(pointedIndex);
    }

    function showSpan(wantedSpan: ShownSpan): void {
      location.hash = addressOfSensor(id, wantedSpan, comparedIds);
    }

    function rangeLink(name: string, rangeMs: number): HTMLElement {
      const link = button(name, () => showSpan({ lastMs: rangeMs }));
      const isShown = 'lastMs' in span && span.lastMs === rangeMs;
      link.setAttribute('aria-pressed', String(isShown));
      return link;
    }

    function showTypedRange(): void {
      const fromMs = fromLocalInput(fromInput.value, zone);
      const toMs = fromLocalInput(toInput.value, zone);
      spanProblem.textContent = problemOfSpan(fromMs, toMs);
      if (fromMs === undefined || toMs === undefined) return;
      if (spanProblem.textContent !== '') return;
      showSpan(toTimeRange(fromMs, toMs));
    }

    function addComparison(): void {
      if (otherSensors.value === '') return;
      location.hash = addressOfSensor(id, span, [...comparedIds, otherSensors.value]);
    }

    function addressWithout(comparedId: string): string {
      const remaining = comparedIds.filter((other) => other !== comparedId);
      return addressOfSensor(id, span, remaining);
    }

    function resize(): void {
      plot?.resize();
    }

    function saveCsv(): void {
      if (!curves) return;

      const sensorCodes = sensors.map(({ code }) => code).join('_');
      const fileName = `${sensorCodes}.csv`.replace(/[^\w.-]+/g, '_');
      const blob = new Blob([csvOf(curves)], { type: 'text/csv' });
      const address = URL.createObjectURL(blob);
      element('a', { href: address, download: fileName }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
  };
}

/** The parts of the line below the heading of a sensor. */
function summaryParts(sensor: ListedSensor, nowMs: number, zone: string): string[] {
  const parts = [sensor.code, stateWords[stateOf(sensor, nowMs)]];
  if (sensor.last_reading_at === null) {
    parts.push('no reading yet');
  } else {
    const ageMs = nowMs - Date.parse(sensor.last_reading_at);
    const quantity = formatQuantity(sensor.last_value, sensor.unit);
    parts.push(`${quantity}, ${formatAge(ageMs)} ago`);
  }
  if (sensor.last_battery !== null) {
    parts.push(formatBattery(sensor.last_battery));
  }
  return [...parts, `times in ${zone}`];
}

/** The lowest and the highest value of a curve. */
function totalsText({ sensor, points }: Curve): string {
  const values = points.flatMap((point) => pointValue(point) ?? []);
  if (values.length === 0) return `${sensor.code}: no readings in this span`;

  const lows = points.flatMap((point) => point.min ?? pointValue(point) ?? []);
  const highs = points.flatMap((point) => point.max ?? pointValue(point) ?? []);
  const lowest = lows.reduce((a, b) => Math.min(a, b));
  const highest = highs.reduce((a, b) => Math.max(a, b));
  const lowestText = formatQuantity(lowest, sensor.unit);
  const highestText = formatQuantity(highest, sensor.unit);
  return `${sensor.code}: lowest ${lowestText}, highest ${highestText}`;
}

/** A point for people: its value, its band if it is a bucket, and its quality unless that is good. */
function pointText({ code, unit }: ListedSensor, point: Point): string {
  const { min, max, quality } = point;
  const hasBand = typeof min === 'number' && typeof max === 'number';
  const bandText = hasBand ? ` (${formatQuantity(min, unit)} to ${formatQuantity(max, unit)})` : '';
  const qualityText = quality && quality !== 'good' ? `, ${quality}` : '';
  return `${code} ${formatQuantity(pointValue(point), unit)}${bandText}${qualityText}`;
}
/** The reason why a typed span cannot be shown; empty if it can. */
function problemOfSpan(fromMs: number | undefined, toMs: number | undefined): string {
  if (fromMs === undefined || toMs === undefined) return 'Give a beginning and an end.';
  if (fromMs >= toMs) return 'The end must be after the beginning.';
  return toMs - fromMs > longestMs ? 'A plot shows at most 20 years.' : '';
}

function csvOf({ curves, bucket }: Curves): string {
  const rows: CsvRow[] = curves.flatMap(({ sensor, points }) =>
    points.map((point) => ({
      at: point.at,
      value: pointValue(point),
      extra: {
        sensor: sensor.code,
        min: point.min,
        max: point.max,
        count: point.count,
        quality: point.quality,
      },
    })),
  );
  const columns = bucket === undefined ? ['quality'] : ['min', 'max', 'count'];
  return toCsv(rows, curves.length > 1 ? ['sensor', ...columns] : columns);
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', on: { click: onClick } }, label);
}
