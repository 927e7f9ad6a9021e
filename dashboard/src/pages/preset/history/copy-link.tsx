import { useRouter } from 'wouter';
import { CopyButton } from '../../../components/copy-button.tsx';

/** Copies the address of a page of this workspace. */
export function CopyLinkButton({ path }: { readonly path: string }) {
  return <CopyButton text={useUrlOf()(path)} what="link" caption="Copy link" />;
}

/** Turns a path, which is relative to the workspace, into an address that works everywhere. */
export function useUrlOf(): (path: string) => string {
  const { base } = useRouter();
  return (path) => location.origin + base + path;
}
