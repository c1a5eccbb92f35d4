/**
 * Shows at low cost that pods find places wherever the other pods go: nodes have so much more room than all moved pods take that these pods could not
 * fill all nodes that a pod may use.
 */

import { domainsOfSpread } from '../model/neighbours/domainFilters.ts'
import { type ExistingNode, roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import { type Amounts, addTimes } from '../model/quantities/amounts.ts'
import type { Work } from '../model/quantities/work.ts'

export interface SpareRoom {
  /**
   * Says how much room all pods of the moves and all closed nodes take. Nodes may close and get pods as long as this grows by what the nodes had free
   * and by the pods. True if earlier answers do not hold for so much.
   */
  expect(taken: Amounts): boolean
  /** Reports whether each pod of these classes is sure to find a place. False does not mean that some pod finds none. */
  isAmpleFor(classes: Iterable<PodClass>): boolean
}

type Level = {
  readonly taken: Amounts
  readonly answers: Map<Amounts, Map<string, ReadonlySet<string>>>
  readonly ample: Map<PodClass, boolean>
}

/** The domain of pods that may go to any domain. */
const ANYWHERE = ''

/** `ahead`: room is checked for so many times what is taken now, so that the next moves need no check. */
export function createSpareRoom(nodes: readonly ExistingNode[], work: Pick<Work, 'existingNodes'>, ahead: number): SpareRoom {
  let level: Level = { taken: new Float64Array(), answers: new Map(), ample: new Map() }

  function ampleDomains(podClass: PodClass, relaxedPod: RelaxedPod, key: string | undefined): ReadonlySet<string> {
    const known = level.answers.get(podClass.amounts) ?? new Map<string, ReadonlySet<string>>()
    level.answers.set(podClass.amounts, known)
    const text = `${relaxedPod.constraint.id} ${key}`
    const found = known.get(text) ?? ampleIn({ nodes, podClass, relaxedPod, key, taken: level.taken, work })
    known.set(text, found)
    return found
  }

  function isAmpleForOne(podClass: PodClass): boolean {
    const relaxedPod = podClass.relaxedPods.at(-1)
    if (relaxedPod === undefined || !isPlain(podClass, relaxedPod)) return false
    const [group] = relaxedPod.spread
    const ample = ampleDomains(podClass, relaxedPod, group?.key)
    const needed = group === undefined ? [ANYWHERE] : domainsOfSpread(group)
    return needed.length > 0 && needed.every((domain) => ample.has(domain))
  }

  return {
    expect(taken) {
      if (isWithin(taken, level.taken)) return false
      const more = new Float64Array(taken.length)
      addTimes(more, taken, ahead)
      level = { taken: more, answers: new Map(), ample: new Map() }
      return true
    },
    isAmpleFor(classes) {
      for (const podClass of classes) {
        const isAmple = level.ample.get(podClass) ?? isAmpleForOne(podClass)
        level.ample.set(podClass, isAmple)
        if (!isAmple) return false
      }
      return true
    },
  }
}

/**
 * Reports whether only room decides where a pod of the class goes, apart from one spread over domains. If each domain has room, the domain with the
 * fewest pods takes one more pod.
 */
export function isPlain({ hostPorts, shared, repelledBy }: PodClass, { spread, affinity, antiAffinity }: RelaxedPod): boolean {
  if (hostPorts.length + shared.length + repelledBy.length + affinity.length + antiAffinity.length > 0) return false
  return spread.length === 0 || (spread.length === 1 && spread.every(({ isHost, minDomains }) => !isHost && minDomains <= 1))
}

type Asked = {
  readonly nodes: readonly ExistingNode[]
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  /** The label whose values are the domains. Undefined if domains do not matter. */
  readonly key: string | undefined
  readonly taken: Amounts
  readonly work: Pick<Work, 'existingNodes'>
}

/** The domains that `taken` cannot fill: those in which it cannot keep the pod off all nodes. */
function ampleIn(asked: Asked): ReadonlySet<string> {
  const found = ampleByShares(asked)
  if (found.unsure.size === 0) return found.ample
  for (const [domain, nodes] of found.unsure) if (staysOpen(nodes, asked)) found.ample.add(domain)
  return found.ample
}

/**
 * To keep a pod off a node, other pods must take all but less than the pod needs on some axis. `enough` is the number of axes: with so many wholes of
 * `taken` free, no split of `taken` over the nodes keeps the pod off all of them. `unsure`: the nodes with room of domains that have less.
 */
function ampleByShares({ nodes, podClass, relaxedPod, key, taken, work }: Asked) {
  const enough = taken.reduce((count, amount) => count + (amount > 0 ? 1 : 0), 0)
  const shares = new Map<string, number>()
  const unsure = new Map<string, ExistingNode[]>()
  const ample = new Set<string>()
  for (const node of nodes) {
    const domain = key === undefined ? ANYWHERE : node.domainOf(key)
    if (domain === undefined || ample.has(domain)) continue
    work.existingNodes++
    if (roomOn(node, podClass, relaxedPod.constraint, 1) === 0) continue
    const share = (shares.get(domain) ?? 0) + leastShare(node.free, podClass.amounts, taken)
    shares.set(domain, share)
    const own = unsure.get(domain) ?? []
    own.push(node)
    unsure.set(domain, own)
    if (share <= enough) continue
    ample.add(domain)
    unsure.delete(domain)
    if (key === undefined) break
  }
  return { ample, unsure }
}

/** Reports whether `taken` cannot keep the pod off all of these nodes, even if it is split so that it keeps the pod off as many as it can on each axis. */
function staysOpen(nodes: readonly ExistingNode[], { podClass: { amounts }, taken }: Asked): boolean {
  let closed = 0
  for (let axis = 0; axis < taken.length && closed < nodes.length; axis++) {
    const most = taken[axis] ?? 0
    if (most > 0)
      closed += mostWithin(
        most,
        nodes.map(({ free }) => (free[axis] ?? 0) - (amounts[axis] ?? 0)),
      )
  }
  return closed < nodes.length
}

/** The most of these amounts that are together within `most`. */
function mostWithin(most: number, amounts: readonly number[]): number {
  let left = most
  let count = 0
  for (const amount of Float64Array.from(amounts).sort()) {
    left -= amount
    if (left < 0) break
    count++
  }
  return count
}

function leastShare(free: Amounts, amounts: Amounts, taken: Amounts): number {
  let least = Number.POSITIVE_INFINITY
  for (let axis = 0; axis < taken.length; axis++) {
    const whole = taken[axis] ?? 0
    if (whole > 0) least = Math.min(least, ((free[axis] ?? 0) - (amounts[axis] ?? 0)) / whole)
  }
  return least
}

function isWithin(taken: Amounts, most: Amounts): boolean {
  return most.length === taken.length && taken.every((amount, axis) => amount <= (most[axis] ?? 0))
}
