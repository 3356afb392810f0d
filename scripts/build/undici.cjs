// Stands in for undici in the bundle: a run needs its pool alone, and its index evaluates 90 modules
// more. Each class is evaluated when it is first used.
// The bundler leaves a require by another name alone.
const requireInstalled = require;

module.exports = {
  get Pool() {
    return require("../../node_modules/undici/lib/dispatcher/pool.js");
  },
  /** From the installed package: its tunnels need the methods that the index adds to a dispatcher. */
  get ProxyAgent() {
    return requireInstalled("undici").ProxyAgent;
  },
};
