/** Switches the library's dark colours on and off, as the browser prefers; loaded first, so that nothing flashes. */
export const themeScript = `'use strict';
(function () {
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  function apply() { document.documentElement.classList.toggle('dark-mode', dark.matches); }
  dark.addEventListener('change', apply);
  apply();
})();
`;

/**
 * The script of the page. A key that a user enters stays in the memory of the tab and is never stored or shown. What is
 * tried out begins empty: an example in a filter finds nothing, and one in a body would be written for good.
 */
export const documentsScript = `'use strict';
(function () {
  // Moves the examples and defaults of parameters to their descriptions: the library would fill them into the fields.
  function withoutPrefill(document) {
    Object.values(document.paths || {}).forEach(function (path) {
      Object.values(path).forEach(function (operation) {
        (operation.parameters || []).forEach(function (parameter) {
          var additions = [];
          if (parameter.schema && parameter.schema.default !== undefined) {
            additions.push('Default: \`' + parameter.schema.default + '\`.');
            delete parameter.schema.default;
          }
          if (parameter.example !== undefined) {
            additions.push('Example: \`' + [].concat(parameter.example).join(',') + '\`.');
            delete parameter.example;
          }
          parameter.description = [parameter.description].concat(additions).join(' ');
        });
      });
    });
    return document;
  }

  function safeToTry(system) {
    var h = system.React.createElement;
    return {
      statePlugins: {
        spec: {
          wrapActions: {
            updateJsonSpec: function (update) {
              return function (document) { return update(withoutPrefill(document)); };
            }
          }
        }
      },
      wrapComponents: {
        // The field for the key.
        Input: function (Original) {
          return function (props) {
            if (props.id !== 'auth-bearer-value') return h(Original, props);
            return h(Original, Object.assign({}, props, { type: 'password', autoComplete: 'off', spellCheck: false }));
          };
        },
        // The command shows no key, so that it can be copied into a document or a chat.
        curl: function (Original) {
          return function (props) {
            var request = props.request;
            var header = request.hasIn(['headers', 'Authorization']) ? ['headers', 'Authorization'] : undefined;
            var shown = header ? request.setIn(header, 'Bearer hk_<API_KEY>') : request;
            return h(Original, Object.assign({}, props, { request: shown }));
          };
        },
        // One server answers, and the interceptor below sends the key to no other.
        ServersContainer: function () { return function () { return null; }; },
        // Fields are always open, so that there is nothing to cancel.
        TryItOutButton: function () { return function () { return null; }; },
        // The head of an operation is a button, in which no link may stand.
        DeepLink: function () {
          return function (props) { return h('span', null, props.text); };
        },
        // Every refusal has the same body, which the list of schemas describes: one line each.
        response: function (Original) {
          return function (props) {
            if (/^2/.test(props.code)) return h(Original, props);
            var Markdown = system.getComponent('Markdown', true);
            return h('tr', { className: 'response refusal', 'data-code': props.code },
              h('td', { className: 'response-col_status' }, props.code),
              h('td', { className: 'response-col_description' },
                h(Markdown, { source: props.response.get('description') })));
          };
        },
        headers: function (Original) {
          return function (props) {
            return h('details', { className: 'fold' }, h('summary', null, 'Headers'), h(Original, props));
          };
        },
        RequestBodyEditor: function (Original) {
          return function (props) {
            return h('div', null,
              h('p', { className: 'writes' },
                h('strong', null, 'This writes for good.'),
                ' What the store accepts becomes part of the plant\\u2019s records and cannot be taken back here.'),
              h(Original, Object.assign({}, props, { defaultValue: '' })),
              h('details', { className: 'fold' },
                h('summary', null, 'Example of a body'),
                h('pre', { tabIndex: 0 }, props.defaultValue)));
          };
        }
      }
    };
  }

  // Names and keyboard access that the library leaves out (WCAG 2.2: 4.1.2 and 2.1.1).
  function complete(root) {
    function each(selector, work) { root.querySelectorAll(selector).forEach(work); }
    function named(name) { return function (element) { element.setAttribute('aria-label', name); }; }
    each('tr[data-param-name] :is(input, select, textarea):not([aria-label])', function (field) {
      field.setAttribute('aria-label', field.closest('tr').dataset.paramName);
    });
    each('.body-param__text:not([aria-label])', named('Body of the request'));
    each('.examples-select-element:not([aria-label])', named('Example'));
    each('.operation-filter-input:not([aria-label])', named('Filter by group'));
    each('.close-modal:not([aria-label])', named('Close'));
    each('.modal-btn[aria-label]', function (button) { button.removeAttribute('aria-label'); });
    each('pre.microlight:not([tabindex]), .highlight-code pre:not([tabindex])', function (text) { text.tabIndex = 0; });
  }
  var place = document.getElementById('documents');
  new MutationObserver(function () { complete(place); }).observe(place, { childList: true, subtree: true });

  window.ui = SwaggerUIBundle({
    url: new URL('../openapi.json', document.currentScript.src).pathname,
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
    requestInterceptor: function (request) {
      var target = new URL(request.url, window.location.href);
      if (target.origin !== window.location.origin) {
        target = new URL(target.pathname + target.search, window.location.origin);
        request.url = target.href;
      }
      request.credentials = 'omit';
      return request;
    }
  });
})();
`;
