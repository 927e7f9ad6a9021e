import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

/**
 * A place in the layout of a page that its content fills, so that the two need one line: the
 * workbench shows the state of the draft beside the tabs of the preset.
 */
const BarSlotContext = createContext<HTMLElement | null>(null);

export const BarSlotProvider = BarSlotContext.Provider;

/** Shows its children in the slot, once there is one. */
export function InBarSlot({ children }: { readonly children: ReactNode }) {
  const slot = useContext(BarSlotContext);
  return slot && createPortal(children, slot);
}
