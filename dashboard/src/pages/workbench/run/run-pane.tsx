import { useWorkbench } from '../workbench.ts';

/** A conversation with the draft, through the gateway. */
export function RunPane() {
  const { slug } = useWorkbench();
  return <p className="note">Run {slug}</p>;
}
