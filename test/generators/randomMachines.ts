/** Machines in every state: nodes with and without claims, coming up, being deleted, cordoned. Also claims without a node, launched or not. */

import { nodePoolName } from '../../shared/model/ids.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim, NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import { has, type Requirement, requirementFrom } from '../../shared/model/requirements.ts'
import { subtract } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Random } from '../agreement/random.ts'
import { ago, MINUTE } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { SIZE, TAINTS, ZONE } from './words.ts'

export type Machines = {
  readonly nodes: readonly Node[]
  readonly claims: readonly NodeClaim[]
  readonly drafts: readonly NodeClaimDraft[]
}

export function randomMachines(random: Random, pools: readonly NodePool[], types: readonly InstanceType[]): Machines {
  const nodes: Node[] = []
  const claims: NodeClaim[] = []
  const drafts: NodeClaimDraft[] = []
  for (let index = 0; index < random.int(5); index++) {
    const type = random.pick(types)
    const offering = random.pick(type.offerings)
    const pool = random.pick(pools)
    const name = `${pool.name}-old${index}`
    const state = random.pick([
      'initialized',
      'initialized',
      'initialized',
      'nobody',
      'registered',
      'launched',
      'created',
      'draft',
      'deleting',
    ])
    const labels = { ...labelsOf(type, offering), ...poolLabels(pool) }
    if (state === 'nobody') nodes.push(foreignNode(random, `static-${index}`, type, labelsOf(type, offering)))
    else if (state === 'draft') drafts.push(draftOf(name, pool, type, offering, random))
    else {
      const claim = claimOf(name, pool, type, offering, labels, state)
      claims.push(claim)
      if (state !== 'created' && state !== 'launched') nodes.push(ownNode(random, name, pool, type, labels, state))
    }
  }
  return { nodes, claims, drafts }
}

function ownNode(random: Random, claim: string, pool: NodePool, type: InstanceType, labels: Labels, state: string): Node {
  const isUp = state !== 'registered'
  const coming: readonly Taint[] = isUp
    ? []
    : [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }, ...pool.template.startupTaints]
  const base = node({ claim, nodePool: pool.name, initialized: isUp })
  return {
    ...base,
    meta: { ...base.meta, labels: { ...base.meta.labels, ...labels } },
    taints: [...pool.template.taints, ...coming, ...(random.chance(0.1) ? [random.pick(TAINTS)] : [])],
    unschedulable: random.chance(0.08),
    capacity: type.capacity,
    allocatable: subtract(type.capacity, type.overhead),
  }
}

function foreignNode(random: Random, name: string, type: InstanceType, labels: Labels): Node {
  const base = node({ name })
  return {
    ...base,
    meta: { ...base.meta, labels: { ...labels, 'kubernetes.io/hostname': name } },
    taints: random.some(TAINTS, 0.15),
    capacity: type.capacity,
    allocatable: subtract(type.capacity, type.overhead),
  }
}

function claimOf(name: string, pool: NodePool, type: InstanceType, offering: Offering, labels: Labels, state: string): NodeClaim {
  const stage = state === 'deleting' ? 'initialized' : state
  const made = stage === 'created' || stage === 'launched' || stage === 'registered' ? stage : 'initialized'
  const base = nodeClaim({ name, nodePool: pool.name, stage: made })
  const { template } = pool
  return {
    ...base,
    meta: {
      ...base.meta,
      labels: made === 'created' ? poolLabels(pool) : { ...base.meta.labels, ...labels },
      ...(state === 'deleting' ? { deletedAt: ago(MINUTE) } : {}),
    },
    spec: { ...base.spec, requirements: specOf(pool, type, offering), taints: template.taints, startupTaints: template.startupTaints },
    status: {
      ...base.status,
      ...(made === 'created' ? {} : { capacity: type.capacity, allocatable: subtract(type.capacity, type.overhead) }),
      ...(made === 'registered' || made === 'initialized' ? { nodeName: nodeNameOf(name) } : {}),
    },
  }
}

function draftOf(name: string, pool: NodePool, type: InstanceType, offering: Offering, random: Random): NodeClaimDraft {
  const { spec, name: claimName } = claimOf(name, pool, type, offering, {}, 'created')
  const requirements = random.chance(0.5) ? spec.requirements.filter(({ key }) => key !== ZONE) : spec.requirements
  return { name: claimName, nodePool: nodePoolName(pool.name), labels: poolLabels(pool), annotations: {}, spec: { ...spec, requirements } }
}

function specOf(pool: NodePool, type: InstanceType, offering: Offering): NodeClaim['spec']['requirements'] {
  const own = pool.template.requirements.filter(({ key }) => key !== SIZE && key !== ZONE)
  return [...own, { key: SIZE, operator: 'In', values: [type.name] }, { key: ZONE, operator: 'In', values: [offering.zone] }]
}

/** The pool's labels. A label with several possible values gets the first. */
function poolLabels({ name, template }: NodePool): Labels {
  const open = template.requirements.filter(({ key, operator }) => key.startsWith('example.com/') && operator === 'In').map(requirementFrom)
  const chosen = open.flatMap((each) => each.values.slice(0, 1).map((value) => [each.key, value] as const))
  return { ...template.labels, ...Object.fromEntries(chosen), 'karpenter.sh/nodepool': name, 'karpenter.azure.com/aksnodeclass': 'default' }
}

function labelsOf(type: InstanceType, offering: Offering): Labels {
  const decided = new Map<string, Requirement>([...type.requirements, ...offering.requirements].map((each) => [each.key, each]))
  return Object.fromEntries(
    [...decided.values()].flatMap((each) => {
      const [value] = each.values.filter((one) => has(each, one))
      return value === undefined ? [] : [[each.key, value] as const]
    }),
  )
}
