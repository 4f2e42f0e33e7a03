import { contextOf, type IdentifiedRequest } from '../../src/audit/request-context.js';
import { OPERATOR } from '../support/operator.js';

it('gives a handler no context without an identity, which could change all accounts', () => {
  const request = { deadline: 1 } as unknown as IdentifiedRequest;
  expect(() => contextOf(request)).toThrow('needs a guard that identifies the caller');
  request.identity = { accountId: 7, actor: OPERATOR };
  expect(contextOf(request)).toMatchObject({ accountId: 7, deadline: 1 });
});
