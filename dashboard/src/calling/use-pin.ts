import { useSearchParams } from 'wouter';
import { type Pin, pinFrom } from './pins.ts';

/** The pin that stands in the address, so that it can be shared. */
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
  return [pinFrom(search.get('pin')), setPin];
}
