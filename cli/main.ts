// npm run preflight -- --cluster RESOURCE_ID: whether Joiner can be installed for a cluster. Reads and changes nothing.
import { parseArgs } from 'node:util'
import { createArmClients } from '../shared/adapters/azure/clients.ts'
import { readFacts } from '../shared/adapters/azure/clusterFacts.ts'
import { createCredential } from '../shared/adapters/azure/credential.ts'
import { createSystemClock } from '../shared/adapters/system/systemClock.ts'
import { readArguments, USAGE } from './arguments.ts'
import { runPreflight } from './preflight.ts'

const LIMIT_MS = 60_000

const given = readArguments(() =>
  parseArgs({
    options: {
      cluster: { type: 'string', multiple: true },
      network: { type: 'string' },
      subscription: { type: 'string' },
      help: { type: 'boolean' },
    },
  }),
)
if (!given.ok) {
  console.error(`${given.error}\n\n${USAGE}`)
  process.exitCode = 2
} else if (given.value === 'help') console.log(USAGE)
else {
  const { clusters, wishes } = given.value
  const credential = createCredential(process.env['AZURE_CLIENT_ID'])
  const endpoint = process.env['ARM_ENDPOINT']
  const clock = createSystemClock()
  process.exitCode = await runPreflight(clusters, wishes, {
    print: (line) => console.log(line),
    facts: (resourceId) => {
      const [, , subscriptionId = ''] = resourceId.split('/')
      const clients = createArmClients({ credential, subscriptionId, clock, ...(endpoint === undefined ? {} : { endpoint }) })
      return readFacts(clients, resourceId, AbortSignal.timeout(LIMIT_MS))
    },
  })
}
