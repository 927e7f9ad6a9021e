import styles from './api-reference.module.css';

/** An HTTP method in the color of what it does. */
export function MethodName({ method }: { readonly method: string }) {
  return (
    <span className={styles.method} data-method={method}>
      {method}
    </span>
  );
}
