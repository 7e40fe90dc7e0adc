/** Adds a header to the library's style sheet, makes operations compact, and prevents horizontal scrolling on phones. */
export const documentsStyle = `html { box-sizing: border-box; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; font-family: system-ui, sans-serif; }
.top { display: flex; gap: 1rem; align-items: baseline; justify-content: space-between; padding: .75rem 1.25rem; background: #14213d; color: #fff; }
.top a { color: #cfe0ff; }
.top span { flex: 1; }
.plain { padding: 1rem 1.25rem; }
.start { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 2rem; max-width: 1280px; margin: 0 auto; padding: .5rem 1.25rem; color: #3b4151; font-size: 14px; line-height: 1.45; }
.start section { min-width: 0; }
.start h2 { margin: .75rem 0 .25rem; font-size: 1.25rem; }
.start p { margin: .4rem 0; }
.start pre { margin: 0; padding: .6rem .75rem; overflow-x: auto; border-radius: 4px; background: #333; color: #fff; }
.start a { color: #1a5fb4; }
.whose { font-weight: 600; }
html.dark-mode .start, html.dark-mode .whose { color: #e4e6e6; }
html.dark-mode .start a { color: #9cc4ff; }
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .scheme-container { margin: 0; padding: .75rem 0; }
.swagger-ui .filter .operation-filter-input { margin: .75rem 0 0; }
.swagger-ui .wrapper { padding: 0 1.25rem; max-width: 1280px; }
.swagger-ui .markdown p, .swagger-ui .renderedMarkdown p { overflow-wrap: anywhere; }
/* Colours with a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
html:not(.dark-mode) .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1d6f42; }
html:not(.dark-mode) .swagger-ui .info .title small, html:not(.dark-mode) .swagger-ui .download-contents { background: #495057; }
html:not(.dark-mode) .swagger-ui .info a, html:not(.dark-mode) .swagger-ui .info .url { color: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1d6f42; color: #1d6f42; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1d6f42; }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1a5fb4; background: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #595959; }
html.dark-mode, html.dark-mode body { background: #1c2022; }
html.dark-mode .swagger-ui .writes, html.dark-mode .swagger-ui .writes strong { background: #3a2a12; color: #ffd9a8; }
html.dark-mode .swagger-ui .fold summary { color: #e4e6e6; }
/* An operation fits two screens: fields side by side, examples that scroll. */
.swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-external-docs-wrapper { padding: .6rem 1rem; }
.swagger-ui .opblock .opblock-section-header { min-height: 0; padding: .3rem 1rem; }
.swagger-ui .parameters-container .table-container { padding: .5rem 1rem; }
.swagger-ui table.parameters, .swagger-ui table.parameters tbody, .swagger-ui table.parameters td { display: block; }
.swagger-ui table.parameters thead { display: none; }
.swagger-ui table.parameters tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .6rem 1.25rem; padding-top: .5rem; }
.swagger-ui table.parameters tbody tr { display: flex; flex-direction: column; justify-content: space-between; }
.swagger-ui table.parameters tbody tr td { width: auto; max-width: none; margin: 0; padding: 0; }
.swagger-ui table.parameters tr[data-param-in="query"] .parameter__in { display: none; }
.swagger-ui table.parameters .parameters-col_name { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; }
.swagger-ui table.parameters .parameter__name { margin: 0; font-size: 14px; }
.swagger-ui table.parameters .parameter__type, .swagger-ui table.parameters .parameter__in { padding: 0; font-size: 12px; }
.swagger-ui table.parameters .parameters-col_description :is(p, .renderedMarkdown) { margin: .1rem 0; font-size: 12px; line-height: 1.35; }
.swagger-ui table.parameters :is(input, select) { width: 100%; max-width: none; min-width: 0; margin: .15rem 0; padding: .3rem .5rem; }
.swagger-ui .body-param__text { min-height: 8rem; }
.swagger-ui .execute-wrapper { padding: .5rem 1rem; }
.swagger-ui .responses-inner { padding: .5rem 1rem; }
.swagger-ui .responses-table .response-col_links, .swagger-ui .responses-table .response-control-media-type__accept-message { display: none; }
.swagger-ui table.responses-table tbody tr td { padding: .25rem .5rem .25rem 0; }
.swagger-ui .responses-table .refusal p { margin: 0; font-size: 13px; }
.swagger-ui .highlight-code, .swagger-ui .highlight-code > pre, .swagger-ui pre.example { max-height: 16rem; overflow: auto; }
.swagger-ui .live-responses-table .headerline, .swagger-ui .response-col_description__inner { font-size: 12px; }
.swagger-ui .live-responses-table .response-col_description > div > pre.microlight { max-height: 7rem; overflow: auto; }
.swagger-ui .fold { margin: .4rem 0; font-size: 13px; }
.swagger-ui .fold summary { cursor: pointer; }
.swagger-ui .fold pre { max-height: 14rem; overflow: auto; padding: .5rem; background: #333; color: #fff; }
.swagger-ui .writes { margin: .25rem 0 .5rem; padding: .4rem .6rem; border-left: 4px solid #b35900; background: #fff3e0; color: #4a2600; }
.swagger-ui .writes strong { color: inherit; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 .5rem; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: .25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: calc(100vw - 8rem); word-break: break-word; }
  .swagger-ui table { display: block; overflow-x: auto; }
  .swagger-ui .response-col_description { min-width: 0; }
  .swagger-ui table.parameters tbody { grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .6rem .75rem; }
  .swagger-ui .modal-ux { width: calc(100vw - 1rem); min-width: 0; }
  .swagger-ui pre, .swagger-ui .highlight-code { max-width: calc(100vw - 3rem); overflow-x: auto; }
}
`;
