import { formatMetric } from '../../../../src/core/ledger/metric-text.ts';
import type { UsageMetricName } from '../../../../src/core/ledger/usage-catalog.ts';
import { usePreset } from '../../api/presets.ts';
import type { UsageRow, UsageScope } from '../../api/usage.ts';
import { SelectField } from '../../components/fields.tsx';
import { Panel } from '../../components/page.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { versionOptions } from '../../features/comparison/version-choice.ts';
import { differenceText } from '../../features/usage/difference-text.ts';
import { rowOfVersion, unknownCostText } from './totals.tsx';
import styles from './usage.module.css';
import type { UsageReport } from './usage-report.ts';
import type { UsageView } from './usage-view.ts';

/** Offers another version beside the filtered one. */
export function CompareField({ view, scope }: { readonly view: UsageView; readonly scope: UsageScope }) {
  const { preset = '', version } = view.filter;
  const { change } = useUrlParams();
  const isPossible = version !== undefined && !scope.isOrganization;
  const { data } = usePreset(preset, isPossible);
  if (!isPossible || data === undefined || data.latest < 2) return null;
  const pointers = { latest: data.latest, live: data.preset.designated_version.version, labels: [] };
  const options = versionOptions(pointers, view.compared === undefined ? [] : [view.compared]);
  return (
    <SelectField
      label="Compare with"
      isLabelHidden
      value={view.compared === undefined ? '' : String(view.compared)}
      options={[
        ['', 'Compare with…'],
        ...options
          .filter(([number]) => number !== version)
          .map(([number, text]) => [number, `Compared with ${text.toLowerCase()}`] as const),
      ]}
      onChange={(compare) => change({ compare })}
    />
  );
}

/** The numbers of two versions side by side, the older one first. */
export function VersionComparison({ report }: { readonly report: UsageReport }) {
  const { view } = report;
  const versions = [Number(view.filter.version), Number(view.compared)].toSorted((one, other) => one - other);
  const [older, newer] = versions.map((version) => rowOfVersion(report, version));
  const calls = [Number(older?.request_count ?? 0), Number(newer?.request_count ?? 0)] as const;
  return (
    <Panel title={`Version ${versions[0]} and version ${versions[1]}`} isFlush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section className={styles.comparison} tabIndex={0} aria-label="Numbers of both versions">
        <table className={styles.values} aria-label="Comparison of two versions">
          <thead>
            <tr>
              <td />
              {versions.map((version) => (
                <th key={version} scope="col">
                  Version {version}
                </th>
              ))}
              <th scope="col" className={styles.differenceColumn}>
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {comparedMetrics(view).map(({ title, metric, read }) => {
              const values = [older && read(older), newer && read(newer)] as const;
              const difference = differenceText(metric, values, calls);
              return (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  {values.map((value, index) => (
                    <td key={versions[index]}>
                      {value === undefined ? 'No calls' : formatMetric(metric, value)}
                      {index === 1 && difference !== '–' && (
                        <span className={styles.differenceBelow}>{difference}</span>
                      )}
                    </td>
                  ))}
                  <td className={styles.differenceColumn}>{difference}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        <UnknownCosts rows={[older, newer]} versions={versions} />
      </section>
    </Panel>
  );
}

interface ComparedMetric {
  readonly title: string;
  /** Decides how the value reads. */
  readonly metric: UsageMetricName;
  readonly read: (row: UsageRow) => number | null;
}

function comparedMetrics({ measure }: UsageView): readonly ComparedMetric[] {
  const plain = (metric: UsageMetricName, title: string) => ({
    title,
    metric,
    read: (row: UsageRow) => numberOf(row[metric]),
  });
  const perCall = (metric: UsageMetricName, title: string) => ({
    title,
    metric,
    read: (row: UsageRow) => Math.round(Number(row[metric]) / Number(row.request_count)),
  });
  const what = measure === 'latency' ? 'Latency' : 'Time to first token';
  return [
    plain('request_count', 'Calls'),
    plain('cost_per_call', 'Cost per call'),
    perCall('tokens_prompt', 'Input tokens per call'),
    perCall('tokens_completion', 'Output tokens per call'),
    plain('error_rate', 'Error rate'),
    plain(`${measure}_p50`, `${what} p50`),
    plain(`${measure}_p95`, `${what} p95`),
    plain(`${measure}_p99`, `${what} p99`),
  ];
}

function numberOf(value: UsageRow[string] | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

interface UnknownCostsProps {
  readonly rows: readonly (UsageRow | undefined)[];
  readonly versions: readonly number[];
}

/** The cost per call is that of calls whose cost is known. */
function UnknownCosts({ rows, versions }: UnknownCostsProps) {
  const unknown = rows.flatMap((row, index) => {
    const count = Number(row?.unpriced_request_count ?? 0);
    return count === 0 ? [] : [`version ${versions[index]} ${unknownCostText(count)}`];
  });
  return unknown.length === 0 ? null : <p className="note">Cost of {unknown.join(', and of ')}.</p>;
}
