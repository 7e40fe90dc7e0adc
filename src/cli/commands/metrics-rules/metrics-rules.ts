import { HkctlError } from '../../../core/errors.ts';
import { holdsSecret } from '../../../core/secrets.ts';
import { defineCommand } from '../../command/command.ts';
import { parsed, toggle } from '../../command/flags.ts';

/** The fields of a dashboard, which --grafana prints. */
const dashboardFields = [
  'uid',
  'title',
  'tags',
  'schemaVersion',
  'refresh',
  'time',
  'templating',
  'panels',
];

/** `hkctl metrics-rules`: the files are valid as they are, for the job `hkctl`. */
export default defineCommand({
  description: 'Both use the metrics that the daemon has at /metrics. It needs no store.',
  readOnly: true,
  fields: ['rules', ...dashboardFields],
  flags: {
    grafana: toggle('--grafana', 'print a dashboard for Grafana (JSON) instead'),
    job: parsed(
      '--job <NAME>',
      'the job_name of hkctl in the configuration of Prometheus (default hkctl)',
      requireJob,
    ),
  },
  examples: [
    ['hkctl metrics-rules > /etc/prometheus/hkctl.rules.yml', 'name the file under rule_files'],
    ['hkctl metrics-rules --grafana > hkctl.json', 'import it in Grafana'],
  ],
  async run(context, { grafana, job = 'hkctl' }) {
    if (grafana) {
      const { default: dashboard } = await import('./dashboard.json');
      const list = dashboard.templating.list.map((variable) => {
        if (variable.name !== 'job') return variable;
        return { ...variable, current: { text: job, value: job } };
      });
      const jobDashboard = { ...dashboard, templating: { list } };
      context.printDocument(JSON.stringify(jobDashboard, null, 2), jobDashboard);
      return;
    }
    const { default: alerts } = await import('./alerts.yml?raw');
    const rules = alerts.trimEnd().replaceAll('job=\\"hkctl\\"', `job=\\"${job}\\"`);
    context.printDocument(rules, { rules });
  },
});

function requireJob(jobName: string): string {
  if (/^[\w.:/-]{1,100}$/.test(jobName) && !holdsSecret(jobName)) return jobName;
  throw new HkctlError(
    'usage',
    `"${jobName}" is not a job name: use letters, digits and . : / _ -`,
  );
}
