import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CAUSES, ORIGINS } from '../../ledger/cause.js';
import { LINE_STATUSES } from '../../lifts/lift.js';
import { LINE_KINDS } from '../../provider-lists/plans/line-kinds.js';
import type { Api, Query } from '../client/api.js';
import { explain } from '../client/why.js';
import { resultOf } from './result.js';

const MAX_CHECKED = 1_000;
const MAX_PAGE = 100;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

const emails = z.array(z.string()).min(1).max(MAX_CHECKED).describe('Email addresses');
const email = z.string().describe('An email address');
const purpose = {
  topic: z.string().optional().describe('For mail about this topic: its id or key'),
  transactional: z.boolean().optional().describe('For transactional mail, such as a password reset'),
};
const filter = {
  cause: z
    .enum(CAUSES)
    .optional()
    .describe('Only suppressions with this cause, even if it is not their strongest'),
  origin: z.enum(ORIGINS).optional().describe('Only suppressions with this strongest cause'),
  domain: z.string().optional().describe('Only addresses at this domain'),
  created_after: z.string().optional().describe('ISO 8601 date or time'),
  created_before: z.string().optional().describe('ISO 8601 date or time'),
};
const page = {
  limit: z.number().int().min(1).max(MAX_PAGE).default(20).describe('The number of entries'),
  after: z.string().optional().describe('For the next page: the id of the last entry of this page'),
};

const lift = z.string().describe('The id of a lift');
const providerList = z.string().describe('The id of a provider list');
const afterCursor = z.string().optional().describe('For the next page: the cursor of this page');

/** A tool that sends one GET request. */
interface ReadTool {
  /** May contain the names of inputs, such as `:lift`. All other inputs become query parameters. */
  path: string;
  title: string;
  description: string;
  input: z.ZodRawShape;
}

const READ_TOOLS: Readonly<Record<string, ReadTool>> = {
  get_history: {
    path: '/suppressions/:email/history',
    title: 'Get the history of an address',
    description: 'Returns every change of an address, newest first: what, when, by whom, and why.',
    input: { email, ...page },
  },
  count_suppressions: {
    path: '/suppressions/count',
    title: 'Count suppressions',
    description: 'Returns the number of suppressed addresses, and of each group.',
    input: { ...filter, group_by: z.enum(['origin', 'cause', 'domain', 'day', 'month']).optional() },
  },
  list_suppressions: {
    path: '/suppressions',
    title: 'List suppressions',
    description: 'Returns a page of the suppressed addresses, newest first.',
    input: { ...filter, ...page },
  },
  list_topics: {
    path: '/topics',
    title: 'List topics',
    description: 'Returns a page of the topics: the kinds of mail that recipients can opt out of.',
    input: page,
  },
  list_incidents: {
    path: '/incidents',
    title: 'List incidents',
    description:
      'Returns a page of the incidents: waves of bounces that look like the fault of a receiving provider, with what the servers ' +
      'answered, how many addresses bounced, and how many suppressions are held for a day.',
    input: page,
  },
  list_lifts: {
    path: '/lifts',
    title: 'List lifts by query',
    description: 'Returns a page of the lifts, by which people undo mistakes that suppressed many addresses.',
    input: page,
  },
  get_lift: {
    path: '/lifts/:lift',
    title: 'Get a lift by query',
    description:
      'Returns what a lift found: how many suppressions by domain and by diagnostic, examples, how many addresses have failed ' +
      'again, and how many had received mail before.',
    input: { lift },
  },
  list_lift_lines: {
    path: '/lifts/:lift/lines',
    title: 'List the addresses of a lift by query',
    description: 'Returns a page of the suppressions that a lift found, and what became of each.',
    input: {
      lift,
      status: z.enum(LINE_STATUSES).optional().describe('Only lines with this status'),
      limit: page.limit,
      after: afterCursor,
    },
  },
  list_provider_lists: {
    path: '/provider-lists',
    title: 'List provider lists',
    description:
      "Returns a page of the mail providers' own suppression lists that are compared with this one, with the last success and error.",
    input: page,
  },
  list_plans: {
    path: '/provider-lists/:provider_list/plans',
    title: 'List the plans of a provider list',
    description:
      'Returns a page of the comparisons with the list of a provider: how many entries agree, could be pulled, and differ otherwise.',
    input: { provider_list: providerList, ...page },
  },
  list_plan_lines: {
    path: '/provider-lists/:provider_list/plans/:plan/lines',
    title: 'List the addresses of a plan',
    description: 'Returns a page of the addresses about which the list of a provider and this one differ.',
    input: {
      provider_list: providerList,
      plan: z.string().describe('The id of a plan'),
      kind: z.enum(LINE_KINDS).optional().describe('Only lines of this kind'),
      email: z.string().optional().describe('Only lines about this address'),
      limit: page.limit,
      after: afterCursor,
    },
  },
};

/** Tools that change nothing. */
export function addReadTools(server: McpServer, api: Api): void {
  server.registerTool(
    'check_addresses',
    {
      title: 'Check addresses',
      description: `Returns whether each of up to ${MAX_CHECKED} addresses may be mailed, and the reason if not.`,
      inputSchema: z.object({ emails, ...purpose }),
      annotations: READ_ONLY,
    },
    (body) => resultOf(api.post<object>('/suppressions/check', body)),
  );
  server.registerTool(
    'explain_address',
    {
      title: 'Explain an address',
      description:
        'Returns whether an address may be mailed, every reason that keeps mail from being sent, and its latest changes.',
      inputSchema: z.object({ email, ...purpose }),
      annotations: READ_ONLY,
    },
    ({ email: address, ...asked }) => resultOf(explain(api, address, asked)),
  );
  for (const [name, { path, input, ...texts }] of Object.entries(READ_TOOLS)) {
    const config = { ...texts, inputSchema: z.object(input), annotations: READ_ONLY };
    server.registerTool(name, config, (given) => resultOf(read(api, path, given as Query)));
  }
}

function read(api: Api, path: string, given: Query): Promise<object> {
  const query = { ...given };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    delete query[name];
    return encodeURIComponent(String(given[name]));
  });
  return api.get(filled, query);
}
