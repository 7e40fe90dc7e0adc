/**
 * The documentation page. The daemon serves all of its files, so that it works without the internet. `root` is the relative
 * path to `/api/v1/`, so that it also works where a proxy serves the API below another path.
 */
export const documentsPage = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>hkctl client API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}docs/swagger-ui.css">
<link rel="stylesheet" href="${root}docs/style.css">
</head>
<body>
<header class="top">
<strong>hkctl client API</strong>
<a href="${root}openapi.json">openapi.json</a>
</header>
<noscript><p class="plain">This page needs JavaScript. The same document for programs:
<a href="${root}openapi.json">openapi.json</a>.</p></noscript>
<main id="documents"></main>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/start.js"></script>
</body>
</html>
`;

/** The script of the page: a key that a user enters stays in the memory of the tab and is never stored. */
export const documentsScript = `'use strict';
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
  requestSnippetsEnabled: false,
  withCredentials: false,
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
`;

/** Adds a header to the library's style sheet, and prevents horizontal scrolling on phones. */
export const documentsStyle = `html { box-sizing: border-box; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; font-family: system-ui, sans-serif; }
.top { display: flex; gap: 1rem; align-items: baseline; justify-content: space-between; padding: .75rem 1.25rem; background: #14213d; color: #fff; }
.top a { color: #cfe0ff; }
.plain { padding: 1rem 1.25rem; }
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .wrapper { padding: 0 1.25rem; max-width: 1280px; }
.swagger-ui .markdown p, .swagger-ui .renderedMarkdown p { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 .5rem; }
  .swagger-ui .scheme-container { padding: 1rem 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: .25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: calc(100vw - 8rem); word-break: break-word; }
  .swagger-ui table { display: block; overflow-x: auto; }
  .swagger-ui .parameters-col_name { width: auto; min-width: 7rem; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { width: 100%; max-width: 100%; }
  .swagger-ui .response-col_description { min-width: 0; }
  .swagger-ui .modal-ux { width: calc(100vw - 1rem); min-width: 0; }
  .swagger-ui pre, .swagger-ui .highlight-code { max-width: calc(100vw - 3rem); overflow-x: auto; }
}
`;
