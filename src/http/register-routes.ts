import type { FastifyInstance } from 'fastify';
import { createAccounts } from '../core/accounts/accounts.ts';
import { createDeviceSignIn } from '../core/accounts/device-sign-in.ts';
import { createPasswordHasher } from '../core/accounts/password-hash.ts';
import { createPeople } from '../core/accounts/people.ts';
import { createSignIn } from '../core/accounts/sign-in.ts';
import { createPasswordVerifier } from '../core/accounts/verify-password.ts';
import { createKeys } from '../core/organization/keys.ts';
import { createMembers } from '../core/organization/members.ts';
import { createWorkspaces } from '../core/organization/workspaces.ts';
import { createCases } from '../core/presets/cases.ts';
import { createPresetEditor } from '../core/presets/change-preset.ts';
import { createDrafts } from '../core/presets/drafts.ts';
import { createLastCallReader } from '../core/presets/last-call.ts';
import { createProvisioning } from '../core/provisioning/provisioning.ts';
import { createAttemptCookies } from '../sign-in/attempt-cookie.ts';
import type { AppOptions } from './app-options.ts';
import { requireCaller } from './authentication.ts';
import { serveDashboard } from './dashboard.ts';
import type { FrontStages } from './front-stages.ts';
import { enforceRateLimit } from './overload/rate-limit.ts';
import { accountRoutes } from './routes/account.ts';
import { aliasRoutes } from './routes/aliases.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { auditRoutes } from './routes/audit.ts';
import { captureRoutes } from './routes/captures.ts';
import { caseRoutes } from './routes/cases.ts';
import { draftRoutes } from './routes/drafts.ts';
import { eventRoutes } from './routes/events.ts';
import { generationContentRoutes } from './routes/generation-content.ts';
import { generationRoutes } from './routes/generations.ts';
import { apiRootRoutes, healthRoutes } from './routes/health.ts';
import { inferenceRoutes } from './routes/inference.ts';
import { keyRoutes } from './routes/keys.ts';
import { labelRoutes } from './routes/labels.ts';
import { memberRoutes } from './routes/members.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { modelRoutes } from './routes/models.ts';
import { peopleRoutes } from './routes/people.ts';
import { presetUsageRoutes } from './routes/preset-usage.ts';
import { presetRoutes } from './routes/presets.ts';
import { providerSignInRoutes } from './routes/provider-sign-in.ts';
import { repricingRoutes } from './routes/repricing.ts';
import { signedInRoutes, signInRoutes } from './routes/sign-in.ts';
import { exportRoutes, importRoutes } from './routes/transfer.ts';
import { versionRoutes } from './routes/versions.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import { requireScimToken, scimRoutes } from './scim/scim-routes.ts';
import { checkQueryParameters } from './validation/query-parameters.ts';

/**
 * Registers all routes, with the use cases that they call. Each group has its own scope, whose
 * hooks apply to all routes that are registered after them.
 */
export async function registerRoutes(
  app: FastifyInstance,
  options: AppOptions,
  stages: FrontStages,
): Promise<void> {
  const people = createPeopleUseCases(options);
  await app.register(async (scope) => serveDashboard(scope, options.dashboardFolder));
  await registerOperationRoutes(app, options);
  await app.register(async (scope) => registerScim(scope, options, stages), { prefix: '/scim/v2' });
  await registerSignIn(app, options, stages, people);
  await app.register(
    async (scope) => {
      requireCaller(scope, options.authenticator, options.publicUrl, options.failures);
      stages.loadShedder.limitInFlight(scope);
      if (options.rateLimitPerMinute > 0) enforceRateLimit(scope, stages.rateLimit);
      await scope.register(async (inner) => inferenceRoutes(inner, stages.calls));
      // After the inference routes, whose query parameters are for the upstream to check.
      checkQueryParameters(scope);
      modelRoutes(scope, stages.presetReader, options.models, options.gateway);
      await registerPresets(scope, options, stages);
      registerOrganization(scope, options);
      accountRoutes(scope, people.accounts);
      signedInRoutes(scope, people.accounts, people.devices, options.providers);
    },
    { prefix: '/api/v1' },
  );
}

type PeopleUseCases = ReturnType<typeof createPeopleUseCases>;

