/**
 * The documentation page. The daemon serves all of its files, so that it works without the internet. `root` is the relative
 * path to `/api/v1/`, so that it also works where a proxy serves the API below another path.
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
<a href="${root}openapi.json">openapi.json</a>
</header>
<div id="documents">
<noscript><p class="plain">This page needs JavaScript. The same document for programs:
<a href="${root}openapi.json">openapi.json</a>.</p></noscript>
</div>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/start.js"></script>
</body>
</html>
`;
