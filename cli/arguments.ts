import { err, ok, type Result } from '../shared/base/result.ts'
import type { PreflightWishes } from '../shared/engine/preflight/preflight.ts'

export const USAGE = `npm run preflight -- --cluster RESOURCE_ID [--cluster RESOURCE_ID]... [--network public|vnet|private] [--subscription ID]

Says whether Joiner can be installed for AKS clusters. It reads from Azure, as whoever is logged in, and changes nothing.

  --cluster       resource id of a cluster: az aks show -g GROUP -n NAME --query id -o tsv
  --network       how the app would reach the API server; public where nothing is said
  --subscription  id of the subscription that Joiner would be deployed to; that of the cluster where nothing is said

It ends with 0 where nothing is in the way, with 1 where something is, and with 2 where it did not understand what it was asked.`

export type Arguments = { readonly clusters: readonly string[]; readonly wishes: Partial<PreflightWishes> }

type Parsed = {
  readonly values: {
    readonly cluster?: readonly string[]
    readonly network?: string
    readonly subscription?: string
    readonly help?: boolean
  }
}

const CLUSTER = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]+$/i
type Network = NonNullable<PreflightWishes['network']>
const NETWORKS: ReadonlySet<string> = new Set<Network>(['public', 'vnet', 'private'])

/** What was asked for, or in one sentence what is wrong with it. `parse` throws what `parseArgs` does. */
export function readArguments(parse: () => Parsed): Result<Arguments | 'help', string> {
  const parsed = parsedBy(parse)
  if (!parsed.ok) return parsed
  const { cluster: clusters = [], network, subscription: subscriptionId, help } = parsed.value.values
  if (help === true) return ok('help')
  if (clusters.length === 0) return err('--cluster is missing: it names the resource id of a cluster')
  const strange = clusters.find((each) => !CLUSTER.test(each))
  if (strange !== undefined) return err(`--cluster ${strange} is not the resource id of a managed cluster`)
  if (network !== undefined && !isNetwork(network)) return err(`--network ${network} is none of ${[...NETWORKS].join(', ')}`)
  return ok({
    clusters,
    wishes: { ...(network === undefined ? {} : { network }), ...(subscriptionId === undefined ? {} : { subscriptionId }) },
  })
}

function parsedBy(parse: () => Parsed): Result<Parsed, string> {
  try {
    return ok(parse())
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause))
  }
}

function isNetwork(text: string): text is Network {
  return NETWORKS.has(text)
}
