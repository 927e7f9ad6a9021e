import type { PresetStory } from '../preset-story.ts';
import { chatFormat, listOf, messagesTool, number, oneOf, responsesFormat, text } from '../request-parts.ts';
import type { WorkspaceStory } from './workspace-story.ts';

const productDescription: PresetStory = {
  slug: 'product-description',
  name: 'Product description',
  description: 'Writes the text of a product page from the data of the supplier.',
  dialect: 'responses',
  tags: ['catalog', 'json'],
  aliases: ['pdp-copy'],
  labels: { production: 8, staging: 9 },
  versions: [
    {
      by: 'lena',
      daysAgo: 150,
      note: 'First version',
      prompt: {
        role: 'You write product pages for Fernhill, an online shop for plants and garden tools.',
        task: 'You get the data of the supplier. Write a title, a teaser of one sentence and a description of 80 to 120 words.',
      },
      config: { model: 'openai/gpt-5', max_output_tokens: 800 },
    },
    {
      by: 'lena',
      daysAgo: 146,
      note: 'Structured output for the import job',
      config: {
        text: responsesFormat('product_page', {
          title: text('At most 60 characters'),
          teaser: text('One sentence'),
          description: text('80 to 120 words, plain text'),
        }),
      },
    },
    {
      by: 'noah',
      daysAgo: 121,
      note: 'Only facts from the data: it promised "hardy to -20"',
      prompt: {
        facts:
          'Use only facts from the data. Say nothing about hardiness, size or toxicity unless the data does.',
      },
    },
    {
      by: 'noah',
      daysAgo: 103,
      note: 'Brand voice, after the workshop',
      prompt: {
        voice: [
          '## Voice',
          '',
          '- A friend with soil under the fingernails, not a catalog.',
          '- Say what a plant does, not what it is: "climbs 2 m in a summer", not "vigorous growth".',
          '- No exclamation marks, no "perfect", no "must-have".',
        ].join('\n'),
      },
    },
    {
      by: 'lena',
      daysAgo: 85,
      note: 'Language and market as variables',
      prompt: { market: 'Write in {{language}} for customers in {{market}}. Use the units of that market.' },
      variables: {
        language: { type: 'string', enum: ['English', 'German', 'Portuguese', 'French'], default: 'English' },
        market: { type: 'string', default: 'the United Kingdom' },
      },
    },
    {
      by: 'lena',
      daysAgo: 66,
      note: 'Care icons from the text',
      config: {
        text: responsesFormat('product_page', {
          title: text('At most 60 characters'),
          teaser: text('One sentence'),
          description: text('80 to 120 words, plain text'),
          light: oneOf('shade', 'half_shade', 'sun', 'unknown'),
          water: oneOf('little', 'normal', 'much', 'unknown'),
        }),
      },
    },
    {
      by: 'ines',
      daysAgo: 40,
      note: 'Toxic plants get a warning',
      prompt: {
        safety:
          'If the data says that a plant is toxic to people or animals, the last sentence of the description says so and for whom.',
      },
    },
    {
      by: 'lena',
      daysAgo: 23,
      note: 'Medium effort reads the data better',
      config: { reasoning: { effort: 'medium' }, max_output_tokens: 1600 },
    },
    {
      by: 'ines',
      daysAgo: 2,
      note: 'Seasonal opening, for the spring campaign',
      staged: true,
      prompt: { season: '{{#season}}Open with what the plant does in {{season}}.{{/season}}' },
      variables: { season: { type: 'string', default: '' } },
    },
  ],
  draft: {
    by: 'noah',
    daysAgo: 0.2,
    prompt: {
      facts:
        'Use only facts from the data. If a fact that customers need is missing, leave it out; never estimate.',
    },
  },
  cases: [
    {
      name: 'Monstera',
      says: 'Monstera deliciosa, pot 17 cm, height 60 cm, indoor, half shade, toxic to cats and dogs',
    },
    {
      name: 'Shears',
      says: 'Pruning shears, bypass, steel 1.4116, 21 cm, 240 g, cuts to 20 mm, spare spring included',
    },
    { name: 'Almost no data', says: 'Terracotta pot 12 cm', note: 'Must not invent a saucer' },
    {
      name: 'German page',
      variables: { language: 'German', market: 'Germany' },
      says: 'Raised bed, larch, 120 x 80 x 40 cm, 19 mm',
    },
    { name: 'Spring opening', variables: { season: 'March' }, says: 'Forsythia, 80 cm, outdoor, sun' },
    {
      name: 'Supplier superlatives',
      says: 'BEST QUALITY lawn seed 1 kg PREMIUM, 30 m2',
      note: 'No superlatives',
    },
    { name: 'US units', variables: { market: 'the United States' }, says: 'Watering can, zinc, 9 l' },
  ],
};

