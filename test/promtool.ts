import { spawnSync } from 'node:child_process';

/** Whether Prometheus' own checker is here; it comes with Debian's package prometheus. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
