/**
 * `node:http`. An import of it reads all that it exports, and among that is WebSocket, which loads
 * an HTTP client of Node.js that Kontor does not use: 4 MiB (decision 61).
 */
export const http = process.getBuiltinModule('node:http')
