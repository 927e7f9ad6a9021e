import type { PresetStory } from '../preset-story.ts';
import { chatFormat, listOf, messagesTool, oneOf, record, responsesFormat, text } from '../request-parts.ts';
import type { WorkspaceStory } from './workspace-story.ts';

const verdict = (...labels: readonly string[]) =>
  chatFormat('verdict', {
    verdict: oneOf('allow', 'review', 'remove'),
    labels: listOf(oneOf(...labels)),
    reason: text('One sentence for the moderator'),
  });

const contentModeration: PresetStory = {
  slug: 'content-moderation',
  name: 'Content moderation',
  description: 'Reviews, questions and photo captions before they are public.',
  tags: ['json', 'public', 'tier-1'],
  aliases: ['ugc-check'],
  labels: { production: 9, canary: 10 },
  versions: [
    {
      by: 'samira',
      daysAgo: 155,
      note: 'First version',
      prompt: {
        role: 'You check texts of customers before they appear on the site of a garden shop.',
        task: 'Allow honest opinions, also harsh ones. Remove insults, hate, personal data and advertising. In doubt, choose review.',
      },
      config: {
        model: 'openai/gpt-5-mini',
        temperature: 0,
        response_format: verdict('insult', 'hate', 'personal_data', 'spam'),
      },
    },
    {
      by: 'samira',
      daysAgo: 149,
      note: 'Negative is not insulting',
      prompt: { negative: '"This shop is a joke" is an opinion. "The boss is an idiot" is an insult.' },
    },
    {
      by: 'olga',
      daysAgo: 137,
      note: 'Dangerous advice',
      prompt: { danger: 'Send advice to review that could poison people, animals or ground water.' },
      config: { response_format: verdict('insult', 'hate', 'personal_data', 'spam', 'dangerous_advice') },
    },
    {
      by: 'olga',
      daysAgo: 119,
      note: 'Plant names that sound rude',
      prompt: {
        names: 'Botanical and common names are never insults, such as "naked ladies" or "old man cactus".',
      },
    },
    {
      by: 'hugo',
      daysAgo: 98,
      note: 'Competitors may be named',
      prompt: { competitors: 'Naming another shop is fine. A link to one is spam.' },
    },
    {
      by: 'samira',
      daysAgo: 76,
      note: 'Strictness by place',
      prompt: {
        place:
          'The text is for: {{place}}.{{#is_minor_audience}} Children read it, so remove swear words.{{/is_minor_audience}}',
      },
      variables: {
        place: { type: 'string', enum: ['review', 'question', 'forum'], default: 'review' },
        is_minor_audience: { type: 'boolean', default: false },
      },
    },
    {
      by: 'samira',
      daysAgo: 57,
      note: 'Examples from appeals',
      messages: [
        { role: 'user', content: 'Half dead. Like the chat support.' },
        {
          role: 'assistant',
          content: '{"verdict":"allow","labels":[],"reason":"A harsh opinion without an insult."}',
        },
      ],
    },
    {
      by: 'hugo',
      daysAgo: 35,
      note: 'Nobody overrides this prompt',
      policy: { system_prompt: 'lock', locked: ['model', 'response_format', 'temperature'] },
    },
    {
      by: 'olga',
      daysAgo: 16,
      note: 'Phone numbers in photo captions',
      prompt: { captions: 'Numbers on price tags and pots are not personal data.' },
    },
    {
      by: 'samira',
      daysAgo: 1,
      note: 'Claude Haiku on a tenth of the texts',
      staged: true,
      config: { model: 'anthropic/claude-haiku-5' },
    },
  ],
  cases: [
    {
      name: 'Harsh opinion',
      says: 'Worst shop ever. My palm looked like it had walked here.',
      note: 'allow',
    },
    { name: 'Insult', says: 'The driver is a moron.', note: 'remove' },
    {
      name: 'Phone number',
      says: 'Call me at 555 0134, I have cuttings to give away.',
      note: 'personal_data',
    },
    { name: 'Rude plant', says: 'My naked ladies are blooming!', note: 'allow' },
    { name: 'Dangerous', says: 'Just pour diesel on the weeds, works great.', note: 'review' },
    { name: 'Link', says: 'Cheaper at https://plants.example.com', note: 'spam' },
    {
      name: 'Children',
      variables: { place: 'forum', is_minor_audience: true },
      says: 'Damn slugs ate it all.',
    },
    { name: 'Question', variables: { place: 'question' }, says: 'Is it hardy in Scotland?' },
    { name: 'Emoji only', says: '🌵🌵🌵' },
  ],
};

