/**
 * Node's HTTP modules, got in a way that does not read all their members: an `import` of `node:http` does, and thereby
 * loads the WebSocket and fetch code that hides behind some of them, 9 MiB in every shim.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
export const nodeHttps = process.getBuiltinModule('node:https')
