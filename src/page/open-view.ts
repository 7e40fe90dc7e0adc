import { element, replaceContent } from './elements.ts';
import { keyFault } from './problems.ts';

/** The form into which a person pastes a key. */
export function showOpenForm(
  container: HTMLElement,
  reason: string | undefined,
  open: (key: string, rememberInTab: boolean) => Promise<string | undefined>,
): void {
  const key = element('input', {
    type: 'password',
    id: 'key',
    autocomplete: 'off',
    spellcheck: false,
    required: true,
  });
  const remember = element('input', { type: 'checkbox', id: 'remember' });
  const problem = element('p', { className: 'problem', attributes: { role: 'alert' } }, reason);
  const submit = element('button', { type: 'submit' }, 'Open');
  const form = element(
    'form',
    { className: 'open', on: { submit: submitted } },
    element('h1', {}, 'Open this site'),
    element('p', {}, 'Paste the API key that your administrator gave you.'),
    element('label', { htmlFor: 'key' }, 'API key'),
    key,
    element('label', {}, remember, ' Remember in this tab'),
    problem,
    submit,
    element(
      'p',
      { className: 'small' },
      'Developers find the API at ',
      element('a', { href: 'api/v1/docs' }, 'api/v1/docs'),
      '.',
    ),
  );

  replaceContent(container, form);
  key.focus();

  async function submitted(event: Event): Promise<void> {
    event.preventDefault();
    submit.disabled = true;
    const text = key.value.trim();
    // Letters that no header can hold would look like a server that does not answer.
    const refusal = keyFault(text) ?? (await open(text, remember.checked));
    submit.disabled = false;
    problem.textContent = refusal ?? '';
    if (refusal !== undefined) key.select();
  }
}
