/** Decorative: the product name always follows it. */
export function Logo() {
  return <img src="/favicon.svg" alt="" width="22" height="22" />;
}
