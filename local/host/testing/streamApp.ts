import { app, output } from '@azure/functions'
import { readJsonBody } from '../../../functions/httpProblem.ts'

/** An app with HTTP streams, for hosts in processes of their own: the library keeps `app.setup` for the life of its process. */
app.setup({ enableHttpStream: true })

const done = output.storageQueue({ queueName: 'done', connection: 'AzureWebJobsStorage' })
/** Lets `lines` write its next line. */
let next: () => void = () => undefined

app.http('next', {
  handler: () => {
    next()
    return { status: 200 }
  },
})
app.http('lines', {
  handler: (request) => {
    const body = new ReadableStream({
      start: async (controller) => {
        for (let line = 1; line <= Number(request.query.get('count')); line++) {
          controller.enqueue(`line ${line}\n`)
          await new Promise<void>((resolve) => {
            next = resolve
          })
        }
        console.log('all lines are written')
        controller.close()
      },
      cancel: () => console.log('cancelled'),
    })
    return { status: 201, headers: { 'x-kind': 'lines', connection: 'close' }, body: body.pipeThrough(new TextEncoderStream()) }
  },
})
app.http('body', {
  route: 'bodies/{cluster}',
  handler: async (request) => ({ jsonBody: { params: request.params, read: await readJsonBody(request), url: request.url } }),
})
app.http('length', { handler: async (request) => ({ body: String((await request.arrayBuffer()).byteLength) }) })
app.http('outputs', {
  extraOutputs: [done],
  handler: (_request, context) => {
    context.extraOutputs.set(done, 'sent')
    return { status: 202, cookies: [{ name: 'a', value: 'b' }] }
  },
})
app.http('throws', {
  handler: () => {
    throw new Error('asked to fail')
  },
})
app.http('forgetful', {
  handler: () => {
    setTimeout(() => void Promise.reject(new Error('nobody awaited this')), 100)
    return { body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('first\n')) }) }
  },
})
