import { defined } from '../../shared/base/values.ts'
import { claimOfInstanceName, type NodeClaimName } from '../../shared/model/ids.ts'
import type { Instance } from '../../shared/model/instance.ts'
import { FINALIZER, LABEL } from '../../shared/model/labels.ts'
import { type NodeClaim, nodeNameOf } from '../../shared/model/nodeClaim.ts'
import { isOurs } from '../../shared/model/nodeClass.ts'
import { Fault } from '../../shared/model/problem.ts'
import type { OrphanInterface } from '../../shared/ports/cloudProvider.ts'
import { type Arm, armList, member } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { listObjects } from './kubeObjects.ts'

/** What Joiner has made in one cluster and its subscription, as both report now. */
export type Inventory = {
  readonly claims: readonly NodeClaim[]
  readonly instances: readonly Instance[]
  readonly interfaces: readonly OrphanInterface[]
  /** Names of disks that are not attached to a machine. */
  readonly disks: readonly string[]
  /** Claims that are gone, but whose node still exists with Joiner's finalizer. */
  readonly lostNodes: readonly NodeClaimName[]
}

/** One machine, known from its claim, from Azure, or from both. */
export type Machine = {
  readonly name: string
  readonly size?: string
  readonly zone?: string
  readonly capacityType?: string
  /** What it cost an hour when it was launched, with its disk: the label of its claim. */
  readonly launchPrice?: string
}

type DisksOf = Pick<DownCluster, 'machineNames' | 'subscriptionId' | 'nodeResourceGroup'>

const DISK_VERSION = '2025-01-02'
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodeclaims.karpenter.sh'

export async function takeInventory(cluster: DownCluster, arm: Arm, signal: AbortSignal): Promise<Inventory> {
  const claims = await claimsOf(cluster, signal)
  const instances = await cluster.cloud.list(signal)
  const interfaces = await cluster.cloud.listOrphanInterfaces(signal)
  const disks = await orphanDisks(cluster, arm, signal)
  return { claims, instances, interfaces, disks, lostNodes: await lostNodes(cluster, claims, signal) }
}

async function lostNodes(
  { call, machineNames }: DownCluster,
  claims: readonly NodeClaim[],
  signal: AbortSignal,
): Promise<readonly NodeClaimName[]> {
  const names = new Set(claims.map(({ name }) => name))
  const nodes = await listObjects(call, '/api/v1/nodes', { labelSelector: LABEL.nodePool }, signal)
  return nodes.flatMap(({ metadata }) => {
    const claim = claimOfInstanceName(metadata.name, machineNames)
    return claim !== undefined && !names.has(claim) && metadata.finalizers.includes(FINALIZER) ? [claim] : []
  })
}

/** Returns the claims. Empty if the CustomResourceDefinition was removed, since that ends every claim first. */
export async function claimsOf({ api, call }: Pick<DownCluster, 'api' | 'call'>, signal: AbortSignal): Promise<readonly NodeClaim[]> {
  try {
    return (await api.listClaims(signal)).filter(({ spec }) => isOurs(spec.nodeClassRef))
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.problem.fields?.['status'] !== 404) throw cause
    const definition = await call({ method: 'GET', path: DEFINITION }, signal)
    if (definition.status !== 404 || member(member(definition.json, 'details'), 'name') === undefined) throw cause
    return []
  }
}

/**
 * Returns disks without a machine. A disk is deleted with its machine, so these outlived theirs. They are recognized by their name with the current
 * prefix. Disks with a former prefix are not touched, since that prefix (`aks-`) is also the prefix of AKS's own machines.
 */
export async function orphanDisks({ machineNames, ...cluster }: DisksOf, arm: Arm, signal: AbortSignal): Promise<readonly string[]> {
  const disks = await armList(arm, { path: disksPath(cluster), version: DISK_VERSION }, signal)
  return disks.flatMap((disk) => {
    const name = member(disk, 'name')
    const isFree = member(disk, 'managedBy') === undefined && member(member(disk, 'properties'), 'diskState') === 'Unattached'
    const isNamedAsOurs = typeof name === 'string' && claimOfInstanceName(name.toLowerCase(), { ...machineNames, former: [] }) !== undefined
    return isFree && isNamedAsOurs ? [name] : []
  })
}

function disksPath({ subscriptionId, nodeResourceGroup }: Pick<DownCluster, 'subscriptionId' | 'nodeResourceGroup'>): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Compute/disks`
}

/** Deletes a disk. A disk that is gone already counts as deleted. */
export async function deleteDisk(cluster: DownCluster, arm: Arm, name: string, signal: AbortSignal): Promise<void> {
  await arm({ method: 'DELETE', path: `${disksPath(cluster)}/${name}`, version: DISK_VERSION }, signal)
}

/** Returns what is in the inventory in a few words. Empty if there is nothing. */
export function countOf({ claims, instances, interfaces, disks, lostNodes: nodes }: Inventory): string {
  const counts = [
    [claims.length, 'nodeclaim', ''],
    [instances.length, 'machine', ''],
    [interfaces.length, 'network interface', ' without a machine'],
    [disks.length, 'disk', ' without a machine'],
    [nodes.length, 'node', ' without a nodeclaim'],
  ] as const
  return counts.flatMap(([count, what, more]) => (count > 0 ? [`${count} ${what}${count === 1 ? '' : 's'}${more}`] : [])).join(', ')
}

/** Returns the machines ordered by name: those of claims, launched or not, and those without a claim. */
export function machinesOf({ claims, instances }: Inventory, { machineNames }: Pick<DownCluster, 'machineNames'>): readonly Machine[] {
  const made = new Map(instances.map((instance): [string, Machine] => [instance.name, instance]))
  for (const claim of claims) {
    const name = nodeNameOf(claim, machineNames)
    const { labels } = claim.meta
    const told = { size: labels[LABEL.instanceType], zone: labels[LABEL.zone], capacityType: labels[LABEL.capacityType] }
    made.set(name, defined({ ...(made.get(name) ?? { name, ...told }), launchPrice: labels[LABEL.instancePrice] }))
  }
  return [...made.values()].sort((first, second) => (first.name < second.name ? -1 : 1))
}
