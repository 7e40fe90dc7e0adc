import type { ListedSensor, Point } from '../api/models.ts';
import { element, updateContent } from '../display/elements.ts';
import { formatAge } from '../display/time.ts';
import { formatBattery, formatValue, unitSign } from '../display/values.ts';
import { createSparklines, drawSparkline } from '../plots/sparklines.ts';
import { addressOfRecord, withParameters } from './addresses.ts';
import {
  createRanking,
  lowBatteryPercent,
  matches,
  readAssetNames,
  readSensors,
  stateOf,
  stateWords,
  type TileState,
  tileTitles,
} from './sensors.ts';
import type { CreateView } from './view.ts';
import { layOutWall, visibleRows, type WallRow, wallHeight } from './wall.ts';

/** Curves are read once scrolling pauses for this time: a long way costs the key few requests. */
const scrollRestMs = 200;

/** A wall of tiles, one for each sensor. Only the tiles on the screen exist, all of them in print. */
export const sensorsView: CreateView = (context) => {
  const sparklines = createSparklines();
  const rank = createRanking();
  let sensors: readonly ListedSensor[] = [];
  let assetNames: ReadonlyMap<string, string> = new Map();
  let titles: ReadonlyMap<string, string> = new Map();
  let rows: WallRow[] = [];
  let shownSensors: readonly ListedSensor[] = [];
  let positions = new Map<string, number>();
  /** The rows that exist in the document. */
  let drawnRows: readonly WallRow[] = [];
  let hasRead = false;
  let isPrinting = false;
  let scheduledFrame = 0;
  let scheduledReading: ReturnType<typeof setTimeout> | undefined;

  const search = element('input', {
    type: 'search',
    placeholder: 'Search sensors',
    value: context.parameters.get('search') ?? '',
    attributes: { 'aria-label': 'Search sensors' },
    on: { input: choose },
  });
  const groupCheckbox = element('input', {
    type: 'checkbox',
    id: 'group',
    checked: context.parameters.get('group') === 'asset',
    on: { change: choose },
  });
  const summary = element('p', {
    className: 'summary',
    attributes: { role: 'status' },
  });
  const wall = element('div', {
    className: 'wall',
    attributes: { role: 'list', 'aria-label': 'Sensors' },
  });

  context.container.append(
    element('h1', {}, 'Sensors'),
    element(
      'div',
      { className: 'bar' },
      search,
      element('label', {}, groupCheckbox, ' Group by asset'),
      summary,
    ),
    wall,
  );

  const listeners: Readonly<Record<string, () => void>> = {
    scroll: scheduleDrawing,
    resize: layOut,
    beforeprint: () => drawForPrint(true),
    afterprint: () => drawForPrint(false),
  };
  for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);

  return {
    async refresh(read) {
      sensors = await readSensors(read);
      assetNames = await readAssetNames(read, context.site);
      hasRead = true;
      titles = tileTitles(sensors);
      layOut();

      const drawnIds = drawnRows.flatMap((row) => row.sensors.map(({ id }) => id));
      if (await sparklines.load(read, drawnIds, context.site.now())) drawWall();
    },
    end() {
      cancelAnimationFrame(scheduledFrame);
      clearTimeout(scheduledReading);
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener);
    },
  };

  /** Keeps the choice in the address, so that it is there when the person comes back. */
  function choose(): void {
    const parameters = new URLSearchParams();
    if (search.value !== '') parameters.set('search', search.value);
    if (groupCheckbox.checked) parameters.set('group', 'asset');
    history.replaceState(null, '', withParameters('#/sensors', parameters));
    layOut();
    scheduleDrawing();
  }

  function layOut(): void {
    const nowMs = context.site.now();
    const matchingSensors = sensors.filter((sensor) => {
      return matches(sensor, search.value, assetNames.get(sensor.asset_id ?? ''));
    });
    shownSensors = rank(matchingSensors, nowMs);
    positions = new Map(shownSensors.map(({ id }, index) => [id, index + 1]));
    const groupNames = groupCheckbox.checked ? assetNames : undefined;
    rows = layOutWall(shownSensors, wall.clientWidth, groupNames);
    wall.style.setProperty('--wall-height', `${wallHeight(rows)}px`);
    if (hasRead) summary.textContent = summaryOf(shownSensors, sensors.length, nowMs);
    drawWall();
  }

  function scheduleDrawing(): void {
    cancelAnimationFrame(scheduledFrame);
    scheduledFrame = requestAnimationFrame(drawWall);
    clearTimeout(scheduledReading);
    scheduledReading = setTimeout(context.wake, scrollRestMs);
  }

  function drawForPrint(isBefore: boolean): void {
    isPrinting = isBefore;
    drawWall();
  }

  function drawWall(): void {
    const focusedId = document.activeElement?.getAttribute('data-sensor');
    const nowMs = context.site.now();
    const visibleTop = -wall.getBoundingClientRect().top;
    drawnRows = isPrinting ? rows : visibleRows(rows, visibleTop, visibleTop + innerHeight);

    const drawSensor = (sensor: ListedSensor) => {
      const points = sparklines.pointsOf(sensor.id);
      return element(
        'div',
        {
          className: 'tile-place',
          attributes: {
            role: 'listitem',
            'aria-posinset': String(positions.get(sensor.id) ?? 0),
            'aria-setsize': String(shownSensors.length),
          },
        },
        drawTile(sensor, titles.get(sensor.id) ?? sensor.name, nowMs, points),
      );
    };
    updateContent(wall, ...drawnRows.map((row) => drawRow(row, drawSensor)));

    // A tile that has moved takes the focus with it.
    if (
      typeof focusedId === 'string' &&
      document.activeElement?.getAttribute('data-sensor') !== focusedId
    ) {
      const tiles = [...wall.querySelectorAll<HTMLElement>('[data-sensor]')];
      const focusedTile = tiles.find((tile) => tile.dataset.sensor === focusedId);
      focusedTile?.focus({ preventScroll: true });
    }
  }
};

