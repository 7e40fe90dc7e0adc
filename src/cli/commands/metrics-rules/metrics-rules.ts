import { HkctlError } from '../../../core/errors.ts';
import { holdsSecret } from '../../../core/keys/secrets.ts';
import { defineCommand } from '../../command.ts';
import { parsed, toggle } from '../../flags.ts';

/** `hkctl metrics-rules` */
export const metricsRules = defineCommand({
  name: 'metrics-rules',
  summary: 'Print alert rules for Prometheus, or a Grafana dashboard',
  description: 'Both use the metrics that the daemon has at /metrics. It needs no store.',
  readOnly: true,
  flags: {
    grafana: toggle('--grafana', 'print a dashboard for Grafana (JSON) instead'),
    job: parsed('--job <NAME>', 'job_name of hkctl in the configuration of Prometheus (default hkctl)', requireJob),
  },
  examples: [
    ['hkctl metrics-rules > /etc/prometheus/hkctl.rules.yml', 'name the file under rule_files'],
    ['hkctl metrics-rules --grafana > hkctl.json', 'import it in Grafana'],
  ],
  async run(context, { grafana, job = 'hkctl' }) {
    if (grafana) {
      const { dashboard } = await import('./dashboard.ts');
      context.printDocument(JSON.stringify(dashboard(job), null, 2));
      return;
    }
    const { alertRules } = await import('./alerts.ts');
    const rules = alertRules(job);
    if (context.json) context.printJson({ rules });
    else context.printDocument(rules);
  },
});

function requireJob(given: string): string {
  if (/^[\w.:/-]{1,100}$/.test(given) && !holdsSecret(given)) return given;
  throw new HkctlError('usage', `"${given}" is not a job name: use letters, digits and . : / _ -`);
}
