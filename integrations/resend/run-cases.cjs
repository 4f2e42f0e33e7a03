/** Runs the cases of cases.json against the Resend client for Node.js: see driver/runner.js. */
const readline = require('node:readline');
const { Resend } = require('resend');
const { withSuppressionList } = require('./suppression-list.cjs');

const ERRORS = { ESUPPRESSED: 'suppressed', ESUPPRESSIONLIST: 'unavailable' };

async function send({ options, mail, api }) {
  const { onUnavailable, ...others } = options;
  const client = new Resend('re_key', { baseUrl: api });
  const resend = withSuppressionList(client, { ...others, ...(onUnavailable && { onUnavailable }) });
  const { error } = await (process.argv.includes('--batch')
    ? resend.batch.send([mail])
    : resend.emails.send(mail));
  if (error) {
    throw new Error(error.message);
  }
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  try {
    await send(JSON.parse(line));
    console.log('{"error":null}');
  } catch (error) {
    const kind = error instanceof TypeError ? 'configuration' : (ERRORS[error.code] ?? error.message);
    console.log(JSON.stringify({ error: kind, message: error.message }));
  }
});
