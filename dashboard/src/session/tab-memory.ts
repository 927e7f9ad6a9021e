/** What one tab of the browser remembers until it is closed or the person signs out. Nothing is kept anywhere else. */
type Memory = 'key' | 'workspace';

export function remembered(name: Memory): string | undefined {
  return sessionStorage.getItem(`presetd.${name}`) ?? undefined;
}

export function remember(name: Memory, value: string): void {
  sessionStorage.setItem(`presetd.${name}`, value);
}

export function forget(name: Memory): void {
  sessionStorage.removeItem(`presetd.${name}`);
}
