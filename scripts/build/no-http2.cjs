// Stands in for node:http2 in the bundle. undici does the same on a Node without HTTP/2.
module.exports = { constants: {} };