function drawRow(row: WallRow, drawSensor: (sensor: ListedSensor) => HTMLElement): HTMLElement {
  const rowNode = element(
    'div',
    { className: 'wall-row', attributes: { role: 'presentation' } },
    row.asset && drawHeading(row.asset),
    ...row.sensors.map(drawSensor),
  );
  rowNode.style.top = `${row.top}px`;
  rowNode.style.height = `${row.height}px`;
  return rowNode;
}

function drawHeading({ id, name }: { id: string; name: string }): HTMLElement {
  if (id === '') return element('h2', {}, name);
  return element('h2', {}, element('a', { href: addressOfRecord('assets', id) }, name));
}

function drawTile(
  sensor: ListedSensor,
  title: string,
  nowMs: number,
  points: readonly Point[] | undefined,
): HTMLElement {
  const state = stateOf(sensor, nowMs);
  const valueText = formatValue(sensor.last_value);
  return element(
    'a',
    {
      href: addressOfRecord('sensors', sensor.id),
      className: `tile state-${state}`,
      title: sensor.name,
      attributes: { 'data-sensor': sensor.id },
    },
    element('span', { className: 'tile-name' }, title),
    element(
      'span',
      { className: 'tile-line' },
      element('span', { className: 'tile-code' }, sensor.code),
      sensor.last_battery !== null && drawBattery(sensor.last_battery),
    ),
    element(
      'span',
      { className: 'tile-reading' },
      element(
        'span',
        { className: valueText.length > longValue ? 'tile-value long' : 'tile-value' },
        valueText,
        element('small', {}, ` ${unitSign(sensor.unit)}`),
      ),
      points !== undefined && drawSparkline(points, nowMs),
    ),
    element('span', { className: 'tile-state' }, stateLine(sensor, state, nowMs)),
  );
}

/** Digits from which a value is written smaller, so that all of them fit. */
const longValue = 8;

function drawBattery(percent: number): HTMLElement {
  const className = percent <= lowBatteryPercent ? 'tile-battery low' : 'tile-battery';
  return element('span', { className }, formatBattery(percent));
}

function stateLine(sensor: ListedSensor, state: TileState, nowMs: number): string {
  const parts = state === 'ok' ? [] : [stateWords[state]];

  if (sensor.last_reading_at === null) {
    if (state !== 'unheard') parts.push('no reading yet');
  } else {
    const ageMs = nowMs - Date.parse(sensor.last_reading_at);
    parts.push(formatAge(ageMs));
  }

  return parts.join(' · ');
}

const calmStates: ReadonlySet<TileState> = new Set(['ok', 'inactive', 'unheard']);

function summaryOf(
  shownSensors: readonly ListedSensor[],
  totalCount: number,
  nowMs: number,
): string {
  if (totalCount === 0) return 'This site has no sensors yet.';
  const shownCount = shownSensors.length;
  if (shownCount === 0) return `None of the ${totalCount} sensors matches the search.`;

  const states = shownSensors.map((sensor) => stateOf(sensor, nowMs));
  const troubledCount = states.filter((state) => !calmStates.has(state)).length;
  const unheardCount = states.filter((state) => state === 'unheard').length;
  const sizeText = shownCount === totalCount ? `${totalCount}` : `${shownCount} of ${totalCount}`;
  const noun = totalCount === 1 ? 'sensor' : 'sensors';
  const need = troubledCount === 1 ? 'needs' : 'need';
  const attentionText = troubledCount === 0 ? 'all well' : `${troubledCount} ${need} attention`;
  const unheardText = unheardCount === 0 ? '' : `, ${unheardCount} never heard`;
  return `${sizeText} ${noun}, ${attentionText}${unheardText}`;
}
