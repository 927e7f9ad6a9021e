/** Inserted on request, for users who have no request at hand. */
export const exampleRequest = `{
  "model": "openai/gpt-5",
  "temperature": 0.2,
  "messages": [
    { "role": "system", "content": "You support Acme customers. Be brief." },
    { "role": "user", "content": "Where is my parcel?" }
  ]
}
`;
