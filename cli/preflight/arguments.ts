import { parseArgs } from 'node:util'
import { err, messageOf, ok, type Result } from '../../shared/base/result.ts'
import { defined } from '../../shared/base/values.ts'
import type { Environment } from '../clusterAccess.ts'
import { whyNotCluster } from '../clusterName.ts'

export const USAGE = `npx joiner preflight --cluster RESOURCE_ID [--cluster RESOURCE_ID]... [--network public|vnet|private] [--location REGION]
npx joiner preflight --env NAME

Says whether Joiner can be installed, with the same checks as azd up. It reads from Azure and from the API servers of the clusters with the login of azd or az,
and changes nothing.

  --cluster       resource id of a cluster: az aks show -g GROUP -n NAME --query id -o tsv
  --env           name of an environment of azd; options take precedence over its values
  --network       how the app reaches the API server: public, over the internet; vnet, from a fixed address of
                  its own; private, inside networks only. Without it: public
  --subscription  id of the subscription that Joiner would be deployed to; without it, that of the first cluster
  --location      region that Joiner would be deployed to; without it, no check of the region is made
  --format        text or json; default: text

Other settings are variables, as docs/install.md lists them: JOINER_SUBNETS, JOINER_RBAC, JOINER_ALERTS and so on.
Exit codes: 0 no obstacle, 1 an obstacle, 2 wrong arguments.`

export type Arguments = {
  /** Variables that override those of the environment. */
  readonly environment: Environment
  /** Name of the azd environment. */
  readonly azdEnvironment?: string
  readonly format: 'text' | 'json'
}

const NETWORKS: readonly string[] = ['public', 'vnet', 'private']

const text = { type: 'string' } as const
const OPTIONS = {
  cluster: { type: 'string', multiple: true },
  env: text,
  network: text,
  subscription: text,
  location: text,
  format: text,
  help: { type: 'boolean' },
} as const

/** Returns the arguments, or a sentence that says what is wrong with them. */
export function readArguments(args: readonly string[]): Result<Arguments | 'help', string> {
  const parsed = parsedBy(args)
  if (!parsed.ok) return parsed
  const { cluster: clusters = [], env: azdEnvironment, network, subscription, location, format = 'text', help } = parsed.value
  if (help === true) return ok('help')
  const strange = clusters.map(whyNotCluster).find((why) => why !== undefined)
  if (strange !== undefined) return err(strange)
  if (network !== undefined && !NETWORKS.includes(network)) return err(`--network ${network} is none of ${NETWORKS.join(', ')}`)
  if (format !== 'text' && format !== 'json') return err(`--format ${format} is none of text, json`)
  const environment = defined({
    JOINER_CLUSTER_IDS: clusters.length === 0 ? undefined : clusters.join(' '),
    AZURE_SUBSCRIPTION_ID: subscription,
    JOINER_NETWORK: network,
    AZURE_LOCATION: location,
  })
  return ok({ environment, format, ...defined({ azdEnvironment }) })
}

function parsedBy(args: readonly string[]) {
  try {
    return ok(parseArgs({ args: [...args], options: OPTIONS }).values)
  } catch (cause) {
    return err(messageOf(cause))
  }
}