const personalData: PresetStory = {
  slug: 'personal-data-redaction',
  name: 'Personal data redaction',
  description: 'Removes personal data from tickets before they are used for evaluation.',
  dialect: 'responses',
  tags: ['batch', 'json', 'privacy'],
  labels: { production: 5 },
  versions: [
    {
      by: 'olga',
      daysAgo: 116,
      note: 'First version',
      prompt: {
        role: 'You remove personal data from support tickets.',
        task: 'Replace names, addresses, phone numbers, e-mail addresses and order numbers with [NAME], [ADDRESS], [PHONE], [EMAIL] and [ORDER]. Change nothing else.',
      },
      config: { model: 'openai/gpt-5-mini' },
    },
    {
      by: 'olga',
      daysAgo: 110,
      note: 'List what was replaced',
      config: {
        text: responsesFormat('redaction', {
          text: text('The ticket'),
          replaced: listOf(
            record({
              kind: oneOf('name', 'address', 'phone', 'email', 'order'),
              original: text('As in the ticket'),
            }),
          ),
        }),
      },
    },
    {
      by: 'hugo',
      daysAgo: 88,
      note: 'Same person, same number',
      prompt: { numbers: 'Number people in the order in which they appear: [NAME 1], [NAME 2].' },
    },
    {
      by: 'olga',
      daysAgo: 60,
      note: 'Names of plants stay',
      prompt: { plants: 'Rose, Jasmine, Heather and Basil are usually plants here.' },
    },
    { by: 'olga', daysAgo: 24, note: 'Repeatable for the audit', config: { temperature: 0 } },
  ],
  cases: [
    { name: 'Signature', says: 'Please call me. Rose Miller, 12 Mill Lane, Leeds' },
    { name: 'Plants, not people', says: 'My jasmine and the rose next to Basil both died.' },
    { name: 'Two people', says: 'Anna ordered, Paul paid, and now Anna has two ferns.' },
  ],
};

