// Plays Karpenter's methods on the clock at their fastest: one command after another, as the budgets of the pools allow.
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { nextCommand } from '../../test/oracle/consolidation/consolidate.ts'
import { carryOut } from '../../test/oracle/consolidation/settle.ts'
import { later, priceOfAll } from '../../test/oracle/consolidation/standing.ts'
import { BOOT_MS, DELETE_MS, EXIT_MS, type PriceCourse } from './convergence.ts'

/** The interval of Karpenter's disruption controller, and the time for which it waits before it validates a command. */
const POLL_MS = 10_000
const VALIDATE_MS = 15_000
/** Karpenter waits at least this long for the pods of a node, and so does Joiner. */
const MIN_DRAIN_MS = 5_000

/** `drainedAt`: from this time on, the nodes use up no budget. `goneAt`: from this time on, they cost nothing. */
type Going = { readonly drainedAt: number; readonly goneAt: number; readonly nodes: number; readonly price: number }

/**
 * Pods are moved at once, so that the next command is planned as if the last one were done. Its nodes use up the budget until the replacement has come
 * up and the pods have ended, and cost their price until the machine is deleted.
 */
export function convergeAsKarpenter(given: ClusterSnapshot, share: number): PriceCourse {
  const course = [{ atMs: 0, price: priceOfAll(given) }]
  let snapshot = given
  let going: readonly Going[] = []
  let commands = 0
  const note = (atMs: number): void => {
    going = going.filter(({ goneAt }) => goneAt > atMs)
    const price = going.reduce((sum, each) => sum + each.price, priceOfAll(snapshot))
    if (price !== course.at(-1)?.price) course.push({ atMs, price })
  }
  for (let now = POLL_MS; ; now += POLL_MS) {
    note(now)
    const away = going.reduce((sum, { drainedAt, nodes }) => sum + (drainedAt > now ? nodes : 0), 0)
    const allowed = Math.max(0, Math.ceil(share * (snapshot.objects.node.length + away)) - away)
    const command = nextCommand(withBudget(snapshot, allowed))
    if (command === undefined && going.length === 0) return course
    if (command === undefined) continue
    now += VALIDATE_MS
    const drainedAt = now + (command.replacement === undefined ? 0 : BOOT_MS) + Math.max(EXIT_MS, MIN_DRAIN_MS)
    const price = command.candidates.reduce((sum, each) => sum + each.price, 0)
    going = [...going, { drainedAt, goneAt: drainedAt + DELETE_MS, nodes: command.candidates.length, price }]
    snapshot = later(carryOut(snapshot, command, commands))
    commands++
    note(now)
  }
}

function withBudget(snapshot: ClusterSnapshot, nodes: number): ClusterSnapshot {
  const nodePool = snapshot.objects.nodePool.map((pool) => ({
    ...pool,
    disruption: { ...pool.disruption, budgets: [{ nodes: String(nodes) }] },
  }))
  return { ...snapshot, objects: { ...snapshot.objects, nodePool } }
}