function createPeopleUseCases({ storage, authenticator, clock, providers, ...limits }: AppOptions) {
  const hasher = createPasswordHasher();
  const shared = {
    storage,
    authenticator,
    clock,
    verifyPassword: createPasswordVerifier(storage.accounts, hasher, clock),
    methods: () => providers.methods(),
  };
  return {
    signIn: createSignIn({ ...shared, sessionMaxMs: limits.sessionMaxMs }),
    accounts: createAccounts({ ...shared, hasher, sessionIdleMs: limits.sessionIdleMs }),
    devices: createDeviceSignIn(storage.devices, clock),
  };
}

/** For load balancers and monitoring, without a key; metrics have a token of their own. */
async function registerOperationRoutes(app: FastifyInstance, options: AppOptions): Promise<void> {
  await app.register(async (scope) => healthRoutes(scope, options.storage));
  apiRootRoutes(app);
  const { metricsPage, metricsToken, metricsPort, failures } = options;
  await app.register(async (scope) =>
    metricsRoutes(scope, metricsPage, metricsToken, metricsPort !== undefined, failures),
  );
}

/** SCIM has tokens of its own. */
function registerScim(scope: FastifyInstance, options: AppOptions, { loadShedder }: FrontStages): void {
  const { storage, clock, authenticator, failures, providers } = options;
  requireScimToken(scope, options.scimTokens, failures);
  loadShedder.limitInFlight(scope);
  const provisioning = createProvisioning(
    storage.provisioning,
    storage.organizations,
    clock,
    authenticator,
    providers.scimGroups,
  );
  scimRoutes(scope, provisioning, options.publicUrl);
}

/** The routes that people sign in with, for which they have no key or session yet. */
async function registerSignIn(
  app: FastifyInstance,
  { storage, clock, authenticator, failures, providers, publicUrl, sessionMaxMs }: AppOptions,
  { loadShedder }: FrontStages,
  { signIn, accounts, devices }: PeopleUseCases,
): Promise<void> {
  await app.register(
    async (scope) => {
      loadShedder.limitInFlight(scope);
      checkQueryParameters(scope);
      signInRoutes(scope, { signIn, accounts, devices, authenticator, failures, publicUrl, sessionMaxMs });
    },
    { prefix: '/api/v1' },
  );
  await app.register(async (scope) => {
    loadShedder.limitInFlight(scope);
    const attempts = createAttemptCookies(storage.secrets, clock);
    providerSignInRoutes(scope, { providers, attempts, signIn, failures, publicUrl, sessionMaxMs });
  });
}

async function registerPresets(
  scope: FastifyInstance,
  { storage, presetCache, presetUses, clock }: AppOptions,
  { presetReader }: FrontStages,
): Promise<void> {
  const { cases, drafts, presetCalls } = storage;
  const presets = presetCache.store;
  const presetEditor = createPresetEditor(presets, clock);
  captureRoutes(scope, presets, clock);
  presetRoutes(scope, presetReader, presetEditor);
  versionRoutes(scope, presetReader);
  labelRoutes(scope, presetReader, presetEditor);
  aliasRoutes(scope, presetReader, presetEditor);
  caseRoutes(scope, createCases(cases, presets, clock));
  draftRoutes(scope, createDrafts(drafts, presets, clock));
  presetUsageRoutes(scope, createLastCallReader(presetCalls, presetUses, presets));
  eventRoutes(scope, presetReader);
  exportRoutes(scope, { presets, cases, drafts });
  // In an inner scope, like inference: both replace the body parser.
  await scope.register(async (inner) => importRoutes(inner, { presets, cases, drafts }, clock));
}

function registerOrganization(scope: FastifyInstance, options: AppOptions): void {
  const { storage, clock, authenticator, presetCache, sessionIdleMs } = options;
  const keys = createKeys(storage.keys, storage.presets, clock, authenticator);
  const members = createMembers(storage.members, clock, authenticator);
  keyRoutes(scope, keys, storage.spending, options.rateLimitPerMinute);
  workspaceRoutes(scope, createWorkspaces(storage.workspaces, clock, authenticator, presetCache));
  memberRoutes(scope, members);
  peopleRoutes(scope, createPeople({ storage, members, authenticator, clock, sessionIdleMs }));
  auditRoutes(scope, storage.audit);
  generationRoutes(scope, storage);
  generationContentRoutes(scope, storage, clock);
  analyticsRoutes(scope, storage, options.usageRetentionDays);
  repricingRoutes(scope, storage.ledger, clock, options.callPricing);
}
