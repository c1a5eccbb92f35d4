import type { TokenCredential } from '@azure/identity'
import { err, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import type { ClusterFacts } from '../../model/clusterFacts.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterFactsSource, KnownFacts } from '../../ports/clusterFactsSource.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { readClusterFacts, writeClusterFacts } from '../../wire/azure/clusterFactsBlob.ts'
import { type ArmClients, type ArmOptions, createArmClients } from './clients.ts'
import { fetchFacts, type GivenNetwork } from './clusterFacts/fetchFacts.ts'
import { azureFault } from './machines/azureFault.ts'

export type ClusterFactsOptions = {
  readonly id: ClusterId
  readonly resourceId: string
  /** What the entry of the cluster sets. Default: nothing. */
  readonly given?: GivenNetwork
  readonly credential: TokenCredential
  readonly arm?: Pick<ArmOptions, 'endpoint' | 'ca' | 'maxRetries' | 'retryDelayMs'>
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** How long data from storage is used before it is read again. */
const RECHECK_MS = 30_000
/** The time between a failed first read and the next try. */
const FIRST_AGAIN_MS = 60_000

/** The facts of one cluster. One process reads them from ARM and stores them for all. They are kept if ARM does not answer. */
export function createClusterFactsSource(options: ClusterFactsOptions): ClusterFactsSource {
  const { id, resourceId, blobs, clock, telemetry } = options
  const [, , subscriptionId = ''] = resourceId.split('/')
  const clients = createArmClients({ credential: options.credential, subscriptionId, clock, telemetry, ...options.arm })
  const path = `clusters/${id}/facts`
  let held: { readonly read: KnownFacts['read']; readonly at: number } | undefined
  let failed: { readonly problem: Problem; readonly at: number } | undefined

  function known(): KnownFacts {
    return defined({ read: held?.read, problem: failed?.problem })
  }

  async function reload(signal: AbortSignalLike): Promise<void> {
    const blob = await blobs.read(path, signal)
    const stored = blob && readClusterFacts(blob.value)
    // The stored facts may be of another cluster with the same name.
    const isOurs = stored?.facts.resourceId.toLowerCase() === resourceId.toLowerCase()
    held = { read: isOurs ? stored : held?.read, at: clock.now() }
  }

  async function refresh(signal: AbortSignalLike): Promise<KnownFacts> {
    const answer = await readFacts(clients, resourceId, options.given ?? {}, signal)
    if (answer.ok) {
      const read = { facts: answer.value, at: clock.now() }
      held = { read, at: clock.now() }
      failed = undefined
      await blobs.write(path, writeClusterFacts(read), 'any', signal)
      return known()
    }
    failed = { problem: answer.error, at: clock.now() }
    if (held?.read === undefined) await reload(signal)
    const { code, message } = answer.error
    telemetry.warn(`the facts of cluster ${id} were not read; those known before stay: ${message}`, { cluster: id, code })
    return known()
  }

  return {
    refresh,
    async load(signal) {
      if (held === undefined || clock.now() - held.at >= RECHECK_MS) await reload(signal)
      const isDue = failed === undefined || clock.now() - failed.at >= FIRST_AGAIN_MS
      return held?.read === undefined && isDue ? refresh(signal) : known()
    },
  }
}

/** Reads the facts from ARM once. A refusal names the cluster and what to do about it. */
export async function readFacts(
  clients: ArmClients,
  resourceId: string,
  given: GivenNetwork,
  signal: AbortSignalLike,
): Promise<Result<ClusterFacts, Problem>> {
  try {
    return await fetchFacts(clients, resourceId, given, signal)
  } catch (error) {
    const fault = azureFault(`read cluster ${resourceId}`, error, signal)
    if (!(fault instanceof Fault)) throw fault
    return err(explained(fault.problem, resourceId))
  }
}

/** The problem with the cluster and what to do about it in its message. */
function explained({ code, message, ...details }: Problem, resourceId: string): Problem {
  const status = details.fields?.['status']
  if (status === 404) {
    const rule = `cluster ${resourceId} does not exist, or this identity may not see it; check resourceId in JOINER_CLUSTERS`
    return problem('AZURE.NOT_FOUND', `${rule}: ${message}`, { ...details, object: resourceId })
  }
  const hint =
    status === 403
      ? '; give the caller Microsoft.ContainerService/managedClusters/read on the cluster, the right to read networks, security groups and load balancers in the resource group of its nodes, and Microsoft.Network/virtualNetworks/read on the network of its subnet'
      : ''
  return problem(code, `cluster ${resourceId} cannot be read: ${message}${hint}`, { ...details, object: resourceId })
}
