import { isJsonObject } from '../../../../../src/core/json/json-object.ts';
import { formatNumber } from '../../../components/text.ts';
import { isSystemMessage, messageLists, promptFields } from '../../../features/request/prompt-field.ts';
import styles from '../workbench.module.css';
import { bodyOf, useCheck, useDraft } from '../workbench.ts';

/** The request fields that a version does not save, each with the server's reason. */
export function IgnoredFields() {
  const { leftOut } = useCheck();
  const hasConversation = useDraft((draft) => {
    const body = bodyOf(draft);
    return messageLists.some((name) => hasMessages(body[name]));
  });
  const { left_out: all = [], left_out_count: count = all.length } = leftOut ?? {};
  // The prompt is saved; the server lists the field that it comes from.
  const isShown = ({ field }: { readonly field: string }) =>
    !promptFields.includes(field) && (hasConversation || !messageLists.includes(field));
  const fields = all.filter(isShown);
  const rest = count - all.length;
  if (fields.length === 0) return null;
  return (
    <section className="stack-2" aria-label="Ignored">
      <h3>Ignored</h3>
      <ul className={styles.items}>
        {fields.map(({ field, reason, message }) => (
          <li key={field} className={styles.ignored}>
            <code>{field}</code>
            <span className={reason === 'unknown' ? styles.unknown : 'muted'}>{message}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {formatNumber(rest)} more</li>}
      </ul>
    </section>
  );
}

/** Whether a list has more than the system prompt, or the message that stands in for it. */
function hasMessages(list: unknown): boolean {
  if (typeof list === 'string') return true;
  const messages: readonly unknown[] = Array.isArray(list) ? list : [];
  return messages.some(
    (message) => !isSystemMessage(message) && (!isJsonObject(message) || message.content !== ''),
  );
}
