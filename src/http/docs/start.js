// A key that a user enters stays in the memory of the tab and is never stored or shown. What is tried out begins empty: an example in
// a filter finds nothing, and one in a body would be written for good.
'use strict';
(() => {
  // Moves the examples and defaults of parameters to their descriptions: the library would fill them into the fields.
  function withoutPrefill(document) {
    Object.values(document.paths || {}).forEach((path) => {
      Object.values(path).forEach((operation) => {
        (operation.parameters || []).forEach((parameter) => {
          const additions = [];
          if (parameter.schema && parameter.schema.default !== undefined) {
            additions.push(`Default: \`${parameter.schema.default}\`.`);
            delete parameter.schema.default;
          }
          if (parameter.example !== undefined) {
            additions.push(`Example: \`${[].concat(parameter.example).join(',')}\`.`);
            delete parameter.example;
          }
          parameter.description = [parameter.description].concat(additions).join(' ');
        });
      });
    });
    return document;
  }

  const root = new URL('../', document.currentScript.src);
  document.querySelectorAll('.start .base').forEach((place) => {
    place.textContent = root.href.replace(/\/api\/v1\/$/, '');
  });

  // Whose the entered key is; a key that the daemon refuses is not taken.
  let whose = '';
  function show(text) {
    whose = text;
    document.getElementById('whose').textContent = text || 'No key yet';
  }
  function describe(me) {
    const expires = me.key.expires_at
      ? `expires ${me.key.expires_at.slice(0, 10)}`
      : 'never expires';
    const count =
      me.permissions.length === 1 ? '1 permission' : `${me.permissions.length} permissions`;
    return [
      `${me.key.name} (${me.key.prefix})`,
      `${me.entity.name} (${me.entity.code})`,
      count,
      expires,
    ].join(' · ');
  }
  function authorize(original, system) {
    return (payload) => {
      const id = Object.keys(payload)[0];
      function refuse(message) {
        show('');
        system.errActions.newAuthErr({
          authId: id,
          level: 'warning',
          source: 'auth',
          message: message,
        });
      }
      system.errActions.clear({ authId: id, type: 'auth', source: 'auth' });
      const key = String(payload[id].value || '').trim();
      if (!/^[!-~]+$/.test(key)) return refuse('Enter a key: hk_ and 49 letters and digits.');
      return fetch(new URL('me', root), {
        credentials: 'omit',
        headers: { Authorization: `Bearer ${key}` },
      })
        .then((answer) =>
          answer.json().then((body) => {
            if (!answer.ok) return refuse(`Not let in: ${body.detail}`);
            show(describe(body));
            payload[id] = Object.assign({}, payload[id], { value: key });
            original(payload);
          }),
        )
        .catch(() => {
          refuse('The daemon does not answer.');
        });
    };
  }

  function safeToTry(system) {
    const h = system.React.createElement;
    return {
      statePlugins: {
        auth: {
          wrapActions: {
            authorize: authorize,
            logout: (original) => (names) => {
              show('');
              return original(names);
            },
          },
        },
        spec: {
          wrapActions: {
            updateJsonSpec: (update) => (document) => update(withoutPrefill(document)),
          },
        },
      },
      wrapComponents: {
        // The field for the key.
        Input: (Original) => (props) => {
          if (props.id !== 'auth-bearer-value') return h(Original, props);
          return h(
            Original,
            Object.assign({}, props, { type: 'password', autoComplete: 'off', spellCheck: false }),
          );
        },
        // The dialog, which says whose key it is.
        HttpAuth: (Original) => (props) =>
          h('div', null, h(Original, props), whose && h('p', { className: 'whose' }, whose)),
        // The command shows no key, so that it can be copied into a document or a chat.
        curl: (Original) => (props) => {
          const request = props.request;
          const header = request.hasIn(['headers', 'Authorization'])
            ? ['headers', 'Authorization']
            : undefined;
          const shown = header ? request.setIn(header, 'Bearer hk_<API_KEY>') : request;
          return h(Original, Object.assign({}, props, { request: shown }));
        },
        // One server answers, and the interceptor below sends the key to no other.
        ServersContainer: () => () => null,
        // Fields are always open, so that there is nothing to cancel.
        TryItOutButton: () => () => null,
        // The head of an operation is a button, in which no link may stand.
        DeepLink: () => (props) => h('span', null, props.text),
        // Every refusal has the same body, which the list of schemas describes: one line each.
        response: (Original) => (props) => {
          if (/^2/.test(props.code)) return h(Original, props);
          const Markdown = system.getComponent('Markdown', true);
          return h(
            'tr',
            { className: 'response refusal', 'data-code': props.code },
            h('td', { className: 'response-col_status' }, props.code),
            h(
              'td',
              { className: 'response-col_description' },
              h(Markdown, { source: props.response.get('description') }),
            ),
          );
        },
        headers: (Original) => (props) =>
          h('details', { className: 'fold' }, h('summary', null, 'Headers'), h(Original, props)),
        RequestBodyEditor: (Original) => (props) =>
          h(
            'div',
            null,
            h(
              'p',
              { className: 'writes' },
              h('strong', null, 'This writes for good.'),
              ' What the store accepts becomes part of the plant’s records and cannot be taken back here.',
            ),
            h(Original, Object.assign({}, props, { defaultValue: '' })),
            h(
              'details',
              { className: 'fold' },
              h('summary', null, 'Example of a body'),
              h('pre', { tabIndex: 0 }, props.defaultValue),
            ),
          ),
      },
    };
  }

  // Names and keyboard access that the library leaves out (WCAG 2.2: 4.1.2 and 2.1.1).
  function complete(root) {
    function each(selector, work) {
      root.querySelectorAll(selector).forEach(work);
    }
    function named(name) {
      return (element) => {
        element.setAttribute('aria-label', name);
      };
    }
    each('tr[data-param-name] :is(input, select, textarea):not([aria-label])', (field) => {
      field.setAttribute('aria-label', field.closest('tr').dataset.paramName);
    });
    each('.body-param__text:not([aria-label])', named('Body of the request'));
    each('.examples-select-element:not([aria-label])', named('Example'));
    each('.operation-filter-input:not([aria-label])', named('Filter by group'));
    each('.close-modal:not([aria-label])', named('Close'));
    each('.modal-btn[aria-label]', (button) => {
      button.removeAttribute('aria-label');
    });
    each('pre.microlight:not([tabindex]), .highlight-code pre:not([tabindex])', (text) => {
      text.tabIndex = 0;
    });
  }
  const place = document.getElementById('documents');
  new MutationObserver(() => {
    complete(place);
  }).observe(place, { childList: true, subtree: true });

  window.ui = SwaggerUIBundle({
    url: new URL('openapi.json', root).pathname,
    dom_id: '#documents',
    deepLinking: true,
    persistAuthorization: false,
    validatorUrl: null,
    queryConfigEnabled: false,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    // Colours that are readable on both backgrounds; long answers also appear sooner.
    syntaxHighlight: false,
    requestSnippetsEnabled: false,
    withCredentials: false,
    plugins: [safeToTry],
    // Send the key to this server only, even if the document names another one.
    requestInterceptor: (request) => {
      let target = new URL(request.url, window.location.href);
      if (target.origin !== window.location.origin) {
        target = new URL(target.pathname + target.search, window.location.origin);
        request.url = target.href;
      }
      request.credentials = 'omit';
      return request;
    },
  });
})();
