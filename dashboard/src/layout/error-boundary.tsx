import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';

interface ErrorBoundaryProps {
  /** The current path. Navigating elsewhere clears the error. */
  readonly path: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
  readonly path: string;
}

/** Catches render errors, and chunks that failed to load, so that the navigation keeps working. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined, path: this.props.path };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  // Another page may work, so an error does not outlive its path.
  static getDerivedStateFromProps({ path }: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return path === state.path ? null : { error: undefined, path };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="stack">
        <h1>Something went wrong</h1>
        <ErrorNotice error={this.state.error} />
        <div>
          <Button onClick={() => location.reload()}>Reload page</Button>
        </div>
      </div>
    );
  }
}
