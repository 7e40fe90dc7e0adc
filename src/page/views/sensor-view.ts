import { csvLanguageOf, csvLanguages, plainCsv } from '../../core/text/spreadsheets.ts';
import type { Read } from '../api/api.ts';
import type { ListedSensor } from '../api/models.ts';
import { describeRecord } from '../api/openapi.ts';
import { button, element, updateContent } from '../display/elements.ts';
import { formatAge, fromLocalInput, toLocalInput } from '../display/time.ts';
import { formatBattery, formatQuantity } from '../display/values.ts';
import { csvOf } from '../plots/curve-texts.ts';
import { readCurves, readIncreases } from '../plots/curves.ts';
import { createPlotPanel } from '../plots/plot-panel.ts';
import {
  longestMs,
  move,
  namedRanges,
  type PlotSpan,
  rangeAt,
  type ShownSpan,
  toTimeRange,
} from '../plots/ranges.ts';
import { addressOfSensor, spanOf } from './addresses.ts';
import { drawFacts } from './record-view.ts';
import { compareTexts, readAssetNames, readSensors, stateOf, stateWords } from './sensors.ts';
import type { CreateView } from './view.ts';

const maxSensors = 6;

/** A sensor, and up to five others to compare it with, over a span of time. */
export function sensorView(id: string): CreateView {
  return (context) => {
    let sensors: readonly ListedSensor[] = [];
    let typedAddress: string | undefined;

    const heading = element('h1', {}, id);
    const summary = element('p', {
      className: 'summary',
      attributes: { role: 'status' },
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
      ...csvLanguages.map(({ separator, decimalSign }) => {
        return element('option', {}, `1${decimalSign}5 ${separator} 2${decimalSign}5`);
      }),
    );
    csvForm.selectedIndex = csvLanguages.indexOf(csvLanguageOf(navigator.language));
    const spanProblem = element('p', { attributes: { role: 'alert' } });
    const rangeButtons = namedRanges.map(({ name, ms }) => {
      return { ms, node: button(name, () => showSpan({ lastMs: ms })) };
    });
    const increaseButton = button('Increase', () => {
      location.hash = addressOfSensor(id, currentSpan(), comparedIds(), !showsIncrease());
    });
    increaseButton.title = 'What a counter has grown by';
    const laterButton = button('Later →', showLater);
    const panel = createPlotPanel({
      currentRange,
      spanChosen: showSpan,
      backChosen: goBack,
      addressWithout,
    });
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
      ...panel.nodes,
      element('h2', {}, 'This sensor'),
      details,
    );

    context.container.append(
      element('p', {}, element('a', { href: wallAddress() }, '← All sensors')),
      heading,
      summary,
      content,
    );

    return { refresh, redraw: drawControls, end: panel.end };

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
      const range = currentRange();
      const curves = await readShown(read, sensors, range);
      panel.show({ curves, range, timeZone: timeZone() });
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
      const drawnCurves = panel.drawnCurves();
      if (!drawnCurves) return;

      const sensorCodes = sensors.map(({ code }) => code).join('_');
      const fileName = `${sensorCodes}.csv`.replace(/[^\w.-]+/g, '_');
      const csvText = csvOf(drawnCurves, csvLanguages[csvForm.selectedIndex] ?? plainCsv);
      const blob = new Blob([csvText], { type: 'text/csv' });
      const address = URL.createObjectURL(blob);
      element('a', { href: address, download: fileName }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
  };
}

/** The parts of the line below the heading of a sensor. */
function summaryParts(sensor: ListedSensor, nowMs: number, zone: string): string[] {
  const state = stateOf(sensor, nowMs);
  const parts = [sensor.code, stateWords[state]];
  if (sensor.last_reading_at === null) {
    if (state !== 'unheard') parts.push('no reading yet');
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
