import type { CallToolResult } from '@modelcontextprotocol/server';

/** The result of a tool. The SDK makes a result of an error, too, so that the assistant can correct its call. */
export async function resultOf(work: Promise<object>): Promise<CallToolResult> {
  return { content: [{ type: 'text', text: JSON.stringify(await work) }] };
}
