import { setTimeout as delay } from 'node:timers/promises'
import { app, output } from '@azure/functions'

/** An app for hosts in processes of their own. Its results are in the queue `done`. */
const done = output.storageQueue({ queueName: 'done', connection: 'AzureWebJobsStorage' })

app.storageQueue('jobs', {
  queueName: 'jobs',
  connection: 'AzureWebJobsStorage',
  return: done,
  handler: async (message, context) => {
    const waitMs = typeof message === 'object' && message !== null && 'waitMs' in message ? Number(message.waitMs) : 0
    if (process.env['WAIT'] === 'yes') await delay(waitMs)
    return { job: message, dequeueCount: context.triggerMetadata?.['dequeueCount'], host: process.env['HOST_NAME'] }
  },
})
app.http('slow', {
  handler: async () => {
    console.log('slow begins')
    await delay(300)
    return { status: 200, body: 'slow but done' }
  },
})
app.http('endless', {
  handler: async () => {
    await delay(60_000)
    return { status: 200 }
  },
})
app.http('forgetful', {
  handler: () => {
    void Promise.reject(new Error('nobody awaited this'))
    return { status: 200 }
  },
})
app.timer('beat', { schedule: '*/1 * * * * *', return: done, handler: () => ({ beat: process.env['HOST_NAME'] }) })
