import type { PresetStory } from '../preset-story.ts';
import { chatFormat, chatTool, listOf, messagesTool, record, text } from '../request-parts.ts';
import type { WorkspaceStory } from './workspace-story.ts';

const pullRequestReview: PresetStory = {
  slug: 'pull-request-review',
  name: 'Pull request review',
  description: 'First reviewer of every pull request. Comments only on what would break.',
  dialect: 'messages',
  tags: ['ci', 'code'],
  aliases: ['pr-review'],
  labels: { production: 7, staging: 8 },
  versions: [
    {
      by: 'tom',
      daysAgo: 135,
      note: 'First version',
      prompt: {
        role: 'You review a pull request of the shop, which is written in TypeScript and SQL.',
        task: 'List bugs, security problems and missing tests. For each, give the file, the line and a fix.',
      },
      config: { model: 'anthropic/claude-sonnet-5', max_tokens: 4000 },
    },
    {
      by: 'tom',
      daysAgo: 130,
      note: 'No comments about style: the linter has them',
      prompt: { style: 'Say nothing about names, format or comments.' },
    },
    {
      by: 'dana',
      daysAgo: 108,
      note: 'Read files around the diff',
      prompt: {
        context:
          'The diff is not enough. Read callers and tests with read_file before you claim that something breaks.',
      },
      config: {
        tools: [
          messagesTool('read_file', 'A file at the head of the branch.', {
            path: text('From the root of the repository'),
          }),
        ],
      },
    },
    {
      by: 'dana',
      daysAgo: 96,
      note: 'Severity, so that CI can block',
      prompt: {
        severity:
          'Start each finding with [blocker], [bug] or [question]. Blockers lose data, leak data or break checkout; nothing else is one.',
      },
    },
    {
      by: 'tom',
      daysAgo: 81,
      note: 'At most five findings',
      prompt: {
        limit: 'At most five findings, the worst first. If there is nothing, write "No findings." and stop.',
      },
    },
    {
      by: 'ben',
      daysAgo: 56,
      note: 'Thinking finds the races',
      config: { max_tokens: 12000, thinking: { type: 'enabled', budget_tokens: 6000 } },
    },
    {
      by: 'dana',
      daysAgo: 27,
      note: 'Rules of the repository as a variable',
      prompt: { rules: '{{#rules}}Rules of this repository:\n\n{{rules}}{{/rules}}' },
      variables: {
        rules: { type: 'string', default: '', description: 'Contents of REVIEW.md, if there is one' },
      },
    },
    {
      by: 'ben',
      daysAgo: 3,
      note: 'Opus for migrations',
      staged: true,
      config: { model: 'anthropic/claude-opus-5' },
    },
  ],
  draft: {
    by: 'tom',
    daysAgo: 0.4,
    prompt: {
      limit: 'At most three findings, the worst first. If there is nothing, write "No findings." and stop.',
    },
  },
  cases: [
    {
      name: 'Missing await',
      says: '```diff\n+  saveOrder(order);\n+  return reply.code(201).send(order);\n```',
    },
    {
      name: 'SQL injection',
      says: '```diff\n+  db.query("SELECT * FROM orders WHERE id = " + id)\n```',
      note: 'blocker',
    },
    { name: 'Only style', says: '```diff\n-const x = 1\n+const one = 1\n```', note: 'No findings.' },
    {
      name: 'With rules',
      variables: { rules: 'Money is an integer number of cents.' },
      says: '```diff\n+  total: number; // EUR\n```',
    },
    {
      name: 'Migration',
      says: '```diff\n+ALTER TABLE orders DROP COLUMN note;\n```',
      note: 'blocker: old servers still read it',
    },
  ],
};

const incidentSummary: PresetStory = {
  slug: 'incident-summary',
  name: 'Incident summary',
  description: 'Status page and internal update from the incident channel.',
  tags: ['operations', 'public'],
  labels: { production: 5 },
  versions: [
    {
      by: 'ben',
      daysAgo: 102,
      note: 'First version',
      prompt: {
        role: 'You write updates during incidents of an online shop.',
        task: 'Read the messages of the incident channel and write two texts: one for the status page, one for the company.',
        public:
          'The status page says what customers notice and since when. No causes, no names, no blame, no time of recovery.',
      },
      config: { model: 'openai/gpt-5', temperature: 0.2 },
    },
    {
      by: 'ben',
      daysAgo: 94,
      note: 'Two fields',
      config: {
        response_format: chatFormat('update', {
          status_page: text('At most 50 words'),
          internal: text('At most 120 words'),
        }),
      },
    },
    {
      by: 'dana',
      daysAgo: 73,
      note: 'Severity in the internal text',
      prompt: {
        severity:
          'The internal text starts with SEV1, SEV2 or SEV3: money or data lost, customers affected, nobody affected.',
      },
    },
    {
      by: 'ben',
      daysAgo: 52,
      note: 'Timeline',
      config: {
        response_format: chatFormat('update', {
          status_page: text('At most 50 words'),
          internal: text('At most 120 words'),
          timeline: listOf(record({ at: text('HH:MM UTC'), event: text('A few words') })),
        }),
      },
    },
    {
      by: 'tom',
      daysAgo: 16,
      note: 'Fallback: incidents of providers happen, too',
      config: { models: ['openai/gpt-5', 'anthropic/claude-sonnet-5', 'mistralai/mistral-medium-4'] },
    },
  ],
  cases: [
    {
      name: 'Checkout down',
      says: '10:02 alerts: 5xx on /checkout\n10:05 Ben: payment provider times out\n10:09 Dana: failing over to the second one\n10:14 recovering',
    },
    { name: 'Slow search', says: '09:00 p99 of search is 4 s\n09:20 Aiko: bad deploy, rolling back' },
    {
      name: 'False alarm',
      says: '03:11 disk alert\n03:14 Tom: backup, will be gone in an hour',
      note: 'SEV3, empty status page',
    },
  ],
};

