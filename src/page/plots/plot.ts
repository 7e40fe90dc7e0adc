import UPlot from 'uplot';
import type { ListedSensor } from '../api/models.ts';
import { formatInstant } from '../display/time.ts';
import { axisLabels, unitSign } from '../display/values.ts';
import type { CurveColumns } from './curves.ts';
import { type PlotSpan, toTimeRange } from './ranges.ts';

interface PlotCurves {
  sensors: readonly ListedSensor[];
  seconds: number[];
  columns: readonly CurveColumns[];
  range: PlotSpan;
  timeZone: string;
  /** In pixels. */
  width: number;
  /** Draws what counters have grown by: a bar for each bucket, steps if there are several sensors. */
  isIncrease: boolean;
}

interface PlotEvents {
  /** The index of the time under the pointer; `null` if there is none. */
  pointed(index: number | null): void;
  /** The range that the person has drawn with the pointer. */
  selected(range: PlotSpan): void;
}

export interface Plot {
  /** Puts the cursor at a time, as the pointer does. */
  pointAt(index: number): void;
  /** Whether the person draws a range with the pointer at this moment. */
  isDragged(): boolean;
  destroy(): void;
}

const plotHeight = 380;
const maxAxes = 2;

/** Draws curves with uPlot: a line each with marks of its quality, and a band of min and max if there is only one sensor. */
export function mountPlot(container: HTMLElement, data: PlotCurves, events: PlotEvents): Plot {
  const colours = coloursOf(container);
  const isSingle = data.columns.length === 1;
  const hasBand = isSingle && !data.isIncrease;
  const series: UPlot.Series[] = [{}];
  const rows: (number | null | undefined)[][] = [];
  const bands: UPlot.Band[] = [];

  data.columns.forEach((column, index) => {
    const sensor = data.sensors[index];
    const scale = scaleOf(sensor?.unit ?? null);
    const stroke = colours.curves[index % colours.curves.length] ?? 'currentColor';

    series.push({
      scale,
      stroke,
      width: 2,
      spanGaps: false,
      label: sensor?.code ?? '',
      ...(data.isIncrease && increaseStyle(isSingle, stroke)),
    });
    rows.push(column.value);

    if (hasBand) {
      const hiddenLine = {
        scale,
        stroke,
        width: 0,
        points: { show: false },
      };
      series.push({ ...hiddenLine, label: 'max' });
      series.push({ ...hiddenLine, label: 'min' });
      rows.push(column.max, column.min);
      bands.push({ series: [2, 3], fill: colours.band });
    }

    series.push(qualityMarks('uncertain', scale, colours.uncertain));
    series.push(qualityMarks('bad', scale, colours.bad));
    rows.push(column.uncertain, column.bad);
  });

  const { fromMs, toMs } = data.range;
  const plot = new UPlot(
    {
      width: data.width,
      height: plotHeight,
      series,
      bands,
      legend: { show: false },
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), data.timeZone),
      scales: {
        x: { range: [fromMs / 1000, toMs / 1000] },
        ...(data.isIncrease && scalesFromZero(data.sensors)),
      },
      axes: [
        {
          stroke: colours.text,
          grid: { stroke: colours.grid, width: 1 },
          ticks: { stroke: colours.grid, width: 1 },
          values: (_plot, splits) => timeLabels(splits, data.timeZone),
          space: 80,
        },
        ...valueAxes(data.sensors, colours),
      ],
      cursor: {
        y: false,
        drag: {
          x: true,
          y: false,
          setScale: false,
        },
      },
      hooks: {
        setCursor: [({ cursor }) => events.pointed(cursor.idx ?? null)],
        setSelect: [
          (self) => {
            const { left: selectionLeft, width } = self.select;
            if (width < 4) return;
            const first = self.posToVal(selectionLeft, 'x');
            const last = self.posToVal(selectionLeft + width, 'x');
            events.selected(toTimeRange(first * 1000, last * 1000));
          },
        ],
      },
    },
    [data.seconds, ...rows],
    container,
  );

  let isDragged = false;
  plot.over.addEventListener('mousedown', () => {
    isDragged = true;
    const release = () => {
      isDragged = false;
    };
    addEventListener('mouseup', release, { once: true });
  });

  return {
    pointAt(index) {
      const cursorLeft = plot.valToPos(data.seconds[index] ?? 0, 'x');
      const middleTop = plot.over.clientHeight / 2;
      plot.setCursor({ left: cursorLeft, top: middleTop });
    },
    isDragged: () => isDragged,
    destroy: () => plot.destroy(),
  };
}

