/** Small changes of what decides about drift, about the room of buffers, and about the nodes that go next. */
import { type ClusterSnapshot, type Delta } from '../../shared/model/clusterSnapshot.ts'
import type { Condition } from '../../shared/model/condition.ts'
import { nodesHash } from '../../shared/model/driftHash.ts'
import { ANNOTATION, LABEL, TAINT_KEY } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import { DRIFTED, type NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Budget, NodePool } from '../../shared/model/nodePool.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { capacityBuffer, podTemplate } from '../builders/capacityBuffer.ts'
import { HOUR, MINUTE } from '../builders/clock.ts'

type Changing = (random: Random, now: ClusterSnapshot) => Delta

/** Of drifted and empty machines, one may be disrupted at a time. */
const ONE_DRIFTED: readonly Budget[] = [{ nodes: '1', reasons: ['Drifted', 'Empty'] }, { nodes: '100%' }]

/** Budgets that one machine uses up. */
const NARROW: readonly (readonly Budget[])[] = [[{ nodes: '1' }], ONE_DRIFTED, ONE_DRIFTED]

export const OF_DRIFT: readonly Changing[] = [
  oneClaim((claim, random, { takenAt }) => withDrift(claim, epochMs(takenAt - random.int(3) * HOUR))),
  oneClaim((claim) => withoutDrift(claim)),
  bornDrifted,
  bornDrifted,
  narrowed,
  narrowed,
  (random, { objects: { nodeClass } }) => ({
    put: {
      nodeClass: nodeClass.map((each) => ({
        ...each,
        status: { ...each.status, images: [{ id: `/images/${random.int(3)}`, requirements: [] }] },
      })),
    },
  }),
  (random) => ({
    put: {
      capacityBuffer: [capacityBuffer({ podTemplate: 'spare', replicas: random.int(3) })],
      podTemplate: [podTemplate('spare', { cpus: 0.2 })],
    },
  }),
  (_random, { objects }) => ({ removed: { capacityBuffer: objects.capacityBuffer.map(({ key }) => key) } }),
  planned,
]

/** The cluster with some drifted machines, which only a budget holds: a node that is not ready uses it up. */
export function withHeldDrift({ objects, ...rest }: ClusterSnapshot, random: Random): ClusterSnapshot {
  const drifted = new Set(random.some(objects.nodeClaim, 0.2))
  const nodeClaim = objects.nodeClaim.map((each) => (drifted.has(each) ? withDrift(each, epochMs(rest.takenAt - HOUR)) : each))
  const node = objects.node.map((each, at) => (at === 0 ? notReady(each) : each))
  const nodePool = objects.nodePool.map((each) => withBudgets(each, ONE_DRIFTED))
  return { ...rest, objects: { ...objects, node, nodeClaim, nodePool } }
}

function notReady(node: Node): Node {
  return { ...node, conditions: node.conditions.filter(({ type }) => type !== 'Ready') }
}

function withBudgets(pool: NodePool, budgets: readonly Budget[]): NodePool {
  return { ...pool, disruption: { ...pool.disruption, budgets } }
}

function oneClaim(change: (claim: NodeClaim, random: Random, now: ClusterSnapshot) => NodeClaim): Changing {
  return (random, now) => {
    const { nodeClaim } = now.objects
    return nodeClaim.length === 0 ? {} : { put: { nodeClaim: [change(random.pick(nodeClaim), random, now)] } }
  }
}

function withoutDrift(claim: NodeClaim): NodeClaim {
  const conditions = claim.status.conditions.filter(({ type }) => type !== DRIFTED)
  return { ...claim, status: { ...claim.status, conditions } }
}

function withDrift(claim: NodeClaim, lastTransitionAt: Condition['lastTransitionAt']): NodeClaim {
  const { status, ...rest } = withoutDrift(claim)
  const drifted: Condition = { type: DRIFTED, status: 'True', reason: 'ImageDrift', message: '', lastTransitionAt, observedGeneration: 1 }
  return { ...rest, status: { ...status, conditions: [...status.conditions, drifted] } }
}

/** A machine replaces a drifted one, and has drifted soon after it came up. It is the last of several, or the first. */
function bornDrifted(random: Random, { objects: { nodeClaim, nodePool, nodeClass }, settings }: ClusterSnapshot): Delta {
  if (nodeClaim.length === 0) return {}
  const claim = random.pick(nodeClaim)
  const pool = nodePool.find(({ name }) => name === claim.meta.labels[LABEL.nodePool])
  const of = nodeClass.find(({ name }) => name === pool?.template.nodeClassRef.name)
  const initialized = claim.status.conditions.find(({ type }) => type === 'Initialized')
  if (pool === undefined || of === undefined || initialized === undefined) return {}
  const annotations = {
    ...claim.meta.annotations,
    [ANNOTATION.replacesDrifted]: `move-${random.int(3)} ${nodesHash(pool, of, settings)} ${random.int(2)}`,
  }
  const drifted = withDrift(claim, epochMs(initialized.lastTransitionAt + MINUTE))
  return { put: { nodeClaim: [{ ...drifted, meta: { ...drifted.meta, annotations } }] } }
}

/** A pool gets a narrow budget, and one of its machines uses it up since its node is not ready. */
function narrowed(random: Random, { objects }: ClusterSnapshot): Delta {
  const pool = random.pick(objects.nodePool)
  const own = objects.node.filter(({ meta }) => meta.labels[LABEL.nodePool] === pool.name)
  const node = own.length === 0 ? [] : [notReady(random.pick(own))]
  return { put: { node, nodePool: [withBudgets(pool, random.pick(NARROW))] } }
}

/** A node has the taint of planned nodes, of any age. */
function planned(random: Random, { objects, takenAt }: ClusterSnapshot): Delta {
  if (objects.node.length === 0) return {}
  const node = random.pick(objects.node)
  const value = `${Math.floor(takenAt / 1000) - random.int(7200)}`
  return { put: { node: [{ ...node, taints: [{ key: TAINT_KEY.disruptionPlanned, value, effect: 'PreferNoSchedule' }] }] } }
}
