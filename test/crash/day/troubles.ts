/** What goes wrong in a day, besides spot machines that are taken: machines break, hosts are killed, and the network loses, doubles and delays. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import type { Delivery } from '../../../shared/adapters/memory/workQueue.ts'
import { zoneName } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { LogRecord } from '../../../shared/model/logRecord.ts'
import type { Node } from '../../../shared/model/node.ts'
import type { EpochMs } from '../../../shared/model/units.ts'
import type { Random } from '../../agreement/random.ts'
import { condition } from '../../builders/condition.ts'
import { MODES } from '../everyWrite.ts'

const LATE_MS = 20_000
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const
const AILMENT = 'kubernetes.azure.com/NodeHealthy'
/** Launches that Azure refuses in a zone that is out. */
const REFUSALS = 5
/** A strike comes within so many writes. */
const WRITES = 20

/** How a message arrives: `share` of all are lost, doubled or late. */
export function badNetwork(random: Random, share: number): () => Delivery {
  return () => (random.chance(share) ? random.pick<Delivery>(['never', 'twice', { laterMs: LATE_MS }]) : 'once')
}

/** The same for what the shim posts: it sends again what got no answer, so that nothing is lost, and some comes twice or after later records. */
export function badPosts(random: Random, share: number): (records: readonly LogRecord[]) => readonly LogRecord[] {
  let held: LogRecord[] = []
  return (records) => {
    const late = held
    held = records.filter(({ body }) => body.kind === 'changes' && random.chance(share / 2))
    const sent = records.filter((record) => !held.includes(record))
    return [...sent.flatMap((record) => (random.chance(share / 2) ? [record, record] : [record])), ...late]
  }
}

const READS = ['api.getClaim', 'api.getNode', 'api.listPodsOn', 'cloud.get', 'cloud.list', 'log.read'] as const

/** One of the next writes kills its host, or has no answer; or one of the next readings fails; or another host may take the lease. */
export function strike({ journal, failAt, failCall, breakLease }: MemoryWorld, random: Random): void {
  if (random.chance(0.1)) breakLease()
  else if (random.chance(0.25)) failCall(random.pick(READS), 1 + random.int(WRITES))
  else failAt(journal.tried() + 1 + random.int(WRITES), random.pick(MODES))
}

/** Makes some of the nodes that are well unhealthy, each in one of the two ways that are repaired. */
export function breakNodes(
  { objects, clock }: MemoryWorld,
  random: Random,
  choose: (well: readonly Node[]) => readonly Node[],
): readonly Node[] {
  const well = objects.all('node').filter((node) => node.meta.labels[LABEL.initialized] === 'true' && isWell(node))
  return choose(well).map((node) => objects.put('node', random.chance(0.5) ? silent(node, clock.now()) : ailing(node, clock.now())))
}

/** All nodes of a zone are heard of no more, though their machines run, and Azure makes none there. */
export function darken({ objects, clock, machines }: MemoryWorld, zone: string): readonly Node[] {
  machines.refuse({ zone: zoneName(zone) }, { times: REFUSALS })
  const there = objects.all('node').filter((node) => node.meta.labels[LABEL.zone] === zone && isWell(node))
  return there.map((node) => objects.put('node', silent(node, clock.now())))
}

/** A person takes away a claim with its finalizer: its machine, node and all belong to nobody. */
export function orphan({ objects }: MemoryWorld, random: Random): void {
  const standing = objects.all('nodeClaim').filter(({ meta, status }) => meta.deletedAt === undefined && status.nodeName !== undefined)
  if (standing.length > 0) objects.remove('nodeClaim', random.pick(standing).name)
}

/** Those that still stand are well again. */
export function heal({ objects, clock }: MemoryWorld, nodes: readonly Node[]): void {
  for (const { name, meta } of nodes) {
    const node = objects.get('node', name)
    if (node === undefined || node.meta.uid !== meta.uid) continue
    const taints = node.taints.filter(({ key }) => key !== NOT_READY.key)
    objects.put('node', { ...node, taints, conditions: [{ ...condition('Ready'), lastTransitionAt: clock.now() }] })
  }
}

/** As no policy of repair would have it. */
export function isWell({ conditions }: Node): boolean {
  return conditions.every(({ type, status }) => (type !== 'Ready' && type !== AILMENT) || status === 'True')
}

/** The node controller closes it, too. */
function silent(node: Node, now: EpochMs): Node {
  const ready = { ...condition('Ready', { status: 'False' }), lastTransitionAt: now }
  return { ...node, taints: [...node.taints, NOT_READY], conditions: [ready] }
}

function ailing(node: Node, now: EpochMs): Node {
  const unhealthy = { ...condition(AILMENT, { status: 'False' }), lastTransitionAt: now }
  return { ...node, conditions: [...node.conditions, unhealthy] }
}
