'use strict';

const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { installedPackages, shippedPackages } = require('./dependencies.js');
const { notices } = require('./licences.js');
const { root } = require('./place.js');
const { reachable } = require('./tree.js');

/** Part of the build: the licences of what is bundled, for the package that npm makes. */
const packages = shippedPackages(reachable(), installedPackages());
writeFileSync(join(root, 'dist', 'NOTICES'), notices(packages));
