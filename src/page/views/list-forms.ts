import type { FieldDescription } from '../api/openapi.ts';
import { button, element } from '../display/elements.ts';
import { choiceText, fieldLabel } from './cells.ts';

/** Forms above a list. A refresh makes them anew only if the fields of the list have changed. */

/** Filters by kind of column: choices first, then texts and numbers, then days with a range each. */
export function createFilterForm(apply: (filters: URLSearchParams) => void) {
  const form = element('form', { className: 'filters', on: { submit: applyTyped } });
  const details = element('details', { hidden: true }, element('summary', {}, 'Filter'), form);
  let shownFields = '';
  let shownFilters = '';

  return {
    details,
    /** Shows the filters of a list with their values, unless these were shown before: a person may be typing. */
    show(fields: readonly FieldDescription[], filters: URLSearchParams): void {
      const fieldNames = fields.map(({ name }) => name).join();
      if (fieldNames !== shownFields) {
        shownFields = fieldNames;
        form.replaceChildren(...filterControls(fields), ...actionButtons());
        details.hidden = fields.length === 0;
        details.open ||= filters.size > 0;
      } else if (filters.toString() === shownFilters) {
        return;
      }

      shownFilters = filters.toString();
      for (const control of controlsIn(form)) {
        control.value = filters.get(control.name) ?? '';
      }
    },
  };

  function actionButtons(): HTMLElement[] {
    const submitButton = element('button', { type: 'submit' }, 'Apply');
    return [element('div', { className: 'bar' }, submitButton, button('Reset', reset))];
  }

  function applyTyped(event: Event): void {
    event.preventDefault();
    const filters = new URLSearchParams();
    for (const { name, value } of controlsIn(form)) {
      if (value !== '') filters.set(name, value);
    }
    apply(filters);
  }

  function reset(): void {
    form.reset();
    apply(new URLSearchParams());
  }
}

/** A box to tick for each column of a list. */
export function createColumnForm(choose: (names: readonly string[]) => void) {
  const fieldset = element('fieldset', { className: 'bar', on: { change: chooseTicked } });
  const allButton = button('All columns', () => choose([]));
  const details = element(
    'details',
    { hidden: true },
    element('summary', {}, 'Columns'),
    fieldset,
    allButton,
  );
  let shownFields = '';

  return {
    details,
    show(fields: readonly FieldDescription[], chosen: readonly FieldDescription[]): void {
      const fieldNames = fields.map(({ name }) => name).join();
      if (fieldNames !== shownFields) {
        shownFields = fieldNames;
        fieldset.replaceChildren(...fields.map(({ name }) => columnBox(name)));
        details.hidden = fields.length === 0;
      }
      for (const box of fieldset.querySelectorAll('input')) {
        box.checked = chosen.some(({ name }) => name === box.name);
      }
    },
  };

  function chooseTicked(): void {
    const boxes = [...fieldset.querySelectorAll('input')];
    const tickedBoxes = boxes.filter(({ checked }) => checked);
    choose(tickedBoxes.length === boxes.length ? [] : tickedBoxes.map(({ name }) => name));
  }
}

function columnBox(name: string): HTMLElement {
  return element('label', {}, element('input', { type: 'checkbox', name }), ` ${fieldLabel(name)}`);
}

function controlsIn(form: HTMLFormElement): (HTMLInputElement | HTMLSelectElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')];
}

function filterControls(fields: readonly FieldDescription[]): HTMLElement[] {
  const isDay = ({ type }: FieldDescription) => type === 'date' || type === 'instant';
  const isChoice = ({ type }: FieldDescription) => type === 'choice' || type === 'boolean';
  const plainFields = fields.filter((field) => !isDay(field));
  const choices = plainFields.filter(isChoice);
  const others = plainFields.filter((field) => !isChoice(field));

  const labelled = [...choices, ...others].map((field) => {
    return labelledControl(fieldLabel(field.name), field);
  });
  return [
    element('div', { className: 'bar' }, ...labelled),
    element('div', { className: 'bar' }, ...dayGroups(fields.filter(isDay))),
  ];
}

const roleWords = new Map([
  ['from', 'from'],
  ['to', 'to'],
  ['week', 'week of'],
]);

/** The fields of each column of days in a group, with a way to clear them. */
function dayGroups(fields: readonly FieldDescription[]): HTMLElement[] {
  const groups = new Map<string, HTMLElement[]>();
  for (const field of fields) {
    const [, column = field.name, role = ''] = /^(.*)_(from|to|week)$/.exec(field.name) ?? [];
    // A day is the same from it to it; an instant to the microsecond is nobody's filter.
    if (role === '') continue;
    const controls = groups.get(column) ?? [];
    controls.push(labelledControl(roleWords.get(role) ?? role, field));
    groups.set(column, controls);
  }

  return [...groups].map(([column, controls]) => {
    const clear = () => {
      for (const input of fieldset.querySelectorAll('input')) input.value = '';
    };
    const fieldset = element(
      'fieldset',
      {},
      element('legend', {}, fieldLabel(column)),
      ...controls,
      button('Clear', clear),
    );
    return fieldset;
  });
}

function labelledControl(label: string, field: FieldDescription): HTMLElement {
  return element('label', {}, `${label} `, filterControl(field));
}

function filterControl({ name, description, type, choices }: FieldDescription): HTMLElement {
  const options = type === 'boolean' ? ['true', 'false'] : choices;
  if (options.length === 0) {
    return element('input', {
      name,
      title: description,
      type: type === 'date' || type === 'instant' ? 'date' : 'text',
      inputMode: type === 'number' ? 'decimal' : '',
    });
  }
  return element(
    'select',
    { name, title: description },
    element('option', { value: '' }, 'any'),
    ...options.map((option) => element('option', { value: option }, optionText(option))),
  );
}

function optionText(option: string): string {
  if (option === 'true') return 'yes';
  return option === 'false' ? 'no' : choiceText(option);
}
