// Stands in for @lezer/markdown in the command line, which loads the package when it first parses
// content.
// The bundler leaves a require by another name alone.
const requireInstalled = require;

module.exports = {
  get parser() {
    return requireInstalled("@lezer/markdown").parser;
  },
  get Table() {
    return requireInstalled("@lezer/markdown").Table;
  },
};
