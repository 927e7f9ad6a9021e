import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: 'http://127.0.0.1:40813/api/v1/presets/support-bot',
  apiKey: process.env.PRESETD_API_KEY,
});
const answer = await client.chat.completions.create({
  model: 'openai/gpt-5',
  messages: [
    { role: 'system', content: 'You answer for Acme. Be brief and kind.' },
    { role: 'user', content: 'Where is my parcel?' },
  ],
});
console.log(JSON.stringify(answer));
