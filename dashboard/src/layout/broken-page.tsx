import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';

interface BrokenPageProps {
  /** Another page may work again. */
  readonly path: string;
  readonly children: ReactNode;
}

interface BrokenPageState {
  readonly error: unknown;
  readonly path: string;
}

/** A defect in a page, or a part of it that could not be loaded, leaves a way on. */
export class BrokenPage extends Component<BrokenPageProps, BrokenPageState> {
  override state: BrokenPageState = { error: undefined, path: this.props.path };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  static getDerivedStateFromProps({ path }: BrokenPageProps, state: BrokenPageState) {
    return path === state.path ? null : { error: undefined, path };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="stack">
        <h1>This page does not work</h1>
        <ErrorNotice error={this.state.error} />
        <div>
          <Button onClick={() => location.reload()}>Load it again</Button>
        </div>
      </div>
    );
  }
}
