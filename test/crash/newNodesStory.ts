/** A cluster at rest, whose new nodes are made from something else from some time on. */
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { findCondition, isTrue } from '../../shared/model/condition.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeVersions } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { MINUTE, SECOND } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { type NodePoolShape, nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { settings } from '../builders/snapshot.ts'
import { createSimulation, type Simulation } from './simulation.ts'

export const imagesOf = (id: string): NonNullable<NodeVersions['images']> => [{ id: `/images/${id}`, requirements: [] }]
export const OLD: NodeVersions = { kubernetesVersion: '1.34.2', images: imagesOf('1') }
/** A cluster at rest looks for what no record of its log tells within five minutes. */
export const NOTICED_MS = 5 * MINUTE + 30 * SECOND

type Story = {
  readonly pools: { readonly [pool: string]: { readonly nodes: number } & NodePoolShape }
  /** Version that the kubelet of each new node reports. Undefined: the version that the machine was made for. */
  readonly kubelet?: string
  /** The client id that the app is configured with at first. The label of a new node is `labelled`, or the present configuration. */
  readonly identity?: string
  readonly labelled?: () => string | undefined
  readonly between?: (deps: ClusterDeps) => ClusterDeps
  readonly tickMs?: number
}

/** Each pool buys one size, which no other pool buys. The pods of a pool run on the nodes of the pool alone, one pod on each node. */
export async function start({ pools, kubelet, identity, labelled = () => undefined, between, tickMs }: Story) {
  const most = new Map<string, number>()
  let configured = identity
  const simulation: Simulation = createSimulation({
    ...(identity === undefined ? {} : { settings: settings({ kubeletIdentityClientId: identity }) }),
    ...(between === undefined ? {} : { between }),
    ...(tickMs === undefined ? {} : { tickMs }),
    instanceTypes: Object.keys(pools).map((name) => instanceType({ name: `Standard_${name}` })),
    workload: () => {
      for (const [name, { nodes }] of Object.entries(pools)) keepPods(simulation, name, nodes)
      if (kubelet !== undefined) for (const node of objects.all('node')) objects.put('node', { ...node, kubeletVersion: kubelet })
      if (configured !== undefined) labelNewNodes(simulation, labelled() ?? configured)
    },
    caller: async () => {
      const loaded = await simulation.world.ports.ledger.load(new AbortController().signal)
      const commands = loaded.ok ? (loaded.value?.value.commands ?? []) : []
      const all = commands.flatMap(({ candidates }) => candidates.map(({ pool }) => pool))
      for (const pool of Object.keys(pools)) most.set(pool, Math.max(most.get(pool) ?? 0, all.filter((each) => each === pool).length))
    },
  })
  const { world, clock } = simulation
  const { objects } = world
  const say = (versions: NodeVersions): void => void (world.catalog.nodeVersions = () => versions)
  const configure = (kubeletIdentityClientId: string): void => {
    configured = kubeletIdentityClientId
    simulation.configure({ kubeletIdentityClientId })
  }
  say(OLD)
  objects.remove('nodePool', 'default')
  for (const [name, { nodes: _, ...shape }] of Object.entries(pools)) {
    const requirements = [{ key: LABEL.instanceType, operator: 'In', values: [`Standard_${name}`] }] as const
    objects.put('nodePool', nodePool({ name, template: { requirements }, ...shape }))
  }
  const claimsOf = (pool: string): readonly NodeClaim[] =>
    objects.all('nodeClaim').filter(({ meta }) => meta.labels[LABEL.nodePool] === pool)
  const total = Object.values(pools).reduce((sum, { nodes }) => sum + nodes, 0)
  const isUp = (): boolean => objects.all('nodeClaim').length === total && objects.all('nodeClaim').every(isReady)
  if ((await simulation.runUntil(isUp, 3 * MINUTE)) === undefined) throw new Error('the nodes do not come up')
  const made = (): number =>
    new Set(world.journal.entries.filter(({ operation }) => operation === 'api.createClaim').map(({ object }) => object)).size
  const haveImage = (pool: string, id: string): boolean => {
    const claims = claimsOf(pool)
    return claims.length === pools[pool]?.nodes && claims.every((claim) => isReady(claim) && claim.status.imageId === `/images/${id}`)
  }
  return { simulation, clock, objects, say, configure, claimsOf, made, most, haveImage, world }
}

export function isReady({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && isTrue(status.conditions, 'Ready')
}

/** The kubelet of a new node has the label from its boot data. */
function labelNewNodes({ world: { objects } }: Simulation, clientId: string): void {
  for (const node of objects.all('node')) {
    const { meta } = node
    if (meta.labels[LABEL.kubeletIdentity] === undefined)
      objects.put('node', { ...node, meta: { ...meta, labels: { ...meta.labels, [LABEL.kubeletIdentity]: clientId } } })
  }
}

function keepPods({ world: { objects, clock } }: Simulation, pool: string, count: number): void {
  const present = objects.all('pod').filter(({ key, deletedAt }) => deletedAt === undefined && key.startsWith(`default/${pool}-`))
  for (let missing = count - present.length; missing > 0; missing--) {
    const uid = objects.newUid()
    const times = { createdAt: clock.now(), unschedulableSince: clock.now() }
    objects.put(
      'pod',
      pod({ name: `${pool}-${uid}`, uid, cpus: 3, owner: REPLICA_SET, nodeSelector: { [LABEL.nodePool]: pool }, ...times }),
    )
  }
}

export const reasonsOf = (claims: readonly NodeClaim[]): readonly unknown[] =>
  claims.map(({ status }) => findCondition(status.conditions, 'Drifted')?.reason)
