/** CommonJS, so that test files in CommonJS, ES modules and TypeScript can load it. */
exports.createApiKey = async function createApiKey(account, scopes) {
  const url = process.env.SUPPRESSION_LIST_KEYS_URL;
  if (!url) {
    throw new Error(
      'SUPPRESSION_LIST_KEYS_URL is not set. After startSuppressionList(), assign the env of the service to process.env.',
    );
  }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ account, scopes }) });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text);
  }
  return text;
};
