import { app, output } from '@azure/functions'

/** An app that says in which process its functions run. */
const done = output.storageQueue({ queueName: 'done', connection: 'AzureWebJobsStorage' })
let beats = 0
setInterval(() => {
  beats++
}, 10)

app.http('who', { handler: () => ({ jsonBody: { pid: process.pid, beats } }) })
app.http('slow', {
  handler: async () => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    return { jsonBody: { pid: process.pid } }
  },
})
app.http('forgetful', {
  handler: () => {
    void Promise.reject(new Error('nobody awaited this'))
    return { status: 200 }
  },
})
app.storageQueue('jobs', { queueName: 'jobs', connection: 'AzureWebJobsStorage', return: done, handler: () => ({ job: process.pid }) })
app.timer('beat', { schedule: '*/1 * * * * *', return: done, handler: () => ({ beat: process.pid }) })