/** The bar of a bucket, or steps; both begin with their bucket. */
function increaseStyle(isSingle: boolean, stroke: string): Partial<UPlot.Series> {
  const steps = { paths: UPlot.paths.stepped?.({ align: 1 }), points: { show: false } };
  if (!isSingle) return steps;

  const bars = UPlot.paths.bars?.({ align: 1, size: [0.8, 80] });
  return { paths: bars, fill: stroke, width: 0, points: { show: false } };
}

/** Bars of different lengths can be compared only from zero on. */
function scalesFromZero(sensors: readonly ListedSensor[]): UPlot.Scales {
  const range = (_plot: UPlot, _lowest: number, highest: number): UPlot.Range.MinMax => {
    return [0, highest > 0 ? highest * 1.1 : 1];
  };
  return Object.fromEntries(sensors.map(({ unit }) => [scaleOf(unit), { range }]));
}

function qualityMarks(label: string, scale: string, stroke: string): UPlot.Series {
  return {
    label,
    scale,
    stroke,
    width: 0,
    points: { show: true, size: 9, width: 2 },
  };
}

/** An axis of values for each of the first two units, the second at the right. */
function valueAxes(sensors: readonly ListedSensor[], colours: Colours): UPlot.Axis[] {
  const units = [...new Set(sensors.map(({ unit }) => unit))].slice(0, maxAxes);
  return units.map((unit, index) => ({
    scale: scaleOf(unit),
    side: index === 0 ? 3 : 1,
    size: (_plot, labels) => axisWidth(labels),
    stroke: colours.text,
    grid: {
      show: index === 0,
      stroke: colours.grid,
      width: 1,
    },
    ticks: { stroke: colours.grid, width: 1 },
    values: (_plot, splits) => axisLabels(splits),
    label: unitSign(unit),
    labelSize: 20,
  }));
}

/** The name of a unit's scale: uPlot keeps scales in an object, and `x` is that of the times. */
function scaleOf(unit: string | null): string {
  return `unit ${unit ?? ''}`;
}

/** Room for the longest label, in pixels. */
function axisWidth(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.max(64, 24 + longest * 8);
}

interface Colours {
  text: string;
  grid: string;
  band: string;
  uncertain: string;
  bad: string;
  curves: string[];
}

/** A canvas knows no style sheet: an element computes the colours of the theme for it. */
function coloursOf(container: HTMLElement): Colours {
  const sample = document.createElement('span');
  container.append(sample);
  const colour = (name: string) => {
    sample.style.color = `var(--${name})`;
    return getComputedStyle(sample).color;
  };

  const colours = {
    text: colour('text'),
    grid: colour('grid'),
    band: colour('band'),
    uncertain: colour('uncertain'),
    bad: colour('bad'),
    curves: [1, 2, 3, 4, 5, 6].map((number) => colour(`curve-${number}`)),
  };
  sample.remove();
  return colours;
}

/** Labels of times in the site's zone: the day where it begins or changes, else the time. */
function timeLabels(splits: readonly number[], timeZone: string): string[] {
  const instantTexts = splits.map((second) => formatInstant(second * 1000, timeZone, true));
  return instantTexts.map((text, index) => {
    const [day = '', time = ''] = text.split(' ');
    const previousDay = instantTexts[index - 1]?.slice(0, 10);
    if (time === '00:00:00') {
      const isSameYear = previousDay?.slice(0, 4) === day.slice(0, 4);
      return isSameYear ? day.slice(5) : `${day.slice(5)}\n${day.slice(0, 4)}`;
    }

    const shortTime = time.endsWith(':00') ? time.slice(0, 5) : time;
    return day === previousDay ? shortTime : `${shortTime}\n${day}`;
  });
}
