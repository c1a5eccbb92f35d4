import { app, type InvocationContext, output } from '@azure/functions'

/** The calls that the handlers saw. Tests read them here, because app and test share the process. */
type Seen = { function: string; input: unknown; metadata?: unknown }
const seen: Seen[] = []
Object.assign(globalThis, { sampleAppSeen: seen })

const work = output.storageQueue({ queueName: 'work', connection: 'AzureWebJobsStorage' })

app.hook.appStart((context) => {
  Object.assign(context.hookData, { started: true })
  seen.push({ function: 'appStart', input: undefined })
})
app.hook.preInvocation((context) => {
  if (context.invocationContext.functionName === 'hooked') {
    context.inputs = ['swapped']
    context.functionHandler = () => {
      throw new Error('from the swapped handler')
    }
  }
})
app.hook.postInvocation((context) => {
  if (context.invocationContext.functionName !== 'hooked') return
  context.result = { status: 418, jsonBody: { error: context.error instanceof Error ? context.error.message : '', inputs: context.inputs } }
  context.error = undefined
})
app.hook.appTerminate(() => {
  seen.push({ function: 'appTerminate', input: undefined })
})

app.http('ingest', {
  methods: ['POST'],
  route: 'clusters/{cluster}/events',
  authLevel: 'function',
  extraOutputs: [work],
  handler: async (request, context) => {
    const body = await request.json()
    context.extraOutputs.set(work, [{ cluster: request.params['cluster'], body }, 'plain text'])
    context.log('took %d', 2)
    return { status: 202, jsonBody: { accepted: 2, query: request.query.get('a') } }
  },
})
app.http('open', { route: 'open/{id:int?}', handler: (request) => ({ status: 200, jsonBody: { id: request.params['id'] ?? null } }) })
app.http('any', { route: 'any/{text}', handler: (request) => ({ jsonBody: request.params }) })
app.http('admin-only', { authLevel: 'admin', handler: () => ({ status: 200 }) })
app.http('silent', { handler: () => undefined as never })
app.http('text-result', { handler: () => 'just text' as never })
app.http('fails', {
  handler: () => {
    throw new Error('no')
  },
})
app.http('hooked', { handler: () => ({ status: 200 }) })
app.http('late', {
  handler: () => {
    app.http('later', { handler: () => ({ status: 200 }) })
    return { status: 200 }
  },
})

app.storageQueue('work', {
  queueName: 'work',
  connection: 'AzureWebJobsStorage',
  handler: (message, context: InvocationContext) => {
    seen.push({ function: 'work', input: message, metadata: context.triggerMetadata })
    if (typeof message === 'object' && message !== null && 'fail' in message) throw new Error('asked to fail')
  },
})
app.timer('tick', {
  schedule: '%TICK_SCHEDULE%',
  return: work,
  handler: (timer) => {
    seen.push({ function: 'tick', input: timer })
    return { from: 'tick' }
  },
})
app.eventGrid('spot', {
  handler: (event) => {
    seen.push({ function: 'spot', input: event })
    if (event.data?.['fail'] === true) throw new Error('cannot')
  },
})
