const asyncHooks = require('node:async_hooks');
const { register } = require('node:module');
const { dirname } = require('node:path');
const { pathToFileURL } = require('node:url');
const { MessageChannel } = require('node:worker_threads');
const { default: Runtime } = require('jest-runtime');
const TestContexts = require('./test-contexts.cjs');

const { AsyncLocalStorage } = asyncHooks;

/** Where the framework keeps its tests and hooks on the global object. */
const FRAMEWORK_SYMBOLS = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'];

/** The file of the source map for each module that was compiled; undefined until modules can be compiled. */
let sourceMaps;
let testFiles = 0;

function compileImports(config, coverage) {
  sourceMaps = new Map();
  const { port1, port2 } = new MessageChannel();
  port1.on('message', ({ url, map }) => sourceMaps.set(url, map)).unref();
  register('./typescript.js', pathToFileURL(__filename), {
    data: { config, coverage, port: port2 },
    transferList: [port2],
  });
}

function refuseToMock() {
  throw new Error('Modules cannot be mocked: all test files of a process share them.');
}

/**
 * Node.js loads the modules, once for all test files of a process. Jest's own runtime would load the service again for each
 * test file, which takes a second and a half of CPU time. Modules cannot be mocked.
 */
module.exports = class SharedModulesRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, files, coverage, ...others) {
    super(config, environment, resolver, transformer, files, coverage, ...others);
    if (!sourceMaps) {
      compileImports(config, coverage);
    }
  }

  /** Jest's own runtime would replace a function of the process, which all test files share. */
  installGetBuiltinModule() {}

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    const { jest } = this.requireModuleOrMock(path, '@jest/globals');
    globalThis.jest = Object.assign(jest, { mock: refuseToMock, unstable_mockModule: refuseToMock });
    testFiles += 1;
    return import(`${pathToFileURL(path)}?${testFiles}`);
  }

  /** The framework keeps its tests and hooks in its modules and on the global object: each test file gets it anew. */
  requireInternalModule(path) {
    for (const file of Object.keys(require.cache)) {
      if (dirname(file) === dirname(path)) {
        delete require.cache[file];
      }
    }
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (FRAMEWORK_SYMBOLS.includes(symbol.description)) {
        delete globalThis[symbol];
      }
    }
    TestContexts.forgetAll();
    asyncHooks.AsyncLocalStorage = TestContexts;
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  getSourceMaps() {
    return sourceMaps;
  }
};
