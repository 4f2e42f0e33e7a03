import { operationsOf } from '../../src/api-keys/operations-of.js';
import { WebhookIdDto } from '../../src/webhooks/webhook.dto.js';
import { exampleOf } from '../../src/http/responses/response.decorators.js';

const operations = operationsOf('Test', {
  getId: { scope: 'webhooks:write', summary: 'Get an id', responds: [200, 'The id.', WebhookIdDto] },
  getFile: { scope: 'webhooks:write', summary: 'Get a file' },
});

describe('the decorator of an operation', () => {
  it('does not compile if the handler returns anything but the documented DTO', () => {
    class Controller {
      @operations.getId
      async documented() {
        return exampleOf(WebhookIdDto);
      }

      // @ts-expect-error the operation documents a WebhookIdDto
      @operations.getId
      async other() {
        return { object: 'topic' };
      }

      // @ts-expect-error the operation documents a response
      @operations.getId
      async nothing() {}

      @operations.getFile
      async file() {}
    }
    expect(Controller).toBeDefined();
  });
});
