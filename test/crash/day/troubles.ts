/** The troubles of a day, besides spot interruptions: machines break, hosts are killed, and the network loses, doubles and delays posts and keys. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { zoneName } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { LogRecord } from '../../../shared/model/logRecord.ts'
import type { Node } from '../../../shared/model/node.ts'
import type { EpochMs } from '../../../shared/model/units.ts'
import type { Random } from '../../agreement/random.ts'
import { condition } from '../../builders/condition.ts'
import { MODES } from '../everyWrite.ts'
import type { Delivery } from '../simulation.ts'

const LATE_MS = 20_000
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const
const NODE_HEALTHY = 'kubernetes.azure.com/NodeHealthy'
/** The number of launches that Azure refuses in a zone that is out. */
const REFUSALS = 5
/** A strike comes within this number of writes. */
const WRITES = 20

/** Returns how a message arrives. A `share` of the messages is lost, doubled or late. */
export function badNetwork(random: Random, share: number): () => Delivery {
  return () => (random.chance(share) ? random.pick<Delivery>(['never', 'twice', { laterMs: LATE_MS }]) : 'once')
}

/** The same for the shim's posts. The shim repeats a post without an answer, so nothing is lost: some records come twice or after later ones. */
export function badPosts(random: Random, share: number): (records: readonly LogRecord[]) => readonly LogRecord[] {
  let held: LogRecord[] = []
  return (records) => {
    const late = held
    held = records.filter(({ body }) => body.kind === 'changes' && random.chance(share / 2))
    const sent = records.filter((record) => !held.includes(record))
    return [...sent.flatMap((record) => (random.chance(share / 2) ? [record, record] : [record])), ...late]
  }
}

const READS = ['api.getClaim', 'api.getNode', 'api.listPodsOn', 'api.listPodsNominatedFor', 'cloud.get', 'cloud.list', 'log.read'] as const

/** Breaks the lease, makes one of the next reads fail, or makes one of the next writes kill its host or lose its answer. */
export function injectFault({ journal, failAt, failCall, breakLease }: MemoryWorld, random: Random): void {
  if (random.chance(0.1)) breakLease()
  else if (random.chance(0.25)) failCall(random.pick(READS), 1 + random.int(WRITES))
  else failAt(journal.tried() + 1 + random.int(WRITES), random.pick(MODES))
}

/** Makes some of the healthy nodes unhealthy, each in one of the two ways that are repaired. */
export function breakNodes(
  { objects, clock }: MemoryWorld,
  random: Random,
  choose: (well: readonly Node[]) => readonly Node[],
): readonly Node[] {
  const well = objects.all('node').filter((node) => node.meta.labels[LABEL.initialized] === 'true' && isWell(node))
  return choose(well).map((node) =>
    objects.put('node', random.chance(0.5) ? notReadyNode(node, clock.now()) : unhealthyNode(node, clock.now())),
  )
}

/** Makes all nodes of a zone not ready although their machines run. Azure refuses new machines in the zone. */
export function failZone({ objects, clock, machines }: MemoryWorld, zone: string): readonly Node[] {
  machines.refuse({ zone: zoneName(zone) }, { times: REFUSALS })
  const there = objects.all('node').filter((node) => node.meta.labels[LABEL.zone] === zone && isWell(node))
  return there.map((node) => objects.put('node', notReadyNode(node, clock.now())))
}

/** Removes a claim together with its finalizer, as a person could. Its machine and its node then have no owner. */
export function orphan({ objects }: MemoryWorld, random: Random): void {
  const standing = objects.all('nodeClaim').filter(({ meta, status }) => meta.deletedAt === undefined && status.nodeName !== undefined)
  if (standing.length > 0) objects.remove('nodeClaim', random.pick(standing).name)
}

/** Makes the nodes that still exist healthy again. */
export function heal({ objects, clock }: MemoryWorld, nodes: readonly Node[]): void {
  for (const { name, meta } of nodes) {
    const node = objects.get('node', name)
    if (node === undefined || node.meta.uid !== meta.uid) continue
    const taints = node.taints.filter(({ key }) => key !== NOT_READY.key)
    objects.put('node', { ...node, taints, conditions: [{ ...condition('Ready'), lastTransitionAt: clock.now() }] })
  }
}

/** Reports whether no repair policy applies to the node. */
export function isWell({ conditions }: Node): boolean {
  return conditions.every(({ type, status }) => (type !== 'Ready' && type !== NODE_HEALTHY) || status === 'True')
}

/** The node is not ready, and the node controller has tainted it. */
function notReadyNode(node: Node, now: EpochMs): Node {
  const ready = { ...condition('Ready', { status: 'False' }), lastTransitionAt: now }
  return { ...node, taints: [...node.taints, NOT_READY], conditions: [ready] }
}

function unhealthyNode(node: Node, now: EpochMs): Node {
  const unhealthy = { ...condition(NODE_HEALTHY, { status: 'False' }), lastTransitionAt: now }
  return { ...node, conditions: [...node.conditions, unhealthy] }
}
