/** Finds and removes what smoke runs have made, this one and earlier ones. All of it carries the tag or the label of a run. */
import { mapBounded, settle } from '../../shared/base/bounded.ts'
import { claimOfInstanceName, nodeClaimName } from '../../shared/model/ids.ts'
import { TAG } from '../../shared/model/machineTags.ts'
import { armFault, armList, isFine, member } from '../armCall.ts'
import { deleteObject, listObjects } from '../down/kubeObjects.ts'
import { NAMESPACE } from './probe.ts'
import { SMOKE_CLUSTER, SMOKE_KEY, SMOKE_TAG, type SmokeCluster } from './smokeCluster.ts'
import { groupPath, mayPass, type SmokeRun } from './smokeRun.ts'

/** Names of what there is. */
export type Remains = {
  readonly machines: readonly string[]
  readonly interfaces: readonly string[]
  readonly disks: readonly string[]
  readonly nodes: readonly string[]
  readonly pods: readonly string[]
}

type RemainsOf = Pick<SmokeRun, 'arm'> & { readonly cluster: Pick<SmokeCluster, 'config' | 'call' | 'machineNames'> }

const LISTED = [
  { part: 'machines', type: 'Microsoft.Compute/virtualMachines', version: '2025-04-01' },
  { part: 'interfaces', type: 'Microsoft.Network/networkInterfaces', version: '2025-05-01' },
  { part: 'disks', type: 'Microsoft.Compute/disks', version: '2025-01-02' },
] as const

/** Each list is asked of Azure itself and not of a cache, so that what is counted at the end is there. */
export async function takeRemains(run: RemainsOf, signal: AbortSignal): Promise<Remains> {
  const { call } = run.cluster
  const [machines = [], interfaces = [], disks = []] = await Promise.all(
    LISTED.map(async ({ type, version }) => {
      const items = await armList(run.arm, { path: `${groupPath(run)}/providers/${type}`, version }, signal)
      return items.flatMap((item) => {
        const name = member(item, 'name')
        return typeof name === 'string' && isOfSmoke(run, name, item) ? [name] : []
      })
    }),
  )
  const nodes = (await listObjects(call, '/api/v1/nodes', { labelSelector: SMOKE_KEY }, signal)).map(({ metadata }) => metadata.name)
  const pods = (await listObjects(call, PODS, { labelSelector: SMOKE_KEY }, signal)).map(({ metadata }) => metadata.name)
  return { machines, interfaces, disks, nodes, pods }
}

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`

/**
 * Known by both of its tags. A resource without the tag of any cluster is known by its name: a policy of Azure may take tags, and not each disk may have
 * got them. The tag of another cluster is stronger than the name, since a NodePool may have a name that looks like ours.
 */
function isOfSmoke({ cluster: { machineNames } }: RemainsOf, name: string, item: unknown): boolean {
  const tags = member(item, 'tags')
  const cluster = member(tags, TAG.cluster)
  if (cluster === SMOKE_CLUSTER) return typeof member(tags, SMOKE_TAG) === 'string'
  return cluster === undefined && CLAIM.test(claimOfInstanceName(name.toLowerCase(), { ...machineNames, former: [] }) ?? '')
}

/** The name of a claim: the run, and the number of the machine. */
const CLAIM = /^smoke-[a-z0-9]{6}-\d+$/

/** The counts in words: `0 VMs, 0 NICs, 0 disks`. Nodes and pods are named where there are some. */
export function countOf({ machines, interfaces, disks, nodes, pods }: Remains): string {
  const always = [`${machines.length} VMs`, `${interfaces.length} NICs`, `${disks.length} disks`]
  return [...always, ...(nodes.length > 0 ? [`${nodes.length} nodes`] : []), ...(pods.length > 0 ? [`${pods.length} pods`] : [])].join(', ')
}

export function isNothing(remains: Remains): boolean {
  return Object.values(remains).every((names) => names.length === 0)
}

const PAUSE_MS = 3_000
const LIMIT_MS = 15 * 60_000
const AT_ONCE = 8

/**
 * Removes everything of smoke runs, and looks until it is gone. Returns what is left at the end of the limit. It can be interrupted and begun again.
 */
export async function removeAll(run: SmokeRun, signal: AbortSignal): Promise<Remains> {
  const until = run.clock.now() + LIMIT_MS
  for (;;) {
    const remains = await takeRemains(run, signal)
    await removeTokens(run, remains, signal)
    if (isNothing(remains) || run.clock.now() >= until) return remains
    await removeOnce(run, remains, signal)
    await run.clock.sleep(PAUSE_MS, signal)
  }
}

/** A resource that cannot go yet, such as an interface that is reserved, goes in a later round. A missing right is an end. */
async function removeOnce(run: SmokeRun, remains: Remains, signal: AbortSignal): Promise<void> {
  const { cluster } = run
  const gone = async (type: string, version: string, name: string): Promise<void> => {
    const query = type.endsWith('/virtualMachines') ? { forceDeletion: 'true' } : {}
    const answer = await run.arm({ method: 'DELETE', path: `${groupPath(run)}/providers/${type}/${name}`, version, query }, signal)
    if (!isFine(answer) && answer.status !== 404) throw armFault(`delete ${name}`, answer)
  }
  const own = new Set(remains.machines.map((name) => name.toLowerCase()))
  const deletions: readonly (() => Promise<void>)[] = [
    ...remains.pods.map((name) => () => deleteObject(cluster.call, `${PODS}/${name}`, signal)),
    ...LISTED.flatMap(({ part, type, version }) =>
      remains[part]
        // An interface and a disk of a machine go with the machine.
        .filter((name) => part === 'machines' || !own.has(name.toLowerCase()))
        .map((name) => () => gone(type, version, name)),
    ),
    ...remains.nodes.filter((name) => !own.has(name)).map((name) => () => deleteObject(cluster.call, `/api/v1/nodes/${name}`, signal)),
  ]
  const settled = await mapBounded(deletions, AT_ONCE, (deletion) => settle(deletion))
  for (const each of settled) if (!each.ok && !mayPass(each.error)) throw each.error
}

/** Deletes the tokens of all claims that are known. A token that nobody knows any more ends by itself after half an hour. */
async function removeTokens({ cluster, journal }: SmokeRun, { machines, interfaces }: Remains, signal: AbortSignal): Promise<void> {
  const named = [...machines, ...interfaces].map((name) => claimOfInstanceName(name.toLowerCase(), cluster.machineNames))
  const made = journal.record().machines.map(({ claim }) => nodeClaimName(claim))
  const claims = new Set([...made, ...named.filter((claim) => claim !== undefined)])
  await mapBounded([...claims], AT_ONCE, (claim) => cluster.api.deleteBootstrapToken(claim, signal))
}