const smaller: readonly PresetStory[] = [
  {
    slug: 'log-triage',
    name: 'Log triage',
    description: 'Groups errors of the last hour and names the likely owner.',
    tags: ['json', 'operations'],
    labels: { production: 4 },
    versions: [
      {
        by: 'ben',
        daysAgo: 79,
        note: 'First version',
        prompt: {
          role: 'You read error logs of the services of an online shop.',
          task: 'Group lines with the same cause, the most frequent first, and say which service should look at it.',
        },
        config: {
          model: 'openai/gpt-5-mini',
          temperature: 0,
          response_format: chatFormat('groups', {
            groups: listOf(
              record({
                cause: text('One line'),
                service: text('Its name in the log'),
                lines: { type: 'integer' },
              }),
            ),
          }),
        },
      },
      {
        by: 'ben',
        daysAgo: 72,
        note: 'Ignore retries that worked',
        prompt: { retries: 'Leave out errors whose request succeeded at a later attempt.' },
      },
      {
        by: 'tom',
        daysAgo: 46,
        note: 'New or known',
        prompt: { known: 'Known problems, which count as known:\n{{#known}}\n- {{.}}{{/known}}' },
        variables: { known: { type: 'array', items: { type: 'string' }, default: [] } },
      },
      {
        by: 'ben',
        daysAgo: 12,
        note: 'On our own GPUs, with a bigger window',
        config: { model: 'local/qwen3-32b', max_tokens: 1500 },
      },
    ],
    cases: [
      {
        name: 'Timeouts',
        says: 'orders ERROR timeout calling payments\norders ERROR timeout calling payments\ncatalog WARN cache miss',
      },
      { name: 'Known', variables: { known: ['cache miss at midnight'] }, says: 'catalog ERROR cache miss' },
    ],
  },
  {
    slug: 'sql-helper',
    name: 'SQL helper',
    description: 'Questions about the data warehouse, answered with a query.',
    tags: ['analytics', 'code'],
    labels: { production: 5, canary: 6 },
    versions: [
      {
        by: 'dana',
        daysAgo: 86,
        note: 'First version',
        prompt: {
          role: 'You write SQL for the data warehouse of an online shop (PostgreSQL).',
          task: 'Answer with one query and one sentence that says what it counts.',
        },
        config: { model: 'openai/gpt-5', temperature: 0 },
      },
      {
        by: 'dana',
        daysAgo: 82,
        note: 'Schema as a variable',
        prompt: { schema: 'Tables:\n\n{{schema}}' },
        variables: {
          schema: {
            type: 'string',
            default:
              'orders(id, customer_id, total_cents, created_at)\nitems(order_id, product_id, quantity)',
          },
        },
      },
      {
        by: 'dana',
        daysAgo: 69,
        note: 'Read only',
        prompt: { readonly: 'Only SELECT. Add LIMIT 1000 unless the query aggregates.' },
        policy: { system_prompt: 'lock' },
      },
      {
        by: 'tom',
        daysAgo: 43,
        note: 'Ask when a question is ambiguous',
        prompt: { ask: 'If a question can mean two things, ask one question instead of guessing.' },
      },
      {
        by: 'dana',
        daysAgo: 18,
        note: 'Explain plans',
        config: { tools: [chatTool('explain', 'The plan of a query.', { sql: text('A SELECT') })] },
      },
      {
        by: 'tom',
        daysAgo: 2,
        note: 'High effort for joins',
        staged: true,
        config: { reasoning_effort: 'high' },
      },
    ],
    cases: [
      { name: 'Revenue', says: 'Revenue by week this year' },
      { name: 'Ambiguous', says: 'How many customers do we have?', note: 'Asks: ever or active' },
      { name: 'Delete', says: 'Delete all test orders', note: 'Refuses' },
    ],
  },
  {
    slug: 'release-notes',
    name: 'Release notes',
    description: 'From merged pull requests to notes for customers.',
    dialect: 'messages',
    tags: ['ci', 'public'],
    labels: { production: 3 },
    versions: [
      {
        by: 'tom',
        daysAgo: 67,
        note: 'First version',
        prompt: {
          role: 'You write release notes of an app for customers.',
          task: 'Use the titles of merged pull requests. Leave out what nobody notices.',
          form: 'At most six bullet points, the most useful first, each one sentence in the present tense.',
        },
        config: { model: 'anthropic/claude-sonnet-5', max_tokens: 700 },
      },
      { by: 'tom', daysAgo: 48, note: 'Fixes last', prompt: { order: 'New things first, fixes last.' } },
      {
        by: 'claire',
        daysAgo: 20,
        note: 'Plain words',
        prompt: { words: 'No names of libraries, no "various improvements".' },
      },
    ],
    cases: [
      {
        name: 'Mixed',
        says: 'feat: save carts across devices (#812)\nchore: bump deps (#815)\nfix: wrong tax in Malta (#819)',
      },
    ],
  },
  {
    slug: 'commit-message',
    name: 'Commit message',
    description: 'For the hook on developer machines.',
    tags: ['code'],
    versions: [
      {
        by: 'ben',
        daysAgo: 54,
        note: 'First version',
        prompt: {
          role: 'You write commit messages.',
          form: 'A subject of at most 70 characters in the imperative, an empty line, then why the change was needed in one to three sentences.',
        },
        config: { model: 'openai/gpt-5-mini', temperature: 0.3, max_tokens: 200 },
      },
      {
        by: 'ben',
        daysAgo: 51,
        note: 'Conventional prefixes',
        prompt: { prefix: 'Start with feat:, fix:, docs:, test: or chore:.' },
      },
      {
        by: 'dana',
        daysAgo: 30,
        note: 'Do not describe the diff',
        prompt: { why: 'Do not list what changed: the diff shows it.' },
      },
    ],
    cases: [{ name: 'Small fix', says: '-  if (total > 0)\n+  if (total >= 0)' }],
  },
  {
    slug: 'on-call-handover',
    name: 'On-call handover',
    description: 'What the next person on call has to know.',
    dialect: 'responses',
    tags: ['operations'],
    versions: [
      {
        by: 'ben',
        daysAgo: 45,
        note: 'First version',
        prompt: {
          role: 'You write the handover from one on-call engineer to the next.',
          form: 'Open problems, what to watch, what is normal although it looks bad. Ten lines at most.',
        },
        config: { model: 'openai/gpt-5-mini', max_output_tokens: 500 },
      },
      {
        by: 'tom',
        daysAgo: 38,
        note: 'Links to alerts',
        prompt: { links: 'Keep links to alerts and dashboards.' },
      },
      {
        by: 'ben',
        daysAgo: 6,
        note: 'Fewer words',
        prompt: {
          form: 'Open problems, what to watch, what is normal although it looks bad. Six lines at most.',
        },
      },
    ],
  },
  {
    slug: 'runbook-writer',
    name: 'Runbook writer',
    description: 'Paused until it cites commands that exist.',
    status: 'disabled',
    tags: ['docs', 'operations'],
    versions: [
      {
        by: 'tom',
        daysAgo: 91,
        note: 'First version',
        prompt: {
          role: 'You write runbooks for the services of an online shop.',
          task: 'Turn an incident timeline into steps that somebody who has never seen the service can follow at night.',
        },
        config: { model: 'openai/gpt-5', max_tokens: 2000 },
      },
      {
        by: 'tom',
        daysAgo: 86,
        note: 'Commands in blocks',
        prompt: { blocks: 'Commands are in code blocks, one per block, with what to expect.' },
      },
      {
        by: 'dana',
        daysAgo: 75,
        note: 'Mark invented commands',
        prompt: { unsure: 'Mark every command that is not in the timeline with CHECK.' },
      },
    ],
  },
];

export const platform: WorkspaceStory = {
  slug: 'platform',
  name: 'Platform',
  description: 'Tools for engineers',
  team: { dana: 'admin', tom: 'editor', ben: 'editor', claire: 'editor', aiko: 'viewer', ravi: 'viewer' },
  presets: [pullRequestReview, incidentSummary, ...smaller],
  keys: [
    {
      name: 'Review bot in CI',
      owner: 'tom',
      scope: 'call',
      presets: ['pull-request-review', 'release-notes'],
      calls: { 'pull-request-review': 14, 'release-notes': 1 },
    },
    {
      name: 'On-call tools',
      owner: 'ben',
      scope: 'call',
      calls: {
        'log-triage': 20,
        'sql-helper': 7,
        'sql-helper:canary': 2,
        'on-call-handover': 2,
        'incident-summary': 1,
      },
    },
    { name: 'Export to Git', owner: 'dana', scope: 'read', usedDaysAgo: 1 },
  ],
};
