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

type Level = { readonly taken: Amounts; readonly answers: Map<Amounts, Map<string, ReadonlySet<string>>> }

/** Room is checked for more than is taken now, so that the next moves need no check. */
const AHEAD = 2
/** The domain of pods that may go to any domain. */
const ANYWHERE = ''

export function createSpareRoom(nodes: readonly ExistingNode[], work: Pick<Work, 'existingNodes'>): SpareRoom {
  let level: Level = { taken: new Float64Array(), answers: new Map() }

  function ampleDomains(podClass: PodClass, relaxedPod: RelaxedPod, key: string | undefined): ReadonlySet<string> {
    const known = level.answers.get(podClass.amounts) ?? new Map<string, ReadonlySet<string>>()
    level.answers.set(podClass.amounts, known)
    const text = `${relaxedPod.constraint.id} ${key}`
    const found = known.get(text) ?? ampleIn({ nodes, podClass, relaxedPod, key, taken: level.taken, work })
    known.set(text, found)
    return found
  }

  return {
    expect(taken) {
      if (isWithin(taken, level.taken)) return false
      const more = new Float64Array(taken.length)
      addTimes(more, taken, AHEAD)
      level = { taken: more, answers: new Map() }
      return true
    },
    isAmpleFor(classes) {
      for (const podClass of classes) {
        const relaxedPod = podClass.relaxedPods.at(-1)
        if (relaxedPod === undefined || !isPlain(podClass, relaxedPod)) return false
        const [group] = relaxedPod.spread
        const ample = ampleDomains(podClass, relaxedPod, group?.key)
        const needed = group === undefined ? [ANYWHERE] : domainsOfSpread(group)
        if (needed.length === 0 || !needed.every((domain) => ample.has(domain))) return false
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

/**
 * The domains that `taken` cannot fill. To keep a pod off a node, other pods must take all but less than the pod needs on some axis. `enough` is the
 * number of axes: with so many wholes of `taken` free, no split of `taken` over the nodes keeps the pod off all of them.
 */
function ampleIn({ nodes, podClass, relaxedPod, key, taken, work }: Asked): ReadonlySet<string> {
  const enough = taken.reduce((count, amount) => count + (amount > 0 ? 1 : 0), 0)
  const shares = new Map<string, number>()
  const ample = new Set<string>()
  for (const node of nodes) {
    const domain = key === undefined ? ANYWHERE : node.domainOf(key)
    if (domain === undefined || ample.has(domain)) continue
    work.existingNodes++
    if (roomOn(node, podClass, relaxedPod.constraint, 1) === 0) continue
    const share = (shares.get(domain) ?? 0) + leastShare(node.free, podClass.amounts, taken)
    shares.set(domain, share)
    if (share > enough) ample.add(domain)
    if (key === undefined && ample.size > 0) break
  }
  return ample
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
