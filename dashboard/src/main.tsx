import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/api-error.ts';
import { App } from './app.tsx';
import './styles/base.css';

const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network, a server on this machine can still be reached.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      // What the server refuses it refuses again; what it could not do right now is asked for once more.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the program.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
