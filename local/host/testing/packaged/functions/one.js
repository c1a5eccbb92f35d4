import { app } from '@azure/functions'

app.http('one', { authLevel: 'anonymous', handler: () => ({ status: 200, body: process.env.GREETING }) })
