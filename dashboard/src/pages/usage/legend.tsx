import { Button } from '../../components/button.tsx';
import type { ChartSeries } from './chart-series.ts';
import { type HiddenSeries, isolateSeries, nothingHidden, toggleSeries } from './hidden-series.ts';
import styles from './usage.module.css';

interface LegendProps {
  readonly label: string;
  readonly series: readonly Pick<ChartSeries, 'name' | 'color'>[];
  readonly hidden: HiddenSeries;
  readonly onChange: (hidden: HiddenSeries) => void;
}

/** The names of series and their colors. Each is a button that hides its series, or all others. */
export function Legend({ label, series, hidden, onChange }: LegendProps) {
  const names = series.map(({ name }) => name);
  return (
    <div className={styles.legend}>
      <ul aria-label={label}>
        {series.map(({ name, color }) => {
          const isShown = !hidden.has(name);
          return (
            <li key={name}>
              <button
                type="button"
                className={styles.legendEntry}
                aria-pressed={isShown}
                title={`Click to ${isShown ? 'hide' : 'show'}. Shift-click to show only this`}
                onClick={({ shiftKey }) =>
                  onChange((shiftKey ? isolateSeries : toggleSeries)(hidden, name, names))
                }
              >
                <span className={styles.swatch} style={isShown ? { background: color } : undefined} />
                {name}
              </button>
            </li>
          );
        })}
      </ul>
      {names.some((name) => hidden.has(name)) && (
        <Button isSmall variant="quiet" onClick={() => onChange(nothingHidden)}>
          Show all
        </Button>
      )}
    </div>
  );
}
