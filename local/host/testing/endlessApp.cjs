const { app } = require('@azure/functions')

/** Handlers that never end. What happened is on globalThis, since app and test share the process. */
const seen = []
globalThis.endlessAppSeen = seen
const never = (name) => () => {
  seen.push(name)
  return new Promise(() => undefined)
}
app.http('endless', { handler: never('endless') })
app.storageQueue('jobs', { queueName: 'jobs', connection: 'AzureWebJobsStorage', handler: never('jobs') })
app.hook.appTerminate(() => void seen.push('appTerminate'))
