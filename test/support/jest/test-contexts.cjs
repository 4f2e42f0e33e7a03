const { AsyncLocalStorage } = require('node:async_hooks');

const storage = new AsyncLocalStorage();
let contexts = new Set();

/**
 * What Jest's framework uses as an AsyncLocalStorage, to know which test a piece of code belongs to. It is loaded anew for each
 * test file, and an AsyncLocalStorage slows down every promise of the process for ever, so all files share one.
 */
module.exports = class TestContexts {
  /** What outlives a test, such as a message port, would keep its context, and with it the service of the test file. */
  static forgetAll() {
    for (const context of contexts) {
      context.value = undefined;
    }
    contexts = new Set();
  }

  run(value, work) {
    const context = { value };
    contexts.add(context);
    return storage.run(context, work);
  }

  getStore() {
    return storage.getStore()?.value;
  }
};
