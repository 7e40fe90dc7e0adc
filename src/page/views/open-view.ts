import { keyFault } from '../api/problems.ts';
import { element } from '../display/elements.ts';

export interface OpenForm {
  node: HTMLElement;
  /** Says why the site is not open. */
  showReason(reason: string): void;
  focus(): void;
}

interface FormEvents {
  /** A key of the right form was sent. */
  open(key: string, rememberInTab: boolean): void;
  /** The person types another key than the one that is tried. */
  typed(): void;
}

/** The form into which a person pastes a key. */
export function createOpenForm(reason: string, { open, typed }: FormEvents): OpenForm {
  const keyInput = element('input', {
    type: 'password',
    id: 'key',
    autocomplete: 'off',
    spellcheck: false,
    required: true,
    on: { input: keyTyped },
  });
  const rememberBox = element('input', { type: 'checkbox', id: 'remember' });
  const problemText = element('p', { className: 'problem', attributes: { role: 'alert' } }, reason);
  const submitButton = element('button', { type: 'submit' }, 'Open');
  const node = element(
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

  return {
    node,
    showReason(text) {
      submitButton.disabled = false;
      problemText.textContent = text;
    },
    focus: () => keyInput.focus(),
  };

  function keyTyped(): void {
    typed();
    submitButton.disabled = false;
    problemText.textContent = '';
  }

  function openKey(event: Event): void {
    event.preventDefault();
    const keyText = keyInput.value.trim();
    // Letters that no header can hold would look like a server that does not answer.
    const fault = keyFault(keyText);
    if (fault === undefined) {
      submitButton.disabled = true;
      open(keyText, rememberBox.checked);
    } else {
      problemText.textContent = fault;
      keyInput.select();
    }
  }
}
