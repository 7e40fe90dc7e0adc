import type { Read } from '../api/api.ts';
import type { ListedSensor } from '../api/models.ts';
import { describeRecord } from '../api/openapi.ts';
import { button, element, updateContent } from '../display/elements.ts';
import { formatAge, formatInstant, fromLocalInput, toLocalInput } from '../display/time.ts';
import { formatBattery, formatQuantity } from '../display/values.ts';
import { decimalSignOf } from '../plots/csv.ts';
import { boundsText, csvOf, increaseText, kindText, pointText } from '../plots/curve-texts.ts';
import { type Curves, readCurves, readIncreases, toColumns } from '../plots/curves.ts';
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
import { addressOfSensor, spanOf } from './addresses.ts';
import { drawFacts } from './record-view.ts';
import { compareTexts, readAssetNames, readSensors, stateOf, stateWords } from './sensors.ts';
import type { CreateView } from './view.ts';

const maxSensors = 6;
/** The room for a plot on a sheet of A4, in pixels. */
const paperWidth = 680;

/** A sensor, and up to five others to compare it with, over a span of time. */
export function sensorView(id: string): CreateView {
  return (context) => {
    let sensors: readonly ListedSensor[] = [];
    let curves: Curves | undefined;
    let drawnCurves: Curves | undefined;
    let plot: Plot | undefined;
    let pointedSecond: number | undefined;
    let seconds: number[] = [];
    let typedAddress: string | undefined;

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
    const csvForm = element(
      'select',
      { attributes: { 'aria-label': 'Form of the CSV' } },
      element('option', { value: '.' }, '1.5 , 2.5'),
      element('option', { value: ',' }, '1,5 ; 2,5'),
    );
    csvForm.value = decimalSignOf(navigator.language);
    const spanProblem = element('p', { attributes: { role: 'alert' } });
    const rangeButtons = namedRanges.map(({ name, ms }) => {
      return { ms, node: button(name, () => showSpan({ lastMs: ms })) };
    });
    const increaseButton = button('Increase', () => {
      location.hash = addressOfSensor(id, currentSpan(), comparedIds(), !showsIncrease());
    });
    increaseButton.title = 'What a counter has grown by';
    const laterButton = button('Later →', showLater);
    const legend = element('p', { className: 'legend' });
    const details = element('div');

    const content = element(
      'div',
      { hidden: true },
      element(
        'div',
        { className: 'bar', attributes: { role: 'group', 'aria-label': 'Span' } },
        ...rangeButtons.map(({ node }) => node),
        increaseButton,
        button('← Earlier', () => showSpan(move(currentRange(), -1))),
        laterButton,
        button('Back', goBack),
        otherSensors,
        element('span', { className: 'pair' }, button('Save as CSV', saveCsv), csvForm),
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
      legend,
      element('h2', {}, 'This sensor'),
      details,
    );

    context.container.append(
      element('p', {}, element('a', { href: wallAddress() }, '← All sensors')),
      heading,
      summary,
      content,
    );

    const windowEvents: Readonly<Record<string, () => void>> = {
      resize: () => drawPlot(),
      beforeprint: () => drawPlot(paperWidth),
      afterprint: () => drawPlot(),
      mouseup: drawAfterDrag,
    };
    for (const [name, listener] of Object.entries(windowEvents)) addEventListener(name, listener);
    return {
      refresh,
      redraw: drawControls,
      end() {
        for (const [name, listener] of Object.entries(windowEvents)) {
          removeEventListener(name, listener);
        }
        plot?.destroy();
      },
    };

    function timeZone(): string {
      return context.site.me.entity.timezone;
    }

    function currentSpan(): ShownSpan {
      return spanOf(context.parameters);
    }

    function currentRange(): PlotSpan {
      return rangeAt(currentSpan(), context.site.now());
    }

    function showsIncrease(): boolean {
      return context.parameters.get('show') === 'increase';
    }

    function comparedIds(): string[] {
      const withIds = new Set(context.parameters.getAll('with'));
      return [...withIds].filter((withId) => withId !== id);
    }

    /** The wall as the person left it, with its search. */
    function wallAddress(): string {
      const { previousAddress } = context;
      return /^#\/sensors(\?|$)/.test(previousAddress) ? previousAddress : '#/sensors';
    }

    async function refresh(read: Read): Promise<void> {
      const allSensors = await readSensors(read);
      const shownIds = [id, ...comparedIds()].slice(0, maxSensors);
      sensors = shownIds.flatMap((shownId) => {
        return allSensors.find((sensor) => sensor.id === shownId) ?? [];
      });
      const assetNames = await readAssetNames(read, context.site);
      showHeading(allSensors, assetNames);
      if (!sensors[0]) return;

      const fields = await describeRecord(read, 'sensors');
      updateContent(details, drawFacts({ ...sensors[0] }, fields, context.site));
      const readShown = showsIncrease() ? readIncreases : readCurves;
      curves = await readShown(read, sensors, currentRange());
      drawPlot();
    }

    function showHeading(
      allSensors: readonly ListedSensor[],
      assetNames: ReadonlyMap<string, string>,
    ): void {
      const sensor = sensors[0];
      content.hidden = sensor === undefined;
      if (sensor === undefined) {
        heading.textContent = 'No such sensor';
        summary.textContent = 'This site has no sensor of that id.';
        return;
      }

      heading.textContent = sensor.name;
      const assetName = assetNames.get(sensor.asset_id ?? '');
      const parts = summaryParts(sensor, context.site.now(), timeZone());
      summary.textContent = [...parts, ...(assetName === undefined ? [] : [assetName])].join(' · ');
      fillOthers(allSensors);
      drawControls();
    }

    /** Shows the span of the address; what a person has typed for it stays until the address changes. */
    function drawControls(): void {
      const span = currentSpan();
      const range = currentRange();
      for (const { ms, node } of rangeButtons) {
        const isShown = 'lastMs' in span && span.lastMs === ms;
        node.setAttribute('aria-pressed', String(isShown));
      }
      increaseButton.setAttribute('aria-pressed', String(showsIncrease()));
      laterButton.disabled = range.toMs >= context.site.now() - 1;

      const address = context.parameters.toString();
      if (address === typedAddress) return;
      typedAddress = address;
      fromInput.value = toLocalInput(range.fromMs, timeZone());
      toInput.value = toLocalInput(range.toMs, timeZone());
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
      updateContent(otherSensors, hint, ...options);
      otherSensors.disabled = sensors.length >= maxSensors;
    }

    /** Draws what was read, but never below a person who drags. */
    function drawPlot(width = canvas.clientWidth): void {
      if (!curves || plot?.isDragged()) return;

      const plotColumns = toColumns(curves);
      seconds = plotColumns.seconds;
      drawnCurves = curves;
      plot?.destroy();
      canvas.replaceChildren();
      const plotCurves = {
        ...plotColumns,
        sensors,
        range: currentRange(),
        timeZone: timeZone(),
        width,
        isIncrease: curves.isIncrease,
      };
      plot = mountPlot(canvas, plotCurves, { pointed: showPoint, selected: showSpan });
      showLegend(curves);

      const pointedIndex = seconds.indexOf(pointedSecond ?? Number.NaN);
      if (pointedIndex >= 0) plot.pointAt(pointedIndex);
      else showTotals(curves);
    }

    /** A drag that has chosen no span leaves the plot; what was read meanwhile is drawn now. */
    function drawAfterDrag(): void {
      if (curves !== drawnCurves) setTimeout(() => drawPlot());
    }

    function showLegend(shownCurves: Curves): void {
      const names = sensors.map((sensor, index) => {
        return element(
          'span',
          { className: `curve-${index + 1}` },
          sensor.code,
          index > 0 && removalLink(sensor),
        );
      });
      const qualities = new Set(
        shownCurves.curves.flatMap(({ points }) => points.map(({ quality }) => quality)),
      );
      const rings = (['uncertain', 'bad'] as const).filter((quality) => qualities.has(quality));
      updateContent(
        legend,
        ...names,
        element('span', {}, kindText(shownCurves)),
        ...rings.map((quality) => element('span', { className: `ring ${quality}` }, quality)),
      );
    }

    function removalLink(sensor: ListedSensor): HTMLElement {
      const properties = { href: addressWithout(sensor.id), className: 'remove' };
      return element('a', properties, ` remove ${sensor.code}`);
    }

    function showTotals(shownCurves: Curves): void {
      const textOf = shownCurves.isIncrease ? increaseText : boundsText;
      const texts = shownCurves.curves.map(textOf);
      readout.textContent = texts.join(' · ');
    }

    function showPoint(index: number | null): void {
      const second = index === null ? undefined : seconds[index];
      if (!drawnCurves || second === undefined) return;

      pointedSecond = second;
      const texts = drawnCurves.curves.flatMap((curve) => {
        const point = curve.points.find(({ at }) => Date.parse(at) / 1000 === second);
        return point ? [pointText(curve, point)] : [];
      });
      const time = formatInstant(second * 1000, timeZone(), true);
      readout.textContent = `${time}  ${texts.join(' · ') || 'no reading'}`;
    }

    function handleKey(event: KeyboardEvent): void {
      const actions = new Map<string, () => void>([
        ['ArrowLeft', () => movePointer(-1)],
        ['ArrowRight', () => movePointer(1)],
        ['Home', () => movePointer(Number.NEGATIVE_INFINITY)],
        ['End', () => movePointer(Number.POSITIVE_INFINITY)],
        ['+', () => showSpan(zoom(currentRange(), 0.5))],
        ['=', () => showSpan(zoom(currentRange(), 0.5))],
        ['-', () => showSpan(zoom(currentRange(), 2))],
        ['PageUp', () => showSpan(move(currentRange(), -0.5))],
        ['PageDown', () => showSpan(move(currentRange(), 0.5))],
        ['Backspace', goBack],
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

    function showSpan(wantedSpan: ShownSpan): void {
      location.hash = addressOfSensor(id, wantedSpan, comparedIds(), showsIncrease());
    }

    /** The next span; one that would end in the future moves on with the time. */
    function showLater(): void {
      const range = currentRange();
      const lengthMs = range.toMs - range.fromMs;
      const laterRange = move(range, 1);
      const namedRange = namedRanges.find(({ ms }) => ms === lengthMs);
      // Some time has passed since the span before was the last one.
      const reachesNow = laterRange.toMs >= context.site.now() - lengthMs / 20;
      showSpan(reachesNow && namedRange ? { lastMs: namedRange.ms } : laterRange);
    }

    function goBack(): void {
      location.hash = context.previousAddress;
    }

    function showTypedRange(): void {
      const fromMs = fromLocalInput(fromInput.value, timeZone());
      const toMs = fromLocalInput(toInput.value, timeZone());
      spanProblem.textContent = problemOfSpan(fromMs, toMs);
      if (fromMs === undefined || toMs === undefined) return;
      if (spanProblem.textContent !== '') return;
      showSpan(toTimeRange(fromMs, toMs));
    }

    function addComparison(): void {
      const otherId = otherSensors.value;
      otherSensors.value = '';
      if (otherId === '') return;
      const allIds = [...comparedIds(), otherId];
      location.hash = addressOfSensor(id, currentSpan(), allIds, showsIncrease());
    }

    function addressWithout(comparedId: string): string {
      const remaining = comparedIds().filter((other) => other !== comparedId);
      return addressOfSensor(id, currentSpan(), remaining, showsIncrease());
    }

    function saveCsv(): void {
      if (!drawnCurves) return;

      const sensorCodes = sensors.map(({ code }) => code).join('_');
      const fileName = `${sensorCodes}.csv`.replace(/[^\w.-]+/g, '_');
      const csvText = csvOf(drawnCurves, csvForm.value === ',' ? ',' : '.');
      const blob = new Blob([csvText], { type: 'text/csv' });
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
    parts.push(`${quantity}, ${formatAge(ageMs)}`);
  }
  if (sensor.last_battery !== null) {
    parts.push(formatBattery(sensor.last_battery));
  }
  return [...parts, `times in ${zone}`];
}

/** The reason why a typed span cannot be shown; empty if it can. */
function problemOfSpan(fromMs: number | undefined, toMs: number | undefined): string {
  if (fromMs === undefined || toMs === undefined) return 'Give a beginning and an end.';
  if (fromMs >= toMs) return 'The end must be after the beginning.';
  return toMs - fromMs > longestMs ? 'A plot shows at most 20 years.' : '';
}
