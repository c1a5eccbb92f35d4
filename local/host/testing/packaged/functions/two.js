import { app } from '@azure/functions'

app.http('two', { handler: () => ({ status: 200 }) })
app.timer('never', {
  schedule: '0 0 0 1 1 *',
  retry: { strategy: 'fixedDelay', maxRetryCount: 2, delayInterval: { seconds: 0 } },
  handler: fail,
})

function fail(_timer, context) {
  globalThis.packagedTries = [...(globalThis.packagedTries ?? []), context.retryContext?.retryCount ?? 0]
  throw new Error(`try ${context.retryContext?.retryCount ?? 0}`)
}
