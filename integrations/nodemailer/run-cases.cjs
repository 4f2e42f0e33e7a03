/** Runs the cases of cases.json against nodemailer: see driver/runner.js. */
const readline = require('node:readline');
const nodemailer = require('nodemailer');
const { withSuppressionList } = require('./suppression-list.cjs');

const ERRORS = { ESUPPRESSED: 'suppressed', ESUPPRESSIONLIST: 'unavailable' };

async function send({ options, mail, smtp }) {
  const { onUnavailable, ...others } = options;
  // nodemailer removes the angle brackets when it sends.
  const bcc = mail.bcc?.map((address) => ({ name: '', address: `<${address}>` }));
  const checked = withSuppressionList(nodemailer.createTransport(smtp, { bcc }), {
    ...others,
    ...(onUnavailable && { onUnavailable }),
  });
  // What @nestjs-modules/mailer does with its transport.
  const transporter = process.argv.includes('--as-transport') ? nodemailer.createTransport(checked) : checked;
  const data = { ...mail };
  delete data.bcc; // It is one of the transporter's defaults.
  if (process.argv.includes('--in-headers')) {
    const headers = { ...mail.headers, To: mail.to, Cc: mail.cc };
    const entries = Object.entries(headers).map(([key, value]) => ({ key, value }));
    Object.assign(data, { to: undefined, cc: undefined, headers: mail.cc.length > 0 ? entries : headers });
  }
  await transporter.sendMail(data);
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  try {
    await send(JSON.parse(line));
    console.log('{"error":null}');
  } catch (error) {
    const kind = error instanceof TypeError ? 'configuration' : (ERRORS[error.code] ?? error.name);
    console.log(JSON.stringify({ error: kind, message: error.message }));
  }
});
