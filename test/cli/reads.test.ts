import { poll, retriesAfterFirst } from '../../src/cli/client/reads.js';

it('a command that waits asks again at its own pace, also for requests that it may repeat', async () => {
  const send = retriesAfterFirst('The erasure');
  let attempts = 0;
  const result = await poll(() => {
    attempts += 1;
    return send(async () => (attempts < 4 ? undefined : 'erased'));
  }, 1);
  expect({ result, attempts }).toEqual({ result: 'erased', attempts: 4 });
});
