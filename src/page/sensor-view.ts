import { addressOfSensor } from './addresses.ts';
import { type CsvRow, toCsv } from './csv.ts';
import { type Curves, pointValue, readCurves, toColumns } from './curves.ts';
import { element, replaceContent } from './elements.ts';
import type { ListedSensor } from './models.ts';
import { mountPlot, type Plot } from './plot.ts';
import {
  longestMs,
  move,
  namedRanges,
  type PlotSpan,
  rangeAt,
  type ShownSpan,
  toTimeRange,
  zoom,
} from './ranges.ts';
import { startRefresh } from './refresh.ts';
import { compareTexts, readSensors, stateOf, stateWords } from './sensors.ts';
import { formatAge, formatInstant, fromLocalInput, toLocalInput } from './time.ts';
import { formatBattery, formatQuantity } from './values.ts';
import { attempt, type View } from './view.ts';

const mostSensors = 6;

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

    const title = element('h1', {}, id);
    const state = element('p', { className: 'summary', attributes: { role: 'status' } });
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
      on: { keydown: (event) => pressed(event as KeyboardEvent) },
    });
    const others = element('select', {
      attributes: { 'aria-label': 'Compare with another sensor' },
      on: { change: compare },
    });
    const from = element('input', { type: 'datetime-local', attributes: { 'aria-label': 'From' } });
    const to = element('input', { type: 'datetime-local', attributes: { 'aria-label': 'To' } });
    const spanProblem = element('p', { attributes: { role: 'alert' } });

    const readings = element(
      'div',
      {},
      element(
        'div',
        { className: 'bar', attributes: { role: 'group', 'aria-label': 'Span' } },
        ...namedRanges.map(({ name, ms }) => rangeLink(name, ms)),
        button('Back', () => history.back()),
        others,
        button('Save as CSV', saveCsv),
      ),
      element(
        'details',
        {},
        element('summary', {}, 'Other span'),
        element('div', { className: 'bar' }, from, to, button('Show', showTypedRange)),
        spanProblem,
      ),
      canvas,
      readout,
      element('p', { className: 'legend' }),
    );

    replaceContent(
      context.container,
      element('p', {}, element('a', { href: '#/sensors' }, '← All sensors')),
      title,
      state,
      readings,
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
      const all = (await readSensors(context.api)).sensors;
      sensors = [id, ...comparedIds]
        .slice(0, mostSensors)
        .flatMap((wanted) => all.find((sensor) => sensor.id === wanted) ?? []);
      showHeading(all);
      if (sensors.length === 0) return;

      curves = await readCurves(context.api, sensors, currentRange());
      draw(curves);
    }

    function showHeading(all: readonly ListedSensor[]): void {
      const sensor = sensors[0];
      readings.hidden = sensor === undefined;
      if (sensor === undefined) {
        title.textContent = 'No such sensor';
        state.textContent = 'This site has no sensor of that id.';
        return;
      }

      const nowMs = context.serverNow();
      title.textContent = sensor.name;
      state.textContent = [
        sensor.code,
        stateWords[stateOf(sensor, nowMs)],
        sensor.last_reading_at === null
          ? 'no reading yet'
          : `${formatQuantity(sensor.last_value, sensor.unit)}, ${formatAge(
              nowMs - Date.parse(sensor.last_reading_at),
            )} ago`,
        ...(sensor.last_battery === null ? [] : [formatBattery(sensor.last_battery)]),
        `times in ${zone}`,
      ].join(' · ');

      if (document.activeElement !== others) fillOthers(all);
      const range = currentRange();
      if (!from.value) from.value = toLocalInput(range.fromMs, zone);
      if (!to.value) to.value = toLocalInput(range.toMs, zone);
    }

    function fillOthers(all: readonly ListedSensor[]): void {
      const options = all
        .filter((sensor) => !sensors.includes(sensor))
        .sort((one, other) => compareTexts(one.code, other.code))
        .map((sensor) =>
          element('option', { value: sensor.id }, `${sensor.code} ${sensor.name}`.slice(0, 80)),
        );
      replaceContent(others, element('option', { value: '' }, 'Compare with …'), ...options);
      others.disabled = sensors.length >= mostSensors;
    }

    function draw(shown: Curves): void {
      const prepared = toColumns(shown);
      seconds = prepared.seconds;
      plot?.destroy();
      canvas.replaceChildren();
      plot = mountPlot(
        canvas,
        { ...prepared, sensors, range: currentRange(), timeZone: zone },
        { pointed, selected: goTo },
      );
      showLegend(shown);
      if (pointedIndex < 0) showTotals(shown);
    }

    function showLegend(shown: Curves): void {
      const legend = context.container.querySelector('.legend');
      if (!legend) return;

      const detail =
        shown.bucket === undefined
          ? 'single readings'
          : `means of ${shown.bucket}; zoom in for the quality of readings`;
      const names = sensors.map((sensor, index) =>
        element(
          'span',
          { className: `curve-${index + 1}` },
          sensor.code,
          index > 0 &&
            element(
              'a',
              { href: without(sensor.id), className: 'remove' },
              ` remove ${sensor.code}`,
            ),
        ),
      );
      const band =
        shown.bucket !== undefined && sensors.length === 1 ? ', band from lowest to highest' : '';
      replaceContent(legend, ...names, element('span', {}, `${detail}${band}`));
    }

    function showTotals(shown: Curves): void {
      const texts = shown.curves.map(({ sensor, points }) => {
        const values = points.flatMap((point) => pointValue(point) ?? []);
        if (values.length === 0) return `${sensor.code}: no readings in this span`;

        const lows = points.flatMap((point) => point.min ?? pointValue(point) ?? []);
        const highs = points.flatMap((point) => point.max ?? pointValue(point) ?? []);
        const lowest = lows.reduce((a, b) => Math.min(a, b));
        const highest = highs.reduce((a, b) => Math.max(a, b));
        return `${sensor.code}: lowest ${formatQuantity(lowest, sensor.unit)}, highest ${formatQuantity(highest, sensor.unit)}`;
      });
      readout.textContent = texts.join(' · ');
    }

    function pointed(index: number | null): void {
      const second = index === null ? undefined : seconds[index];
      if (!curves || index === null || second === undefined) return;

      pointedIndex = index;
      const texts = curves.curves.flatMap(({ sensor, points }) => {
        const point = points.find(({ at }) => Date.parse(at) / 1000 === second);
        if (!point) return [];

        const band =
          typeof point.min === 'number' && typeof point.max === 'number'
            ? ` (${formatQuantity(point.min, sensor.unit)} to ${formatQuantity(point.max, sensor.unit)})`
            : '';
        const quality = point.quality && point.quality !== 'good' ? `, ${point.quality}` : '';
        return [
          `${sensor.code} ${formatQuantity(pointValue(point), sensor.unit)}${band}${quality}`,
        ];
      });
      const time = formatInstant(second * 1000, zone, true);
      readout.textContent = `${time}  ${texts.join(' · ') || 'no reading'}`;
    }

    function pressed(event: KeyboardEvent): void {
      const actions: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => step(-1),
        ArrowRight: () => step(1),
        Home: () => step(Number.NEGATIVE_INFINITY),
        End: () => step(Number.POSITIVE_INFINITY),
        '+': () => goTo(zoom(currentRange(), 0.5)),
        '=': () => goTo(zoom(currentRange(), 0.5)),
        '-': () => goTo(zoom(currentRange(), 2)),
        PageUp: () => goTo(move(currentRange(), -0.5)),
        PageDown: () => goTo(move(currentRange(), 0.5)),
        Backspace: () => history.back(),
      };
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.altKey || event.metaKey) return;

      event.preventDefault();
      action();
    }

    function step(distance: number): void {
      if (seconds.length === 0) return;
      const from = pointedIndex < 0 ? seconds.length : pointedIndex;
      pointedIndex = Math.min(seconds.length - 1, Math.max(0, from + distance));
      plot?.pointAt(pointedIndex);
      pointed(pointedIndex);
    }

    function goTo(wanted: ShownSpan): void {
      location.hash = addressOfSensor(id, wanted, comparedIds);
    }

    function rangeLink(name: string, ms: number): HTMLElement {
      const link = button(name, () => goTo({ lastMs: ms }));
      link.setAttribute('aria-pressed', String('lastMs' in span && span.lastMs === ms));
      return link;
    }

    function showTypedRange(): void {
      const fromMs = fromLocalInput(from.value, zone);
      const toMs = fromLocalInput(to.value, zone);
      spanProblem.textContent = problemOfSpan(fromMs, toMs);
      if (fromMs === undefined || toMs === undefined || spanProblem.textContent !== '') return;
      goTo(toTimeRange(fromMs, toMs));
    }

    function compare(): void {
      if (others.value === '') return;
      location.hash = addressOfSensor(id, span, [...comparedIds, others.value]);
    }

    function without(comparedId: string): string {
      const remaining = comparedIds.filter((other) => other !== comparedId);
      return addressOfSensor(id, span, remaining);
    }

    function resize(): void {
      plot?.resize();
    }

    function saveCsv(): void {
      if (!curves) return;

      const name = `${sensors.map(({ code }) => code).join('_')}.csv`;
      const blob = new Blob([csvOf(curves)], { type: 'text/csv' });
      const address = URL.createObjectURL(blob);
      element('a', { href: address, download: name.replace(/[^\w.-]+/g, '_') }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
  };
}

/** Why a typed span cannot be shown; empty if it can. */
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

function button(text: string, pressed: () => void): HTMLButtonElement {
  return element('button', { type: 'button', on: { click: pressed } }, text);
}
