import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { createClusterApi } from '../../shared/adapters/kube/createClusterApi.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { type Problem, problem } from '../../shared/model/problem.ts'
import type { Telemetry } from '../../shared/ports/telemetry.ts'
import { parseClusterEntries, resolveCluster } from '../../shared/wire/clusterEntry.ts'
import { type Access, openCluster } from '../clusterAccess.ts'
import type { DownCluster } from './downCluster.ts'
import { helmOf, type RunProgram } from './runProgram.ts'

/** A cluster as the app knows it: its id, and the overrides of values from Azure. */
export type NamedCluster = {
  readonly resourceId: string
  /** The id of the cluster in Joiner. Undefined: the name of the cluster in lower case. */
  readonly name?: string
  readonly overrides?: { readonly [field: string]: unknown }
}

export type OpenDeps = { readonly access: Access; readonly run: RunProgram; readonly telemetry: Telemetry }

/** A value that only launches need. Without it, a cluster that has none could not be opened. */
const FOR_LAUNCHES = { sshPublicKey: 'ssh-none' }

/** Opens the cluster. Undefined if it does not exist any more: its machines were removed with its resource group. */
export async function openDownCluster(
  { resourceId, name, overrides = {} }: NamedCluster,
  { access, run, telemetry }: OpenDeps,
): Promise<Result<DownCluster | undefined, Problem>> {
  const facts = await access.facts(resourceId)
  if (!facts.ok) return facts.error.code === 'AZURE.NOT_FOUND' ? ok(undefined) : facts
  if (facts.value.powerState === 'Stopped')
    return err(problem('PREFLIGHT.STOPPED', `cluster ${resourceId} is stopped; run: az aks start --ids ${resourceId}`))
  const audience = overrides['apiServerAudience']
  const opened = await openCluster(access, resourceId, typeof audience === 'string' ? { audience } : {})
  if (!opened.ok) return opened
  const { server, caBundle, token, call } = opened.value
  const said = { ...FOR_LAUNCHES, ...overrides, ...(name === undefined ? {} : { id: name }), resourceId, caBundle, apiServer: server }
  const entries = parseClusterEntries(JSON.stringify([said]))
  const [entry] = entries.ok ? entries.value : []
  const config = entry === undefined ? err([]) : resolveCluster(entry, facts.value)
  if (!config.ok) {
    const why = [...(entries.ok ? [] : entries.error), ...config.error].map(({ message }) => message).join('; ')
    return err(problem('SETTING.INVALID', `cluster ${resourceId}: ${why}`))
  }
  const { id, subscriptionId, nodeResourceGroup, location, machinePrefix, formerMachinePrefixes, vnetSubnetId, nodeIdentities } =
    config.value
  const { clock, credential, armOptions } = access
  const machineNames = { prefix: machinePrefix, former: formerMachinePrefixes }
  const sizes = { sizeFacts: () => Promise.resolve(undefined) }
  return ok({
    id,
    resourceId,
    subscriptionId,
    nodeResourceGroup,
    location,
    machineNames,
    usedIds: [vnetSubnetId, ...facts.value.pools.flatMap(({ subnetId }) => subnetId ?? []), ...nodeIdentities],
    api: createClusterApi({ server, caBundle, token, cluster: id, machineNames, clock, telemetry }),
    cloud: createCloudProvider({ config: config.value, credential, arm: armOptions, sizes, clock, telemetry }),
    call,
    helm: helmOf(opened.value, run),
  })
}
