import { randomUUID } from 'node:crypto';
import { NOT_FOUND, startFakeProvider, type FakeProvider } from './fake-provider.js';

export interface FakeResend extends FakeProvider {
  suppressions: { id: string; email: string; origin: string; created_at: string }[];
}

/** Pages by the id of the last entry. A request without a user agent is refused. What is added has the origin manual. */
export async function startFakeResend(): Promise<FakeResend> {
  const fake = await startFakeProvider((url, headers, { method, body }) => {
    const { suppressions } = resend;
    if (!headers['user-agent']) {
      return { status: 403, body: 'error code: 1010' };
    }
    if (headers.authorization !== 'Bearer re_1') {
      return { status: 400, body: { name: 'validation_error', message: 'API key is invalid' } };
    }
    if (method === 'POST' && url.pathname === '/suppressions/batch/add') {
      const { emails } = JSON.parse(body) as { emails: string[] };
      const missing = emails.filter((email) => suppressions.every((entry) => entry.email !== email));
      const created_at = new Date().toISOString();
      suppressions.unshift(
        ...missing.map((email) => ({ id: randomUUID(), email, origin: 'manual', created_at })),
      );
      return { status: 201, body: { object: 'list', data: emails.map((email) => ({ email })) } };
    }
    const one = url.pathname.startsWith('/suppressions/') && decodeURIComponent(url.pathname.slice(14));
    if (one) {
      const entry = suppressions.find(({ email }) => email === one);
      resend.suppressions =
        method === 'DELETE' ? suppressions.filter((other) => other !== entry) : suppressions;
      return entry ? { status: 200, body: { object: 'suppression', ...entry } } : NOT_FOUND;
    }
    if (method !== 'GET' || url.pathname !== '/suppressions') {
      return NOT_FOUND;
    }
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 20), 100);
    const after = url.searchParams.get('after');
    const start = after === null ? 0 : suppressions.findIndex(({ id }) => id === after) + 1;
    const data = suppressions.slice(start, start + limit);
    return { status: 200, body: { object: 'list', has_more: start + limit < suppressions.length, data } };
  }, 'resend');
  const resend: FakeResend = Object.assign(fake, { suppressions: [] });
  return resend;
}
