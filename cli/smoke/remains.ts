/** Finds and removes what smoke runs have made, this one and earlier ones. All of it carries the tag or the label of a run. */
import { mapBounded, settle } from '../../shared/base/concurrency.ts'
import { claimOfInstanceName, nodeClaimName } from '../../shared/model/ids.ts'
import { TAG } from '../../shared/model/instance.ts'
import { armFault, armList, isFine, member } from '../armCall.ts'
import { deleteObject, listObjects, type RemovableObject } from '../down/kubeObjects.ts'
import { CLAIMS, CLASSES, POOLS, SETS, trialName } from './appTrial.ts'
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
  /** Paths of the objects by which the app was to make machines, and of the NodeClaims that it made. */
  readonly objects: readonly string[]
  /** Names of machines, interfaces and disks that the app made. They are among the others, too, and the app ends them. */
  readonly ofApp: ReadonlySet<string>
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
  const ofApp = new Set<string>()
  const [machines = [], interfaces = [], disks = []] = await Promise.all(
    LISTED.map(async ({ type, version }) => {
      const items = await armList(run.arm, { path: `${groupPath(run)}/providers/${type}`, version }, signal)
      return items.flatMap((item) => {
        const name = member(item, 'name')
        if (typeof name !== 'string') return []
        if (isOfApp(item)) ofApp.add(name)
        return ofApp.has(name) || isOfSmoke(run, name, item) ? [name] : []
      })
    }),
  )
  const nodes = (await listObjects(call, '/api/v1/nodes', { labelSelector: SMOKE_KEY }, signal)).map(({ metadata }) => metadata.name)
  const pods = (await listObjects(call, PODS, { labelSelector: SMOKE_KEY }, signal)).map(({ metadata }) => metadata.name)
  const objects = await Promise.all(
    TRIAL.map(async (path) => pathsOf(path, await listObjects(call, path, { labelSelector: SMOKE_KEY }, signal))),
  )
  return { machines, interfaces, disks, nodes, pods, objects: objects.flat(), ofApp }
}

/** In the order of their deletion: without pod and pool, the app makes no more machines. */
const TRIAL = [SETS, POOLS, CLAIMS, CLASSES]
const pathsOf = (path: string, objects: readonly RemovableObject[]): readonly string[] =>
  objects.map(({ metadata }) => `${path}/${metadata.name}`)

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`

/** Made by the app for the NodePool of a run: the class of the pool gives the tag. */
function isOfApp(item: unknown): boolean {
  const tags = member(item, 'tags')
  const run = member(tags, SMOKE_TAG)
  return typeof run === 'string' && member(tags, TAG.nodePool) === trialName(run)
}

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
export function countOf({ machines, interfaces, disks, nodes, pods, objects }: Remains): string {
  const always = [`${machines.length} VMs`, `${interfaces.length} NICs`, `${disks.length} disks`]
  const seen = Object.entries({ nodes, pods, objects }).flatMap(([name, { length }]) => (length > 0 ? [`${length} ${name}`] : []))
  return [...always, ...seen].join(', ')
}

export function isNothing(remains: Remains): boolean {
  const { ofApp: _, ...lists } = remains
  return Object.values(lists).every((names) => names.length === 0)
}

const PAUSE_MS = 3_000
const LIMIT_MS = 15 * 60_000
/** The app ends a machine within a minute. After this time it is taken for dead. */
const APP_MS = 5 * 60_000
const AT_ONCE = 8

/**
 * Removes everything of smoke runs, and looks until it is gone. The app ends its own machines, unless it does not do so in time. Returns what is left
 * at the end of the limit, and whether the app was too late. It can be interrupted and begun again.
 */
export async function removeAll(run: SmokeRun, signal: AbortSignal): Promise<{ readonly left: Remains; readonly isAppLate: boolean }> {
  const begunAt = run.clock.now()
  let wasLate = false
  for (;;) {
    const left = await takeRemains(run, signal)
    await removeTokens(run, left, signal)
    const now = run.clock.now()
    const isAppLate = now >= begunAt + APP_MS && (left.ofApp.size > 0 || left.objects.length > 0)
    wasLate ||= isAppLate
    if (isNothing(left) || now >= begunAt + LIMIT_MS) return { left, isAppLate: wasLate }
    await removeOnce(run, left, signal)
    if (isAppLate) await removeForApp(run, left, signal)
    await run.clock.sleep(PAUSE_MS, signal)
  }
}

/** A resource that cannot go yet, such as an interface that is reserved, goes in a later round. A missing right is an end. */
async function removeOnce(run: SmokeRun, remains: Remains, signal: AbortSignal): Promise<void> {
  const { cluster } = run
  const own = new Set(remains.machines.map((name) => name.toLowerCase()))
  const deletions: readonly (() => Promise<void>)[] = [
    ...[...remains.objects, ...remains.pods.map((name) => `${PODS}/${name}`)].map((path) => () => deleteObject(cluster.call, path, signal)),
    ...LISTED.flatMap(({ part, type, version }) =>
      remains[part]
        // An interface and a disk of a machine go with the machine.
        .filter((name) => (part === 'machines' || !own.has(name.toLowerCase())) && !remains.ofApp.has(name))
        .map((name) => () => removeResource(run, { type, version, name }, signal)),
    ),
    ...remains.nodes.filter((name) => !own.has(name)).map((name) => () => deleteObject(cluster.call, `/api/v1/nodes/${name}`, signal)),
  ]
  const settled = await mapBounded(deletions, AT_ONCE, (deletion) => settle(deletion))
  for (const each of settled) if (!each.ok && !mayPass(each.error)) throw each.error
}

type Resource = { readonly type: string; readonly version: string; readonly name: string }

async function removeResource(run: SmokeRun, { type, version, name }: Resource, signal: AbortSignal): Promise<void> {
  const query = type.endsWith('/virtualMachines') ? { forceDeletion: 'true' } : {}
  const answer = await run.arm({ method: 'DELETE', path: `${groupPath(run)}/providers/${type}/${name}`, version, query }, signal)
  if (!isFine(answer) && answer.status !== 404) throw armFault(`delete ${name}`, answer)
}

/** Does what the app would do with its machines and objects: all that is named here is being deleted already. */
async function removeForApp(run: SmokeRun, remains: Remains, signal: AbortSignal): Promise<void> {
  const { call } = run.cluster
  for (const { part, type, version } of LISTED)
    for (const name of remains[part].filter((each) => remains.ofApp.has(each)))
      await settle(() => removeResource(run, { type, version, name }, signal))
  const nodes = remains.nodes.map((name) => `/api/v1/nodes/${name}`)
  for (const path of [...remains.objects, ...nodes]) {
    const body = { metadata: { finalizers: null } }
    await call({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, signal)
  }
}

/** Deletes the tokens of all claims that are known. A token that nobody knows any more ends by itself after half an hour. */
async function removeTokens({ cluster, journal }: SmokeRun, { machines, interfaces }: Remains, signal: AbortSignal): Promise<void> {
  const named = [...machines, ...interfaces].map((name) => claimOfInstanceName(name.toLowerCase(), cluster.machineNames))
  const made = journal.record().machines.map(({ claim }) => nodeClaimName(claim))
  const claims = new Set([...made, ...named.filter((claim) => claim !== undefined)])
  await mapBounded([...claims], AT_ONCE, (claim) => cluster.api.deleteBootstrapToken(claim, signal))
}
