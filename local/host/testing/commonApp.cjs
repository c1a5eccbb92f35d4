const { app } = require('@azure/functions')

// joined, since the name cannot be resolved without the host
const loadCore = () => require(['@azure', 'functions-core'].join('/'))
const problem = process.env.PROBLEM
app.http('common', { handler: () => ({ status: 200, body: 'from CommonJS' }) })
if (problem === 'duplicate') app.http('common', { handler: () => ({ status: 200 }) })
if (problem === 'case') app.http('Common', { handler: () => ({ status: 200 }) })
if (problem === 'trigger') app.serviceBusQueue('bus', { queueName: 'q', connection: 'c', handler: () => undefined })
if (problem === 'input') app.http('in', { extraInputs: [{ type: 'blob', name: 'b' }], handler: () => ({ status: 200 }) })
if (problem === 'output') app.http('out', { extraOutputs: [{ type: 'table', name: 't' }], handler: () => ({ status: 200 }) })
if (problem === 'schedule') app.timer('bad', { schedule: '99 * * * * *', handler: () => undefined })
if (problem === 'connection') app.storageQueue('q', { queueName: 'jobs', connection: 'NOWHERE', handler: () => undefined })
if (problem === 'queue name') app.storageQueue('q', { queueName: 'Jobs', connection: 'AzureWebJobsStorage', handler: () => undefined })
if (problem === 'streaming') app.setup({ enableHttpStream: true })
if (problem === 'two copies') loadCore().setProgrammingModel({ name: 'another' })
if (problem === 'hook') loadCore().registerHook('noSuchHook', () => undefined)
