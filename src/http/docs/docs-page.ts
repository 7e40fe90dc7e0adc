import { examplePrograms } from '../../core/operations/examples.ts';

/**
 * The documentation page. The daemon serves all of its files, so that it works without the internet. `root` is the relative
 * path to `/api/v1/`, so that it also works if a proxy serves the API below another path.
 */
export const documentsPage = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>hkctl client API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}docs/swagger-ui.css">
<link rel="stylesheet" href="${root}docs/style.css">
<script src="${root}docs/theme.js"></script>
</head>
<body>
<header class="top">
<strong>hkctl client API</strong>
<span id="whose" role="status">No key yet</span>
<a href="${root}openapi.json">openapi.json</a>
</header>
<main class="start">
<section aria-labelledby="first-call">
<h2 id="first-call">First call</h2>
<p>A key opens exactly one site (entity) of a plant, with the permissions it was given; the administrator of the plant makes
it with <code>hkctl keys create</code>.</p>
<pre tabindex="0"><code>read -rs API_KEY    # paste the key
curl -H "Authorization: Bearer $API_KEY" \\
  <span class="base">http://127.0.0.1:8420</span>/api/v1/me</code></pre>
<p>Programs that keep a copy of a list, changes only: ${linksTo(root, 'mirror')};
every field in ${linkToPage(root, 'hkctl-resources(7)')}</p>
</section>
<section aria-labelledby="send-readings">
<h2 id="send-readings">Send readings</h2>
<p>Takes a key with <code>asset_sensors.ingest</code>, and the code of a sensor of its site. The answer comes when the reading is
on disk; to send it again is safe.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"readings":[{"sensor":"OVEN-3-T1","value":182.4,
       "at":"'$(date -u +%FT%TZ)'"}]}' \\
  <span class="base">http://127.0.0.1:8420</span>/api/v1/sensors/readings</code></pre>
<p>Programs that survive a day without network: ${linksTo(root, 'gateway')}</p>
</section>
</main>
<div id="documents">
<noscript><p class="plain">This page needs JavaScript. The same document for programs:
<a href="${root}openapi.json">openapi.json</a>.</p></noscript>
</div>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/start.js"></script>
</body>
</html>
`;

/** Links to the programs of the manual whose names begin so, and to the page that explains them. */
function linksTo(root: string, begin: string): string {
  const programs = examplePrograms.filter(({ name }) => name.startsWith(begin));
  const links = programs.map(({ name, does }) => `<a href="${root}docs/examples/${name}" title="${does}">${name}</a>`);
  return `${links.join(', ')}; explained in ${linkToPage(root, programs[0]?.page ?? '')}`;
}

/** A link to a page of the manual in Markdown, by its name such as `hkctl-api(7)`. */
function linkToPage(root: string, page: string): string {
  return `<a href="${root}docs/markdown/${page.replace(/\((\d)\)$/, '.$1.md')}">${page}</a>`;
}
