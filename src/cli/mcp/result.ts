import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiProblem } from '../client/api.js';

/** The result of a tool. A refusal of the service is also a result, so that the assistant can correct its call. */
export async function resultOf(work: Promise<object>): Promise<CallToolResult> {
  try {
    const result = await work;
    return { content: [{ type: 'text', text: JSON.stringify(result) }] };
  } catch (problem) {
    if (problem instanceof ApiProblem || problem instanceof ToolProblem) {
      return { content: [{ type: 'text', text: problem.message }], isError: true };
    }
    throw problem;
  }
}

/** A call that was refused without asking the service. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
}
