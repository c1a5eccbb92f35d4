import { defined } from '../../shared/base/values.ts'
import { nodeName, nodePoolName, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim, NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { CsiNode } from '../../shared/model/workloads.ts'
import { NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { labelKeyOf, labels, requirements, resources, taints, words } from './notation.ts'
import type { NodeGiven } from './scenario.ts'

/** One machine: its node, its claim, or only the draft of a claim. */
export type Machine = { readonly node?: Node; readonly claim?: NodeClaim; readonly draft?: NodeClaimDraft; readonly csiNode?: CsiNode }

const PLAIN = { [LABEL.zone]: 'z1', [LABEL.instanceType]: 'default' }
const ROOM = { cpu: 3.9, memory: '4086Mi', pods: 5 }

export function machineOf(name: string, given: NodeGiven): readonly Machine[] {
  const { count, ...one } = given
  if (count !== undefined) return Array.from({ length: count }, (_, index) => machineOf(`${name}-${index + 1}`, one)).flat()
  const { pool = 'default', stage = 'initialized' } = given
  if (pool === null) return [withAttach({ node: nodeOf(name, given) }, given)]
  const claim = claimOf(name, pool, given)
  if (stage === 'draft') return [{ draft: draftOf(claim, pool) }]
  if (stage === 'created' || stage === 'launched') return [{ claim }]
  return [withAttach({ node: nodeOf(name, given), claim }, given)]
}

function nodeOf(name: string, given: NodeGiven): Node {
  const { pool = 'default', stage = 'initialized' } = given
  const room: Resources = resources({ ...ROOM, ...given.room, ...given.reports })
  const made = node(
    defined({
      ...(pool === null ? { name } : { claim: name, nodePool: pool }),
      initialized: stage === 'initialized',
      meta: { labels: { ...PLAIN, ...labels(given.labels) }, ...(given.deleting === true && pool === null ? { deletedAt: NOW } : {}) },
      taints: taints(given.taints),
      unschedulable: given.cordoned === true,
      capacity: room,
      allocatable: room,
    }),
  )
  const bare = words(given.bare).map(labelKeyOf)
  const kept = Object.fromEntries(Object.entries(made.meta.labels).filter(([key]) => !bare.includes(key)))
  return { ...made, meta: { ...made.meta, labels: kept } }
}

function claimOf(name: string, pool: string, given: NodeGiven): NodeClaim {
  const { stage = 'initialized' } = given
  const room = resources({ ...ROOM, ...given.room })
  const isLaunched = stage !== 'draft' && stage !== 'created'
  const made = nodeClaim({
    name,
    nodePool: pool,
    stage: stage === 'draft' ? 'created' : stage,
    meta: {
      labels: isLaunched ? { ...PLAIN, ...labels(given.labels) } : labels(given.labels),
      ...(given.deleting === true ? { deletedAt: NOW } : {}),
    },
    spec: {
      requirements: requirements(given.needs ?? 'type=default'),
      taints: stage === 'launched' ? taints(given.taints) : [],
      startupTaints: taints(given.startupTaints),
      ...(given.bought && { requests: resources({ pods: 1, ...given.bought }) }),
    },
    status: isLaunched ? { capacity: room, allocatable: room } : {},
  })
  if (given.ending !== true) return made
  return { ...made, status: { ...made.status, conditions: [...made.status.conditions, condition('InstanceTerminating')] } }
}

function draftOf(claim: NodeClaim, pool: string): NodeClaimDraft {
  return { name: claim.name, nodePool: nodePoolName(pool), labels: claim.meta.labels, annotations: {}, spec: claim.spec }
}

function withAttach(machine: Machine, { attach }: NodeGiven): Machine {
  if (attach === undefined || machine.node === undefined) return machine
  const drivers = Object.entries(attach)
  const limits = Object.fromEntries(drivers.flatMap(([driver, limit]) => (limit === 'any' ? [] : [[driver, limit] as const])))
  const unlimited = drivers.flatMap(([driver, limit]) => (limit === 'any' ? [driver] : []))
  return { ...machine, csiNode: { name: nodeName(machine.node.name), uid: uid(`uid-csi-${machine.node.name}`), limits, unlimited } }
}