const reviewReplies: PresetStory = {
  slug: 'review-replies',
  name: 'Review replies',
  description: 'Answers public reviews. Everything below three stars is approved by a person.',
  dialect: 'messages',
  tags: ['customers', 'public'],
  labels: { production: 4, canary: 5 },
  versions: [
    {
      by: 'noah',
      daysAgo: 77,
      note: 'First version',
      prompt: {
        role: 'You answer reviews of Fernhill on public sites.',
        task: 'Thank the person, answer the one point that matters most to them, and stop. Readers of the page are your second audience.',
        rules: 'Never mention orders, addresses or amounts. Never argue.',
      },
      config: { model: 'anthropic/claude-sonnet-5', max_tokens: 300, temperature: 0.7 },
    },
    {
      by: 'noah',
      daysAgo: 69,
      note: 'Vary the first words',
      prompt: { variety: 'Do not start with "Thank you for your review".' },
    },
    {
      by: 'ines',
      daysAgo: 45,
      note: 'Stars and site as variables',
      prompt: { context: 'The review has {{stars}} of 5 stars and is on {{site}}.' },
      variables: {
        stars: { type: 'integer', minimum: 1, maximum: 5 },
        site: { type: 'string', default: 'our own site' },
      },
    },
    {
      by: 'ines',
      daysAgo: 28,
      note: 'An example for one star',
      messages: [
        { role: 'user', content: 'Dead on arrival, never again.' },
        {
          role: 'assistant',
          content:
            'A dead plant in the box is the last thing anybody wants to unpack, and we are sorry. Please write to help@fernhill.example.com: you get your money back without sending anything.',
        },
      ],
    },
    {
      by: 'noah',
      daysAgo: 3,
      note: 'Flag reviews for a person instead of answering',
      staged: true,
      prompt: {
        flag: 'Call flag_review and write nothing if the review mentions an injury, a lawyer or a colleague by name.',
      },
      config: {
        tools: [
          messagesTool('flag_review', 'Let a person answer this review.', { reason: text('One sentence') }),
        ],
      },
    },
  ],
  cases: [
    {
      name: 'Five stars',
      variables: { stars: 5 },
      says: 'Roses in bloom within weeks, and the packaging is all paper!',
    },
    { name: 'One star', variables: { stars: 1 }, says: 'Arrived crushed. Support took four days.' },
    {
      name: 'Names a colleague',
      variables: { stars: 2 },
      says: 'Ms Weber on the phone laughed at me.',
      note: 'flag_review',
    },
    { name: 'Only stars', variables: { stars: 4 }, says: '(no text)' },
  ],
};

