/**
 * Node's HTTP modules. An `import` of `node:http` reads all members of the module, and thereby loads WebSocket and fetch code, 9 MiB in every shim.
 * `getBuiltinModule` does not.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
export const nodeHttps = process.getBuiltinModule('node:https')
