import type { ListedSensor } from '../api/models.ts';
import { element, replaceContent } from '../display/elements.ts';
import { formatAge } from '../display/time.ts';
import { formatBattery, formatValue, unitSign } from '../display/values.ts';
import { createSparklines, drawSparkline } from '../plots/sparklines.ts';
import { startRefresh } from './refresh.ts';
import {
  createRanking,
  lowBatteryPercent,
  matches,
  readSensors,
  stateOf,
  stateWords,
  type TileState,
} from './sensors.ts';
import { attempt, type View } from './view.ts';
import { layOutWall, visibleRows, type WallRow, wallHeight } from './wall.ts';

/** Curves are read once scrolling pauses for this time: a long way costs the key few requests. */
const scrollRestMs = 200;

/** A wall of tiles, one for each sensor. Only the tiles on the screen exist. */
export const sensorsView: View = (context) => {
  const sparklines = createSparklines(context.api);
  const rank = createRanking();
  let sensors: ListedSensor[] = [];
  let rows: WallRow[] = [];
  let shownSensors: readonly ListedSensor[] = [];
  let positions = new Map<string, number>();
  /** The rows that exist in the document. */
  let drawnRows: readonly WallRow[] = [];
  let scheduledFrame = 0;
  let scheduledReading: ReturnType<typeof setTimeout> | undefined;

  const search = element('input', {
    type: 'search',
    placeholder: 'Search sensors',
    attributes: { 'aria-label': 'Search sensors' },
    on: { input: layOut },
  });
  const groupCheckbox = element('input', {
    type: 'checkbox',
    id: 'group',
    on: { change: layOut },
  });
  const summary = element('p', {
    className: 'summary',
    attributes: { role: 'status' },
  });
  const wall = element('div', {
    className: 'wall',
    attributes: { role: 'list', 'aria-label': 'Sensors' },
  });

  replaceContent(
    context.container,
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

  addEventListener('scroll', scheduleDrawing, { passive: true });
  addEventListener('resize', layOut);
  const endRefresh = startRefresh(() => attempt(context, refresh));

  return () => {
    endRefresh();
    cancelAnimationFrame(scheduledFrame);
    clearTimeout(scheduledReading);
    removeEventListener('scroll', scheduleDrawing);
    removeEventListener('resize', layOut);
  };

  async function refresh(): Promise<void> {
    const answer = await readSensors(context.api);
    if (answer.changed || sensors.length === 0) {
      sensors = answer.sensors;
    }
    layOut();

    await loadSparklines();
  }

  function layOut(): void {
    const nowMs = context.serverNow();
    const matchingSensors = sensors.filter((sensor) => matches(sensor, search.value));
    shownSensors = rank(matchingSensors, nowMs);
    positions = new Map(shownSensors.map(({ id }, index) => [id, index + 1]));
    rows = layOutWall(shownSensors, wall.clientWidth, groupCheckbox.checked);
    wall.style.height = `${wallHeight(rows)}px`;
    summary.textContent = summaryOf(shownSensors, sensors.length, nowMs);
    drawWall();
  }

  function scheduleDrawing(): void {
    cancelAnimationFrame(scheduledFrame);
    scheduledFrame = requestAnimationFrame(drawWall);
    clearTimeout(scheduledReading);
    scheduledReading = setTimeout(() => void attempt(context, loadSparklines), scrollRestMs);
  }

  async function loadSparklines(): Promise<void> {
    const drawnSensors = drawnRows.flatMap((row) => row.sensors);
    const drawnIds = drawnSensors.map(({ id }) => id);
    // Drawing is most of the work of a refresh.
    if (await sparklines.load(drawnIds, context.serverNow())) {
      drawWall();
    }
  }

  function drawWall(): void {
    const focusedId = document.activeElement?.getAttribute('data-sensor');
    const nowMs = context.serverNow();
    const visibleTop = -wall.getBoundingClientRect().top;
    drawnRows = visibleRows(rows, visibleTop, visibleTop + innerHeight);

    const drawSensor = (sensor: ListedSensor) => {
      const position = positions.get(sensor.id) ?? 0;
      return drawTile(sensor, nowMs, position, shownSensors.length, sparklines);
    };
    wall.replaceChildren(...drawnRows.map((row) => drawRow(row, drawSensor)));

    if (typeof focusedId === 'string') {
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
    row.heading !== undefined && element('h2', {}, row.heading),
    ...row.sensors.map(drawSensor),
  );
  rowNode.style.top = `${row.top}px`;
  rowNode.style.height = `${row.height}px`;
  return rowNode;
}

function drawTile(
  sensor: ListedSensor,
  nowMs: number,
  position: number,
  sensorCount: number,
  sparklines: ReturnType<typeof createSparklines>,
): HTMLElement {
  const state = stateOf(sensor, nowMs);
  const points = sparklines.pointsOf(sensor.id);

  const link = element(
    'a',
    {
      href: `#/sensors/${encodeURIComponent(sensor.id)}`,
      className: `tile state-${state}`,
      attributes: { 'data-sensor': sensor.id },
    },
    element('span', { className: 'tile-name' }, sensor.name),
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
        { className: 'tile-value' },
        formatValue(sensor.last_value),
        element('small', {}, ` ${unitSign(sensor.unit)}`),
      ),
      points !== undefined && drawSparkline(points, nowMs),
    ),
    element('span', { className: 'tile-state' }, stateLine(sensor, state, nowMs)),
  );

  return element(
    'div',
    {
      className: 'tile-place',
      attributes: {
        role: 'listitem',
        'aria-posinset': String(position),
        'aria-setsize': String(sensorCount),
      },
    },
    link,
  );
}

function drawBattery(percent: number): HTMLElement {
  const className = percent <= lowBatteryPercent ? 'tile-battery low' : 'tile-battery';
  return element('span', { className }, formatBattery(percent));
}

function stateLine(sensor: ListedSensor, state: TileState, nowMs: number): string {
  const parts = state === 'ok' ? [] : [stateWords[state]];

  if (sensor.last_reading_at === null) {
    parts.push('no reading yet');
  } else {
    const ageMs = nowMs - Date.parse(sensor.last_reading_at);
    parts.push(`${formatAge(ageMs)} ago`);
  }

  return parts.join(' · ');
}

function summaryOf(
  shownSensors: readonly ListedSensor[],
  totalCount: number,
  nowMs: number,
): string {
  const troubledSensors = shownSensors.filter((sensor) => {
    const state = stateOf(sensor, nowMs);
    return state !== 'ok' && state !== 'inactive';
  });

  const shownCount = shownSensors.length;
  const sizeText = shownCount === totalCount ? `${totalCount}` : `${shownCount} of ${totalCount}`;
  const noun = totalCount === 1 ? 'sensor' : 'sensors';
  const attentionText =
    troubledSensors.length === 0 ? 'all well' : `${troubledSensors.length} need attention`;
  return `${sizeText} ${noun}, ${attentionText}`;
}
