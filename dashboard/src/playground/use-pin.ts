import { useSearchParams } from 'wouter';
import { type Pin, parsePin } from './pins.ts';

/** The selected pin, kept in the URL so that it can be shared. */
export function usePin(): readonly [Pin, (pin: Pin) => void] {
  const [search, setSearch] = useSearchParams();
  const setPin = (pin: Pin) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (pin === '') next.delete('pin');
        else next.set('pin', pin);
        return next;
      },
      { replace: true },
    );
  return [parsePin(search.get('pin')), setPin];
}