const smaller: readonly PresetStory[] = [
  {
    slug: 'dispute-letter',
    name: 'Dispute letter',
    description: 'Evidence for the bank when a customer disputes a payment.',
    dialect: 'messages',
    tags: ['finance'],
    labels: { production: 4 },
    versions: [
      {
        by: 'hugo',
        daysAgo: 93,
        note: 'First version',
        prompt: {
          role: 'You write letters to banks about disputed card payments.',
          form: 'Facts in the order of time, each with its proof. One page. No opinions about the customer.',
        },
        config: { model: 'anthropic/claude-opus-5', max_tokens: 1800, temperature: 0.2 },
      },
      {
        by: 'hugo',
        daysAgo: 84,
        note: 'Reason codes',
        prompt: { code: 'The reason code of the bank is {{reason_code}}. Answer exactly that reason.' },
        variables: { reason_code: { type: 'string', pattern: '^[0-9]{2}\\.[0-9]$' } },
      },
      {
        by: 'samira',
        daysAgo: 55,
        note: 'Accept when we are wrong',
        prompt: { accept: 'If the facts show that the customer is right, write only: ACCEPT, and why.' },
      },
      {
        by: 'hugo',
        daysAgo: 19,
        note: 'Look up evidence',
        config: {
          tools: [
            messagesTool('find_proof', 'Tracking, photos and messages of an order.', {
              order_id: text('Such as FH-204881'),
            }),
          ],
        },
      },
    ],
    cases: [
      {
        name: 'Not received',
        variables: { reason_code: '13.1' },
        says: 'FH-201442, delivered and signed for on 3 October',
      },
      {
        name: 'We are wrong',
        variables: { reason_code: '13.3' },
        says: 'FH-201777, two of three pots arrived broken',
        note: 'ACCEPT',
      },
    ],
  },
  {
    slug: 'fraud-narrative',
    name: 'Fraud narrative',
    description: 'Explains the score of the fraud model to the person who decides.',
    tags: ['finance', 'json'],
    versions: [
      {
        by: 'olga',
        daysAgo: 71,
        note: 'First version',
        prompt: {
          role: 'You explain fraud scores to the analyst who approves or stops an order.',
          task: 'Name the three signals that matter most and what would be normal instead. Do not recommend a decision.',
        },
        config: { model: 'openai/gpt-5', temperature: 0.1 },
      },
      {
        by: 'olga',
        daysAgo: 59,
        note: 'No origin, age or name',
        prompt: { fair: 'Never use the name, age, origin or neighborhood of a person as a signal.' },
      },
      {
        by: 'hugo',
        daysAgo: 26,
        note: 'Fields',
        config: {
          response_format: chatFormat('narrative', {
            signals: listOf(record({ signal: text('A few words'), normal: text('What would be normal') })),
          }),
        },
      },
    ],
    cases: [
      {
        name: 'New device',
        says: 'score 0.81; device first seen today; 3 cards in 10 minutes; ships to a parcel locker',
      },
    ],
  },
  {
    slug: 'policy-answers',
    name: 'Policy answers',
    description: 'Questions of colleagues about our own rules.',
    dialect: 'messages',
    tags: ['internal', 'rag'],
    labels: { production: 3, staging: 4 },
    versions: [
      {
        by: 'samira',
        daysAgo: 62,
        note: 'First version',
        prompt: {
          role: 'You answer questions of colleagues about the policies of Fernhill.',
          rule: 'Quote the paragraph that decides, with its number. If none does, say who to ask: policy@fernhill.example.com.',
        },
        config: { model: 'anthropic/claude-sonnet-5', max_tokens: 600 },
      },
      {
        by: 'samira',
        daysAgo: 54,
        note: 'Search first',
        config: {
          tools: [messagesTool('search_policies', 'Paragraphs that match.', { query: text('A few words') })],
        },
      },
      {
        by: 'hugo',
        daysAgo: 33,
        note: 'Yes or no first',
        prompt: { form: 'Start with yes, no or it depends.' },
      },
      {
        by: 'samira',
        daysAgo: 5,
        note: 'Old versions of a policy',
        staged: true,
        prompt: { dates: 'If a policy changed in the last 90 days, say what it said before.' },
      },
    ],
    cases: [
      { name: 'Gift', says: 'May I accept a plant from a supplier?' },
      { name: 'No rule', says: 'May I bring my dog to the warehouse?' },
    ],
  },
  {
    slug: 'appeal-reply',
    name: 'Appeal reply',
    description: 'Answers people whose text was removed.',
    tags: ['customers', 'email'],
    versions: [
      {
        by: 'samira',
        daysAgo: 46,
        note: 'First version',
        prompt: {
          role: 'You answer people who complain that their review was removed.',
          form: 'Say which rule it broke, quote the words, and how to post it again. Four sentences.',
        },
        config: { model: 'openai/gpt-5', temperature: 0.4, max_tokens: 300 },
      },
      {
        by: 'hugo',
        daysAgo: 40,
        note: 'Restore when we were wrong',
        prompt: { wrong: 'If no rule was broken, apologize and say that it is public again.' },
      },
      { by: 'samira', daysAgo: 11, note: 'Do not lecture', prompt: { tone: 'No lectures about respect.' } },
    ],
    cases: [{ name: 'We were wrong', says: 'You removed "old man cactus". It is the name of the plant.' }],
  },
  {
    slug: 'listing-check',
    name: 'Listing check',
    description: 'Checks offers of partners for claims that we cannot keep.',
    dialect: 'responses',
    tags: ['catalog', 'json'],
    versions: [
      {
        by: 'olga',
        daysAgo: 36,
        note: 'First version',
        prompt: {
          role: 'You check offers of partners in a marketplace for plants and garden tools.',
          task: 'List claims about health, safety or origin that need a proof, with the words of the offer.',
        },
        config: {
          model: 'openai/gpt-5',
          text: responsesFormat('claims', {
            claims: listOf(record({ words: text('Quote'), needs: text('Which proof') })),
          }),
        },
      },
      {
        by: 'olga',
        daysAgo: 31,
        note: 'Organic needs a number',
        prompt: { organic: '"Organic" needs the number of the certificate.' },
      },
      {
        by: 'hugo',
        daysAgo: 9,
        note: 'Invasive species',
        prompt: { invasive: 'Name plants that must not be sold in the European Union.' },
      },
    ],
    cases: [
      { name: 'Organic', says: 'Organic tomato seeds, heal your gut' },
      { name: 'Fine', says: 'Zinc watering can, 9 l' },
    ],
  },
];

export const trust: WorkspaceStory = {
  slug: 'trust',
  name: 'Trust and safety',
  description: 'Moderation, privacy and disputes',
  team: { olga: 'admin', samira: 'editor', hugo: 'editor', priya: 'viewer', dana: 'viewer' },
  presets: [contentModeration, personalData, ...smaller],
  keys: [
    {
      name: 'Review pipeline',
      owner: 'olga',
      scope: 'call',
      presets: ['content-moderation'],
      calls: { 'content-moderation': 64, 'content-moderation:canary': 7 },
      rhythm: 'shop',
    },
    {
      name: 'Redaction job',
      owner: 'olga',
      scope: 'call',
      presets: ['personal-data-redaction'],
      calls: { 'personal-data-redaction': 22 },
      rhythm: 'night',
      daysLeft: 30,
    },
    {
      name: 'Back office',
      owner: 'samira',
      scope: 'call',
      calls: { 'policy-answers': 6, 'listing-check': 4, 'fraud-narrative': 3, 'dispute-letter': 2 },
    },
  ],
};
