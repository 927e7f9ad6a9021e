import { useEffect, useState } from 'react';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { dayStart, daysOf, lastDays, type RangeName, rangeOptions, type TimeRange } from './time-range.ts';

interface RangeFieldsProps {
  /** Undefined for any time, which only some pages have. */
  readonly range: TimeRange | undefined;
  readonly hasAnyTime?: boolean;
}

/** Chooses the range in the URL. */
export function RangeFields({ range, hasAnyTime = false }: RangeFieldsProps) {
  const { change } = useUrlParams();
  const days = daysOf(range ?? lastDays('7d', Date.now()));
  return (
    <>
      <SelectField<RangeName | ''>
        label="Range"
        isLabelHidden
        value={range?.range ?? ''}
        options={[...(hasAnyTime ? [['', 'Any time'] as const] : []), ...rangeOptions]}
        onChange={(next) =>
          change(next === 'custom' ? { range: '', ...days } : { range: next, from: '', to: '' })
        }
      />
      {range?.range === 'custom' && (
        <>
          <DayField
            label="From (UTC)"
            value={days.from}
            onChange={(from) => change({ from, to: from > days.to ? from : days.to })}
          />
          <DayField
            label="To (UTC)"
            value={days.to}
            onChange={(to) => change({ from: to < days.from ? to : days.from, to })}
          />
        </>
      )}
    </>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}

/** Keeps what is typed until it is a day. */
function DayField({ label, value, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextField
      label={label}
      isLabelHidden
      type="date"
      value={typed}
      onChange={(text) => {
        setTyped(text);
        if (dayStart(text) !== undefined) onChange(text);
      }}
    />
  );
}
