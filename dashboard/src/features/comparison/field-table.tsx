import { Badge, type Tone } from '../../components/badge.tsx';
import { classNames } from '../../components/class-names.ts';
import { ShowMore, useShowMore } from '../../components/show-more.tsx';
import { capitalize } from '../../components/text.ts';
import styles from './compare.module.css';
import { type FieldComparison, isLong, valueTexts } from './compare-configs.ts';
import { LineDiff, MarkedText } from './line-diff.tsx';
import { markWords } from './mark-words.ts';

interface FieldTableProps {
  readonly label: string;
  readonly fields: readonly FieldComparison[];
  readonly titles: readonly [from: string, to: string];
}

/** One row per field, with its old and new value. */
export function FieldTable({ label, fields, titles }: FieldTableProps) {
  const { shown, focusProps, ...more } = useShowMore(fields, 300, 300);
  const isSame = fields.every(({ kind }) => kind === 'same');
  return (
    <div className={classNames(styles.room, styles.frame)}>
      <table className={styles.fieldTable} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {isSame ? (
              <th scope="col" colSpan={2}>
                Both versions
              </th>
            ) : (
              titles.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((field, index) => (
            <tr key={field.path} {...focusProps(index)}>
              <th scope="row">
                <span className={styles.path}>{field.path}</span>{' '}
                {field.kind !== 'same' && <Badge tone={toneOf[field.kind]}>{capitalize(field.kind)}</Badge>}
              </th>
              <Values field={field} titles={titles} />
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore {...more} />
    </div>
  );
}

/** Colors as in the diff itself. */
const toneOf: Readonly<Record<'added' | 'removed' | 'changed', Tone>> = {
  added: 'accent',
  removed: 'danger',
  changed: 'neutral',
};

interface ValuesProps {
  readonly field: FieldComparison;
  readonly titles: readonly [string, string];
}

/** Long values as a line diff across both columns, others side by side. */
function Values({ field: { path, kind, from, to }, titles }: ValuesProps) {
  const [before, after] = valueTexts(from, to);
  if (kind === 'same')
    return (
      <td colSpan={2} className={styles.value}>
        {before}
      </td>
    );
  if (kind === 'changed' && (isLong(before) || isLong(after)))
    return (
      <td colSpan={2} className={styles.lines}>
        {/* The key resets unfolded lines when other versions are compared. */}
        <LineDiff key={titles.join()} label={path} from={before} to={after} titles={titles} isPlain />
      </td>
    );
  const isText = kind === 'changed' && typeof from === 'string' && typeof to === 'string';
  const words = isText ? markWords(before, after) : wholeValues(before, after);
  return (
    <>
      <td data-title={titles[0]} className={classNames(styles.value, kind !== 'added' && styles.removed)}>
        {kind === 'added' ? <NotSet /> : <MarkedText segments={words.from} change="removed" />}
      </td>
      <td data-title={titles[1]} className={classNames(styles.value, kind !== 'removed' && styles.added)}>
        {kind === 'removed' ? <NotSet /> : <MarkedText segments={words.to} change="added" />}
      </td>
    </>
  );
}

/** For values other than strings: marking words inside JSON would be misleading. */
function wholeValues(before: string, after: string) {
  return { from: [{ text: before, isChanged: true }], to: [{ text: after, isChanged: true }] };
}

function NotSet() {
  return <span className={styles.notSet}>Not set</span>;
}
