import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from '../api/api-error.ts';
import { App } from './app.tsx';
import { startTheme } from './theme.ts';
import '../styles/base.css';

const queryClient = new QueryClient({
  defaultOptions: {
    // `always`, since the server may run on this machine and work without a network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Off by default in that mode.
      refetchOnReconnect: true,
      // Long enough to share one response between components that mount together.
      staleTime: 2_000,
      // A 4xx is final. Retry only lost connections and server errors.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});

startTheme();

// Slugs need it, but only once a list has loaded. By then it is there, so that nothing moves.
void document.fonts.load('1em "JetBrains Mono Variable"');

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root".');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
