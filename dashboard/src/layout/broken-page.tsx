import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';

interface BrokenPageProps {
  readonly children: ReactNode;
}

/** A defect in a page, or a part of it that could not be loaded, leaves a way on. */
export class BrokenPage extends Component<BrokenPageProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
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