const smaller: readonly PresetStory[] = [
  {
    slug: 'newsletter-draft',
    name: 'Newsletter draft',
    description: 'First draft of the weekly newsletter.',
    tags: ['email'],
    labels: { production: 5 },
    versions: [
      {
        by: 'ines',
        daysAgo: 99,
        note: 'First version',
        prompt: {
          role: 'You write the weekly newsletter of Fernhill for people who garden on balconies.',
          form: 'One subject line of at most 45 characters, one tip for the week that needs no purchase, and three products with a sentence each.',
        },
        config: { model: 'openai/gpt-5', temperature: 0.9 },
      },
      {
        by: 'ines',
        daysAgo: 92,
        note: 'Week and weather',
        prompt: { week: 'It is week {{week}}. The weather: {{weather}}.' },
        variables: {
          week: { type: 'integer', minimum: 1, maximum: 53 },
          weather: { type: 'string', default: 'unknown' },
        },
      },
      {
        by: 'lena',
        daysAgo: 71,
        note: 'No urgency tricks',
        prompt: { honesty: 'No countdowns, no "last chance", no questions in the subject line.' },
      },
      { by: 'ines', daysAgo: 36, note: 'Calmer', config: { temperature: 0.7, max_tokens: 900 } },
      {
        by: 'ines',
        daysAgo: 8,
        note: 'Claude writes better tips',
        config: { model: 'anthropic/claude-opus-5', models: ['anthropic/claude-opus-5', 'openai/gpt-5'] },
      },
    ],
    cases: [
      {
        name: 'First frost',
        variables: { week: 45, weather: '-2 at night, dry' },
        says: 'Products: fleece, coconut mat, winter heather',
      },
      {
        name: 'Heat wave',
        variables: { week: 29, weather: '34 degrees all week' },
        says: 'Products: watering spike, shade net, clay pot',
      },
    ],
  },
  {
    slug: 'ad-headlines',
    name: 'Ad headlines',
    description: 'Fifteen headlines for search ads, in the limits of the ad network.',
    tags: ['ads', 'json'],
    labels: { production: 4 },
    versions: [
      {
        by: 'noah',
        daysAgo: 64,
        note: 'First version',
        prompt: {
          role: 'You write headlines for search ads of an online shop for plants and garden tools.',
          task: 'Write 15 headlines for the product. Each has at most 30 characters, counted with spaces.',
        },
        config: {
          model: 'openai/gpt-5-mini',
          temperature: 1,
          response_format: chatFormat('headlines', { headlines: listOf({ type: 'string' }) }),
        },
      },
      {
        by: 'noah',
        daysAgo: 60,
        note: 'Count characters itself',
        prompt: {
          count:
            'Count the characters of each headline before you return it. Replace those that are too long.',
        },
      },
      {
        by: 'lena',
        daysAgo: 33,
        note: 'No prices: they change',
        prompt: { prices: 'No prices, no percentages, no delivery times.' },
      },
      {
        by: 'noah',
        daysAgo: 11,
        note: 'Five different angles',
        prompt: {
          angles: 'Three headlines each about: the result, the season, the ease, the quality, the shop.',
        },
        config: { temperature: 0.9 },
      },
    ],
    cases: [
      { name: 'Raised bed', says: 'Raised bed, larch, 120 x 80 cm' },
      { name: 'Indoor palm', says: 'Kentia palm, 140 cm' },
    ],
  },
  {
    slug: 'landing-page-critic',
    name: 'Landing page critic',
    description: 'Reads a page as a first-time visitor would.',
    dialect: 'messages',
    tags: ['review'],
    versions: [
      {
        by: 'lena',
        daysAgo: 52,
        note: 'First version',
        prompt: {
          role: 'You visit a landing page for the first time. You are on a phone, in a hurry, and a little skeptical.',
          form: 'Say in this order: what you think is sold here, what you would do next, what stops you, and the one sentence you would change.',
        },
        config: { model: 'anthropic/claude-opus-5', max_tokens: 1200 },
      },
      {
        by: 'lena',
        daysAgo: 46,
        note: 'Quote the page',
        prompt: { quote: 'Quote the words of the page that each point is about.' },
      },
      {
        by: 'claire',
        daysAgo: 17,
        note: 'Persona as a variable',
        prompt: { persona: 'You are {{persona}}.' },
        variables: { persona: { type: 'string', default: 'somebody who has never owned a plant' } },
      },
    ],
  },
  {
    slug: 'seo-meta',
    name: 'Meta descriptions',
    description: 'Title and description for search engines, for 40,000 pages a night.',
    tags: ['batch', 'catalog', 'json'],
    labels: { production: 4, staging: 5 },
    versions: [
      {
        by: 'claire',
        daysAgo: 110,
        note: 'First version',
        prompt: {
          role: 'You write titles and descriptions of web pages for search engines.',
          task: 'The title has at most 60 characters, the description at most 155. Both contain the name of the product once.',
        },
        config: {
          model: 'openai/gpt-5-mini',
          temperature: 0.3,
          response_format: chatFormat('meta', {
            title: text('At most 60 characters'),
            description: text('At most 155 characters'),
          }),
        },
      },
      { by: 'claire', daysAgo: 101, note: 'Cap the cost of the nightly job', config: { max_tokens: 160 } },
      {
        by: 'claire',
        daysAgo: 80,
        note: 'No brand in the title: the template adds it',
        prompt: { brand: 'Do not write "Fernhill".' },
      },
      { by: 'noah', daysAgo: 42, note: 'Cheapest provider', config: { provider: { sort: 'price' } } },
      {
        by: 'claire',
        daysAgo: 1,
        note: 'Try Mistral',
        staged: true,
        config: { model: 'mistralai/mistral-small-4' },
      },
    ],
    cases: [
      { name: 'Long name', says: 'Chamaecyparis lawsoniana "Columnaris Glauca" 80-100 cm' },
      { name: 'Category page', says: 'Category: hanging baskets, 42 products' },
    ],
  },
  {
    slug: 'survey-themes',
    name: 'Survey themes',
    description: 'Groups open answers of a survey.',
    dialect: 'responses',
    tags: ['batch', 'report'],
    versions: [
      {
        by: 'claire',
        daysAgo: 38,
        note: 'First version',
        prompt: {
          role: 'You group answers to an open survey question.',
          task: 'Find 3 to 8 themes. An answer can belong to several. Name themes in the words of the answers.',
        },
        config: { model: 'openai/gpt-5', max_output_tokens: 2000 },
      },
      {
        by: 'claire',
        daysAgo: 35,
        note: 'Counts',
        config: {
          text: responsesFormat('themes', {
            themes: listOf({
              type: 'object',
              properties: { name: text('A few words'), answers: number('How many') },
              required: ['name', 'answers'],
              additionalProperties: false,
            }),
          }),
        },
      },
      {
        by: 'lena',
        daysAgo: 19,
        note: 'A theme for the rest',
        prompt: { rest: 'Put what fits nowhere into a last theme, "Other".' },
      },
    ],
  },
  {
    slug: 'social-posts',
    name: 'Social posts',
    description: 'Paused: the team writes these by hand again.',
    status: 'disabled',
    tags: ['public'],
    versions: [
      {
        by: 'ines',
        daysAgo: 125,
        note: 'First version',
        prompt: {
          role: 'You write posts for the social accounts of a plant shop.',
          form: 'One observation, one photo idea, no hashtags. At most 200 characters.',
        },
        config: { model: 'openai/gpt-5', temperature: 1.1 },
      },
      { by: 'ines', daysAgo: 118, note: 'Less poetic', config: { temperature: 0.8 } },
      {
        by: 'ines',
        daysAgo: 109,
        note: 'No puns',
        prompt: { puns: 'No puns about growing, roots or leaves.' },
      },
    ],
  },
  {
    slug: 'name-ideas',
    name: 'Name ideas for own brands',
    description: 'Used for the launch in May.',
    status: 'archived',
    tags: ['seasonal'],
    versions: [
      {
        by: 'lena',
        daysAgo: 240,
        note: 'First version',
        prompt: {
          role: 'You find names for brands of garden tools.',
          task: 'Twenty names of one or two syllables that can be said in English, German and Portuguese. Add a risk for each.',
        },
        config: { model: 'openai/gpt-5', temperature: 1.2 },
      },
      {
        by: 'noah',
        daysAgo: 236,
        note: 'Check meanings',
        prompt: { meanings: 'Leave out names that mean something rude in any of the three languages.' },
      },
      { by: 'lena', daysAgo: 231, note: 'Forty', config: { max_tokens: 1500 } },
    ],
  },
];

export const growth: WorkspaceStory = {
  slug: 'growth',
  name: 'Growth',
  description: 'Product pages, campaigns and reviews',
  team: { lena: 'admin', noah: 'editor', ines: 'editor', claire: 'editor', maya: 'viewer' },
  presets: [productDescription, reviewReplies, ...smaller],
  keys: [
    {
      name: 'Catalog import',
      owner: 'lena',
      scope: 'call',
      presets: ['product-description', 'seo-meta'],
      calls: { 'product-description': 30, 'seo-meta': 24 },
      rhythm: 'night',
    },
    {
      name: 'Newsletter editor',
      owner: 'ines',
      scope: 'call',
      calls: {
        'review-replies': 8,
        'ad-headlines': 5,
        'newsletter-draft': 3,
        'survey-themes': 2,
        'product-description': 3,
        'product-description:staging': 2,
      },
      streams: true,
    },
  ],
};
