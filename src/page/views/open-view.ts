import { keyFault } from '../api/problems.ts';
import { element, replaceContent } from '../display/elements.ts';

/** The form into which a person pastes a key. */
export function showOpenForm(
  container: HTMLElement,
  reason: string | undefined,
  open: (key: string, rememberInTab: boolean) => Promise<string | undefined>,
): void {
  const keyInput = element('input', {
    type: 'password',
    id: 'key',
    autocomplete: 'off',
    spellcheck: false,
    required: true,
  });
  const rememberBox = element('input', { type: 'checkbox', id: 'remember' });
  const problemText = element('p', { className: 'problem', attributes: { role: 'alert' } }, reason);
  const submitButton = element('button', { type: 'submit' }, 'Open');
  const form = element(
    'form',
    { className: 'open', on: { submit: openKey } },
    element('h1', {}, 'Open this site'),
    element('p', {}, 'Paste the API key that your administrator gave you.'),
    element('label', { htmlFor: 'key' }, 'API key'),
    keyInput,
    element('label', {}, rememberBox, ' Remember in this tab'),
    problemText,
    submitButton,
    element(
      'p',
      { className: 'small' },
      'Developers find the API at ',
      element('a', { href: 'api/v1/docs' }, 'api/v1/docs'),
      '.',
    ),
  );

  replaceContent(container, form);
  keyInput.focus();

  async function openKey(event: Event): Promise<void> {
    event.preventDefault();
    submitButton.disabled = true;
    const keyText = keyInput.value.trim();
    // Letters that no header can hold would look like a server that does not answer.
    const refusal = keyFault(keyText) ?? (await open(keyText, rememberBox.checked));
    submitButton.disabled = false;
    problemText.textContent = refusal ?? '';
    if (refusal !== undefined) keyInput.select();
  }
}
